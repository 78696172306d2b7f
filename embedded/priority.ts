import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** As `nice` counts: 19 gives way to all. */
const behindOthers = 5;

/**
 * Lets other processes go first whenever they have something to do: what converts documents takes every processor for as long as
 * it likes, and whoever asks the api would wait for it. Without effect where the system does not allow it.
 */
export function giveWay(pid: number): void {
  attempt(() => setPriority(pid, behindOthers));
  // Linux shares processors among sessions first, and a process that is started apart has a session of its own.
  if (process.platform === 'linux') attempt(() => writeFileSync(`/proc/${pid}/autogroup`, String(behindOthers)));
}

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // It works all the same, only slower to answer.
  }
}
