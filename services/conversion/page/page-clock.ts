/** Memory that a conversion thread and its caller share: the number of steps so far, and the page of the current one. */
export type PageClock = SharedArrayBuffer;

/** A page that a thread has worked on for longer than the limit. */
export interface SlowPage {
  pageNo: number;
}

const stepsAt = 0;
const pageAt = 1;
const lookEveryMs = 500;

export function createPageClock(): PageClock {
  return new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
}

/** Records that the thread begins to work on a page; 0 means work on no single page, which has no page limit. */
export function notePage(clock: PageClock, pageNo: number): void {
  const view = new Int32Array(clock);
  Atomics.store(view, pageAt, pageNo);
  Atomics.add(view, stepsAt, 1);
}

/**
 * Calls `onSlow` once when the thread stays on a page for longer than `limitMs`. The thread cannot report that itself: it is
 * busy. Returns a function that ends the watch.
 */
export function watchPages(clock: PageClock, limitMs: number, onSlow: (slow: SlowPage) => void): () => void {
  const view = new Int32Array(clock);
  let steps = 0;
  let since = Date.now();
  const timer = setInterval(
    () => {
      const now = Date.now();
      const pageNo = Atomics.load(view, pageAt);
      const current = Atomics.load(view, stepsAt);
      if (current !== steps || pageNo === 0) {
        steps = current;
        since = now;
      } else if (now - since > limitMs) {
        clearInterval(timer);
        onSlow({ pageNo });
      }
    },
    Math.min(lookEveryMs, limitMs),
  );
  timer.unref();
  return () => clearInterval(timer);
}
