/** How often the time is added up. */
const stepMs = 1_000;
/** A timer that is later than this was not delayed by work: the process or the machine was stopped. */
const maxDelayMs = 5_000;

/** The part of the passed time that counts if a timer was set for `expectedMs`: time in which the process was stopped does not. */
export function countRunningMs(passedMs: number, expectedMs: number): number {
  return passedMs > expectedMs + maxDelayMs ? expectedMs : passedMs;
}

/** Calls `onEnd` after this process has run for `limitMs`, whatever the clock of the machine shows. Returns what cancels the timer. */
export function startRunningTimer(limitMs: number, onEnd: () => void): () => void {
  let leftMs = limitMs;
  let timer: NodeJS.Timeout;
  const wait = () => {
    const from = performance.now();
    const expectedMs = Math.min(leftMs, stepMs);
    timer = setTimeout(() => {
      leftMs -= countRunningMs(performance.now() - from, expectedMs);
      if (leftMs <= 0) onEnd();
      else wait();
    }, expectedMs);
  };
  wait();
  return () => clearTimeout(timer);
}
