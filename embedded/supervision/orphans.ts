import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../model/errors';
import { type ProcessMark, isRunning } from '../process-mark';
import { createServerError } from '../server';

const checkMs = 100;
/** Times after SIGTERM. */
const killAfterMs = 5_000;
const giveUpAfterMs = 10_000;

/** What a process started in a data folder leaves there while it runs: its mark, and that of the process that started it. */
export interface PidFile extends ProcessMark {
  owner: ProcessMark;
}

/** The file that describes the process `name` of a data folder. */
export function buildPidPath(dataDir: string, name: string): string {
  return path.join(dataDir, 'servers', `${name}.json`);
}

/** Names of the processes in the data folder that still run although the process that started them was killed. */
export function listOrphans(dataDir: string): string[] {
  return listNames(dataDir).filter((name) => {
    const left = readPidFile(buildPidPath(dataDir, name));
    return left !== undefined && isRunning(left) && !isRunning(left.owner);
  });
}

/** Ends all orphans of the data folder, the api first. The caller holds the lock of the folder. */
export async function endOrphans(dataDir: string): Promise<string[]> {
  const names = listOrphans(dataDir);
  for (const name of names) await endOrphan(name, dataDir);
  return names;
}

/** Ends the process `name` that a killed parent left. Throws ALREADY_RUNNING if its parent still runs. */
export async function endOrphan(name: string, dataDir: string): Promise<void> {
  const pidFile = buildPidPath(dataDir, name);
  const left = readPidFile(pidFile);
  if (!left || !isRunning(left)) return;
  if (isRunning(left.owner)) {
    throw new AppError(
      'ALREADY_RUNNING',
      `${name} runs already (process ${left.pid}, started by process ${left.owner.pid}); its data folder is that of ${pidFile}`,
    );
  }
  signalGroup(left.pid, 'SIGTERM');
  for (let waited = 0; isRunning(left); waited += checkMs) {
    if (waited === killAfterMs) signalGroup(left.pid, 'SIGKILL');
    if (waited > giveUpAfterMs)
      throw createServerError(name, `process ${left.pid} was left by an earlier start and cannot be ended`);
    await delay(checkMs);
  }
  rmSync(pidFile, { force: true });
}

/** In alphabetical order, in which the api comes before the servers that it uses. */
function listNames(dataDir: string): string[] {
  try {
    const files = readdirSync(path.join(dataDir, 'servers')).filter((file) => file.endsWith('.json'));
    return files.map((file) => path.basename(file, '.json')).toSorted();
  } catch {
    return [];
  }
}

function readPidFile(pidFile: string): PidFile | undefined {
  try {
    return JSON.parse(readFileSync(pidFile, 'utf8')) as PidFile;
  } catch {
    return undefined;
  }
}

/** Sends a signal to a process and its children. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The process has already ended.
  }
}
