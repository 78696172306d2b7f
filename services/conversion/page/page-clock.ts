import type { PageCount } from '../../../model/page/page-count';
import { countRunningMs } from '../../pacing/running-time';

/**
 * Memory that a conversion thread and its caller share: the number of steps so far, the page of the current one, and
 * the numbers of finished and requested pages.
 */
export type PageClock = SharedArrayBuffer;

/** A page that has taken a thread longer than the limit. */
export interface SlowPage {
  pageNo: number;
}

const stepsAt = 0;
const pageAt = 1;
const doneAt = 2;
const totalAt = 3;
const checkIntervalMs = 500;
/** More frequent reports would not help readers. */
const reportIntervalMs = 1_000;

/** Creates a clock that shows no page yet. */
export function createPageClock(): PageClock {
  return new SharedArrayBuffer(4 * Int32Array.BYTES_PER_ELEMENT);
}

/** Records that the thread begins to work on a page; 0 means work on no single page, which has no page limit. */
function notePage(clock: PageClock, pageNo: number): void {
  const view = new Int32Array(clock);
  Atomics.store(view, pageAt, pageNo);
  Atomics.add(view, stepsAt, 1);
}

/** Records how many pages of the document are done. */
function noteDone(clock: PageClock, done: number, total: number): void {
  const view = new Int32Array(clock);
  Atomics.store(view, totalAt, total);
  Atomics.store(view, doneAt, done);
}

/** The functions that a reader calls to record its progress. */
export function writePageClock(clock: PageClock) {
  return {
    onPage: (pageNo: number) => notePage(clock, pageNo),
    onPageDone: (done: number, total: number) => noteDone(clock, done, total),
  };
}

/**
 * Calls `onPages` when more pages are done than at the last call, at most once a second, and for the first time after a
 * second: nothing is reported about faster documents. Returns a function that ends the calls.
 */
export function watchDone(
  clock: PageClock,
  onPages: (pages: PageCount) => void,
  everyMs: number = reportIntervalMs,
): () => void {
  const view = new Int32Array(clock);
  let lastReported = -1;
  const timer = setInterval(() => {
    const [done, total] = [Atomics.load(view, doneAt), Atomics.load(view, totalAt)];
    if (total === 0 || done === lastReported) return;
    lastReported = done;
    onPages({ done, total });
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Calls `onSlow` once when the thread stays on a page for longer than `limitMs`. The thread is busy and cannot report
 * that itself. Returns a function that ends the watch.
 */
export function watchPages(clock: PageClock, limitMs: number, onSlow: (slow: SlowPage) => void): () => void {
  const view = new Int32Array(clock);
  let steps = 0;
  let waitedMs = 0;
  let last = performance.now();
  const intervalMs = Math.min(checkIntervalMs, limitMs);
  const timer = setInterval(() => {
    const now = performance.now();
    waitedMs += countRunningMs(now - last, intervalMs);
    last = now;
    const pageNo = Atomics.load(view, pageAt);
    const current = Atomics.load(view, stepsAt);
    if (current !== steps || pageNo === 0) {
      steps = current;
      waitedMs = 0;
    } else if (waitedMs > limitMs) {
      clearInterval(timer);
      onSlow({ pageNo });
    }
  }, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
