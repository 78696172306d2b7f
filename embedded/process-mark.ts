import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process and when it started, so that a number that the system gave out again is not mistaken for it. */
export interface ProcessMark {
  pid: number;
  /** Opaque; equal for the same process only. Empty where the system does not tell. */
  started: string;
}

/** The mark of a running process; for a process that is gone `started` is empty. */
export function markOf(pid: number): ProcessMark {
  return { pid, started: startOf(pid) };
}

/** True while exactly this process runs; a zombie does not. */
export function isRunning(mark: ProcessMark): boolean {
  if (!Number.isInteger(mark.pid) || mark.pid <= 0) return false;
  try {
    process.kill(mark.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const started = startOf(mark.pid);
  if (started === 'zombie') return false;
  return mark.started === '' || started === '' || started === mark.started;
}

function startOf(pid: number): string {
  if (process.platform === 'linux') return startFromProc(pid);
  const ps = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return ps.status === 0 ? ps.stdout.trim() : '';
}

function startFromProc(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the name in parentheses and may hold anything, so count from its end: state is field 3, start time field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? 'zombie' : `${bootId()}:${fields[19] ?? ''}`;
  } catch {
    return '';
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8);
  } catch {
    return '';
  }
}
