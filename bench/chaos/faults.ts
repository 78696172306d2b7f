import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../support/random';
import { type ChaosStack, processes, type ProcessName, type ServerName, servers } from './stack';

export const faultKinds = ['kill', 'stop', 'cut', 'slow', 'disk'] as const;

/** A fault of a process: when it occurs, relative to the usual duration, and for how long. */
export interface Fault {
  kind: (typeof faultKinds)[number];
  process: ProcessName;
  /** From 0 to 1. */
  moment: number;
  /** 0 for a kill. */
  seconds: number;
}

/** A disk of at most this size may be filled up. */
const smallDisk = 4e9;

/** Draws a fault of these kinds. `disk` occurs only if the data folder is on a separate disk of at most 4 GB. */
export function drawFault(random: Random, { dataDir }: Pick<ChaosStack, 'dataDir'>, wanted: readonly string[]): Fault {
  const isSmall = readDiskSize(dataDir) <= smallDisk;
  const all: Fault['kind'][] = ['kill', 'kill', 'stop', 'stop', 'cut', 'slow', ...(isSmall ? ['disk' as const] : [])];
  const kinds = all.filter((kind) => wanted.includes(kind));
  if (kinds.length === 0)
    throw new Error('None of these faults is possible: a full disk needs --data on a separate disk.');
  const kind = pick(random, kinds);
  const process = pick<ProcessName>(random, kind === 'cut' || kind === 'slow' ? servers : processes);
  const seconds = kind === 'kill' ? 0 : random.integer(3, kind === 'stop' ? 30 : 12);
  return { kind, process, moment: 0.1 + random.next() * 0.8, seconds };
}

/** Injects the fault, and undoes it if it does not end by itself. */
export async function injectFault(stack: ChaosStack, { kind, process: name, seconds }: Fault): Promise<void> {
  const ms = seconds * 1000;
  if (kind === 'kill') return void process.kill(stack.pidOf(name), 'SIGKILL');
  if (kind === 'stop') {
    const group = -stack.pidOf(name);
    process.kill(group, 'SIGSTOP');
    await delay(ms);
    return signalIfRunning(group, 'SIGCONT');
  }
  if (kind === 'disk') return fillDisk(stack.dataDir, ms);
  const proxy = stack.proxies[name as ServerName];
  if (kind === 'slow') {
    proxy.slow(300);
    await delay(ms);
    return proxy.slow(0);
  }
  proxy.cut();
  await delay(ms);
  await proxy.mend();
}

/** As in "SIGSTOP of mongo for 12 s at 35 %". */
export function describeFault({ kind, process: name, moment, seconds }: Fault): string {
  const what = {
    kill: `SIGKILL of ${name}`,
    stop: `SIGSTOP of ${name} for ${seconds} s`,
    cut: `connections to ${name} cut for ${seconds} s`,
    slow: `connections to ${name} slow (300 ms a piece) for ${seconds} s`,
    disk: `disk full for ${seconds} s`,
  }[kind];
  return `${what} at ${(moment * 100).toFixed(0)} %`;
}

async function fillDisk(dataDir: string, ms: number): Promise<void> {
  const filler = path.join(dataDir, '..', 'filler');
  const chunk = Buffer.alloc(4 * 1024 * 1024);
  try {
    for (let written = 0; written <= smallDisk; written += chunk.length) writeFileSync(filler, chunk, { flag: 'a' });
  } catch {
    // The disk is full, as intended.
  }
  await delay(ms);
  rmSync(filler, { force: true });
}

function readDiskSize(folder: string): number {
  const { blocks, bsize } = statfsSync(folder);
  return blocks * bsize;
}

function signalIfRunning(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(group, signal);
  } catch {
    // The process has ended or restarted in the meantime.
  }
}

function pick<T>(random: Random, list: readonly T[]): T {
  return list[random.integer(0, list.length - 1)] as T;
}
