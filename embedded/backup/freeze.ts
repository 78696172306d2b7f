import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../model/errors';
import { isRunning, type ProcessMark } from '../process-mark';
import { signalGroup } from '../supervision/orphans';

/** A process of a running stack, with the process group of the same id. */
export interface FreezablePart extends ProcessMark {
  name: string;
}

/** They write to the servers, so they are frozen first. */
const clients = ['api', 'worker'];
/**
 * Time for the servers to write acknowledged changes: the embedded database commits every 20 ms, and running requests end
 * within this time.
 */
const settleMs = 250;
/**
 * Time within which all processes must be stopped, and interval after which processes that still run are stopped again.
 */
const freezeMs = 5_000;
const againMs = 300;
/** How long to wait for a process that is being restarted. */
const patienceMs = 90_000;

/**
 * Runs `work` while all processes of the stack are stopped (SIGSTOP), first api and worker, then the servers. They continue
 * afterwards, even if this process is killed in between. Waits for processes that are being restarted. Throws SERVICE_UNAVAILABLE
 * when the processes cannot be stopped, or when one of them ended before that.
 */
export async function runWhileFrozen<T>(
  dataDir: string,
  names: readonly string[],
  work: () => T,
): Promise<{ result: T; frozenMs: number }> {
  const parts = await listFrozenParts(dataDir, names);
  const groups = parts.map(({ pid }) => pid);
  const watchdog = startWatchdog(groups);
  const began = performance.now();
  try {
    await freeze(parts.filter(({ name }) => clients.includes(name)));
    await delay(settleMs);
    await freeze(parts.filter(({ name }) => !clients.includes(name)));
    const result = work();
    const now = readParts(dataDir);
    const changed = parts.filter((part) => !isRunning(part) || now.get(part.name)?.pid !== part.pid);
    if (changed.length > 0)
      throw createUnavailableError(`${changed.map(({ name }) => name).join(', ')} ended during the backup`);
    return { result, frozenMs: performance.now() - began };
  } finally {
    // The servers first, so that api and worker find them.
    for (const pid of groups.toSorted((a, b) => rank(parts, b) - rank(parts, a))) signalGroup(pid, 'SIGCONT');
    watchdog.end();
  }
}

/** Ends the freeze when this process has ended for any reason: its end of the pipe closes then. */
function startWatchdog(groups: readonly number[]): { end: () => void } {
  const script = 'cat >/dev/null; for group; do kill -s CONT -- "-$group" 2>/dev/null; done';
  const child = spawn('sh', ['-c', script, 'sh', ...groups.map(String)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => undefined);
  child.unref();
  return { end: () => child.stdin?.end() };
}

function rank(parts: readonly FreezablePart[], pid: number): number {
  return clients.includes(parts.find((part) => part.pid === pid)?.name ?? '') ? 0 : 1;
}

async function listFrozenParts(dataDir: string, names: readonly string[]): Promise<FreezablePart[]> {
  for (const deadline = performance.now() + patienceMs; ; await delay(200)) {
    const parts = readParts(dataDir);
    const missing = names.filter((name) => !parts.has(name));
    if (missing.length === 0) return [...parts.values()];
    if (performance.now() > deadline)
      throw createUnavailableError(`${missing.join(', ')} did not run for ${patienceMs / 1000} s`);
  }
}

/** The running processes of the data folder by name, from the files that their start wrote. */
function readParts(dataDir: string): Map<string, FreezablePart> {
  const folder = path.join(dataDir, 'servers');
  const parts = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const mark = readMark(path.join(folder, name));
      return mark && isRunning(mark) ? [{ ...mark, name: path.basename(name, '.json') }] : [];
    });
  return new Map(parts.map((part) => [part.name, part]));
}

function readMark(file: string): ProcessMark | undefined {
  try {
    const { pid, started } = JSON.parse(readFileSync(file, 'utf8')) as ProcessMark;
    return { pid, started };
  } catch {
    // Written or removed at this moment.
    return undefined;
  }
}

/**
 * A process that is starting another one (vfork) waits for it uninterruptibly. If the other one is stopped first, the process never
 * stops, so both continue for a moment and are stopped again.
 */
async function freeze(parts: readonly FreezablePart[]): Promise<void> {
  for (const { pid } of parts) signalGroup(pid, 'SIGSTOP');
  for (const deadline = performance.now() + freezeMs; ;) {
    for (const pause = performance.now() + againMs; performance.now() < pause; await delay(10))
      if (parts.every(({ pid }) => isStopped(pid))) return;
    if (performance.now() > deadline) throw createUnavailableError('a process did not pause for the backup');
    for (const { pid } of parts.filter((part) => !isStopped(part.pid))) {
      signalGroup(pid, 'SIGCONT');
      await delay(10);
      signalGroup(pid, 'SIGSTOP');
    }
  }
}

/** True if all threads of the process are stopped. On systems that do not report it, SIGSTOP is assumed to work. */
function isStopped(pid: number): boolean {
  if (process.platform !== 'linux') return true;
  try {
    return readdirSync(`/proc/${pid}/task`).every((thread) => {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      return /^[TtZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
    });
  } catch {
    return true;
  }
}

function createUnavailableError(reason: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', `The running installation could not be backed up: ${reason}. Try again.`);
}
