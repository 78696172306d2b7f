import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process id with its start time, because the system reuses ids. */
export interface ProcessMark {
  pid: number;
  /** Opaque; equal only for the same process. Empty if the system does not report it. */
  started: string;
}

/** The mark of a running process; `started` is empty for a process that has ended. */
export function buildMark(pid: number): ProcessMark {
  return { pid, started: readStartTime(pid) };
}

/** True while this exact process is running; false for a zombie. */
export function isRunning(mark: ProcessMark): boolean {
  if (!Number.isInteger(mark.pid) || mark.pid <= 0) return false;
  try {
    process.kill(mark.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const started = readStartTime(mark.pid);
  if (started === 'zombie') return false;
  return mark.started === '' || started === '' || started === mark.started;
}

function readStartTime(pid: number): string {
  if (process.platform === 'linux') return readProcStartTime(pid);
  const ps = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return ps.status === 0 ? ps.stdout.trim() : '';
}

function readProcStartTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Field 2 is the name in parentheses, which may contain anything, so count from its end: state is field 3, start time field
    // 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? 'zombie' : `${readBootId()}:${fields[19] ?? ''}`;
  } catch {
    return '';
  }
}

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8);
  } catch {
    return '';
  }
}
