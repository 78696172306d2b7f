import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createFolder } from './paths';
import { type ProcessMark, isRunning, buildMark } from './process-mark';

const retryMs = 150;
/** The file that marks the removal of a lock normally exists for microseconds; an older one is left over from a crash. */
const staleBreakerMs = 10_000;

/** A held lock. `release` may be called more than once. */
export interface Lock {
  release(): void;
}

let counter = 0;

/** Acquires the lock when it is free or its holder is dead; undefined when a living process, including this one, holds it. */
export function tryLock(file: string): Lock | undefined {
  createFolder(path.dirname(file));
  const temporaryFile = `${file}.${process.pid}.${(counter += 1)}`;
  // The content is complete before the name exists, so nobody can read a partial lock.
  writeFileSync(temporaryFile, JSON.stringify(buildMark(process.pid)), { mode: 0o600 });
  try {
    if (!tryLink(temporaryFile, file)) {
      removeStaleLock(file);
      if (!tryLink(temporaryFile, file)) return undefined;
    }
  } finally {
    rmSync(temporaryFile, { force: true });
  }
  let held = true;
  return {
    release: () => {
      if (held) rmSync(file, { force: true });
      held = false;
    },
  };
}

/** Runs `work` under the lock, waiting as long as a living process holds it. Calls `onWait` once if it must wait. */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  onWait: (holder: number | undefined) => void = () => undefined,
): Promise<T> {
  let lock = tryLock(file);
  if (!lock) onWait(findHolder(file)?.pid);
  while (!lock) {
    await delay(retryMs);
    lock = tryLock(file);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** The holder of the lock; undefined when there is none. The holder may be dead. */
export function findHolder(file: string): ProcessMark | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProcessMark;
  } catch {
    return undefined;
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Only one process at a time may remove a stale lock. Otherwise the second would remove the new lock of the first. */
function removeStaleLock(file: string): void {
  const breaker = `${file}.breaking`;
  try {
    writeFileSync(breaker, '', { flag: 'wx' });
  } catch {
    if (computeAgeMs(breaker) > staleBreakerMs) rmSync(breaker, { force: true });
    return;
  }
  try {
    const holder = findHolder(file);
    if (!holder || !isRunning(holder)) rmSync(file, { force: true });
  } finally {
    rmSync(breaker, { force: true });
  }
}

function computeAgeMs(file: string): number {
  try {
    return Date.now() - statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}
