/** Lets a number of callers in at a time. */
export interface FairSlots {
  /** Waits for a free slot; rejects with the signal's reason. Gives what frees the slot again. */
  take(key: string, signal: AbortSignal): Promise<() => void>;
}

/**
 * Callers of one key enter in order; keys take turns, so that a caller of another key waits for one round at most, however
 * many of the first are waiting.
 */
export function createFairSlots(count: number): FairSlots {
  let free = count;
  const waiting = new Map<string, (() => void)[]>();
  const leaveQueue = (key: string, enter: () => void) => {
    const queue = waiting.get(key)?.filter((other) => other !== enter) ?? [];
    if (queue.length > 0) waiting.set(key, queue);
    else waiting.delete(key);
  };
  const release = () => {
    const [key, queue] = waiting.entries().next().value ?? [];
    const next = queue?.shift();
    if (key === undefined || !queue || !next) {
      free += 1;
      return;
    }
    // The key goes to the end of the round.
    waiting.delete(key);
    if (queue.length > 0) waiting.set(key, queue);
    next();
  };
  const once = () => {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      release();
    };
  };
  return {
    take(key, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error);
        if (free > 0) {
          free -= 1;
          return resolve(once());
        }
        const enter = () => {
          signal.removeEventListener('abort', leave);
          resolve(once());
        };
        const leave = () => {
          leaveQueue(key, enter);
          reject(signal.reason as Error);
        };
        const queue = waiting.get(key);
        if (queue) queue.push(enter);
        else waiting.set(key, [enter]);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
