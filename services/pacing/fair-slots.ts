/** Limits the number of concurrent callers. */
export interface FairSlots {
  /** Waits for a free slot and returns its release function. Rejects with the signal's reason. */
  take(key: string, signal: AbortSignal): Promise<() => void>;
  /** The number of callers that would get a slot before a new caller with this key; -1 if a slot is free. */
  countAhead(key: string): number;
  /** Changes the limit. Callers above a lower one keep their slots. */
  resize(count: number): void;
}

/**
 * Callers with the same key enter in order. Keys take turns, so a caller with another key waits for at most one round, however
 * many callers with the first key are waiting.
 */
export function createFairSlots(count: number): FairSlots {
  let limit = count;
  /** Negative while more callers have slots than a new limit allows. */
  let free = count;
  const waiting: Waiting = new Map();
  const release = () => {
    free += 1;
    fill();
  };
  const fill = () => {
    while (free > 0) {
      const next = takeFirst(waiting);
      if (!next) return;
      free -= 1;
      next();
    }
  };
  const createRelease = () => {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      release();
    };
  };
  return {
    resize(count) {
      free += count - limit;
      limit = count;
      fill();
    },
    countAhead(key) {
      if (free > 0) return -1;
      const own = waiting.get(key)?.length ?? 0;
      const others = [...waiting].map(([other, { length }]) => (other === key ? 0 : Math.min(length, own + 1)));
      return others.reduce((sum, count) => sum + count, own);
    },
    take(key, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error);
        if (free > 0) {
          free -= 1;
          return resolve(createRelease());
        }
        const enter = () => {
          signal.removeEventListener('abort', leave);
          resolve(createRelease());
        };
        const leave = () => {
          leaveQueue(waiting, key, enter);
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

/** Callers that wait, by key. The first key has the next turn. */
type Waiting = Map<string, (() => void)[]>;

/** Removes the caller whose turn it is. Its key moves to the end of the round. */
function takeFirst(waiting: Waiting): (() => void) | undefined {
  const [key, queue] = waiting.entries().next().value ?? [];
  if (key === undefined || !queue) return undefined;
  const next = queue.shift();
  waiting.delete(key);
  if (queue.length > 0) waiting.set(key, queue);
  return next;
}

function leaveQueue(waiting: Waiting, key: string, enter: () => void): void {
  const queue = waiting.get(key)?.filter((other) => other !== enter) ?? [];
  if (queue.length > 0) waiting.set(key, queue);
  else waiting.delete(key);
}
