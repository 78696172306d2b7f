import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** A nice value: 19 is the lowest priority. */
const behindOthers = 5;

/**
 * Lowers the priority of a process. Conversions use every processor for a long time, and requests to the api would wait for them.
 * Does nothing if the system does not allow it.
 */
export function lowerPriority(pid: number): void {
  attempt(() => setPriority(pid, behindOthers));
  // Linux schedules sessions first, and a detached process has its own session.
  if (process.platform === 'linux') attempt(() => writeFileSync(`/proc/${pid}/autogroup`, String(behindOthers)));
}

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // The process works without this, but the api answers more slowly.
  }
}
