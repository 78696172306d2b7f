import type { PageCount } from '../../../model/page/page-count';
import { createPageClock, type SlowPage, watchDone, watchPages, writePageClock } from './page-clock';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('pages are reported at most once a second, after the first second, and only when more are done', () => {
  const clock = createPageClock();
  const reader = writePageClock(clock);
  const reports: PageCount[] = [];
  const stop = watchDone(clock, (pages) => reports.push(pages));
  jest.advanceTimersByTime(1_000);
  expect(reports).toEqual([]);
  for (let done = 0; done <= 400; done += 1) {
    reader.onPageDone(done, 1_000);
    jest.advanceTimersByTime(5);
  }
  expect(reports).toEqual([
    { done: 199, total: 1_000 },
    { done: 399, total: 1_000 },
  ]);
  jest.advanceTimersByTime(60_000);
  expect(reports.slice(2)).toEqual([{ done: 400, total: 1_000 }]);
  stop();
  reader.onPageDone(500, 1_000);
  jest.advanceTimersByTime(60_000);
  expect(reports).toHaveLength(3);
});

test('a document whose first page takes long is reported with no pages done', () => {
  const clock = createPageClock();
  writePageClock(clock).onPageDone(0, 12);
  const reports: PageCount[] = [];
  const stop = watchDone(clock, (pages) => reports.push(pages));
  jest.advanceTimersByTime(10_000);
  stop();
  expect(reports).toEqual([{ done: 0, total: 12 }]);
});

test('a page is slow after the limit, and not because the clock of the machine was set', () => {
  const clock = createPageClock();
  const reader = writePageClock(clock);
  const slow: SlowPage[] = [];
  const stop = watchPages(clock, 10_000, (page) => slow.push(page));
  reader.onPage(7);
  jest.advanceTimersByTime(5_000);
  jest.setSystemTime(Date.now() + 3_600_000);
  jest.advanceTimersByTime(5_000);
  expect(slow).toEqual([]);
  jest.advanceTimersByTime(2_000);
  expect(slow).toEqual([{ pageNo: 7 }]);
  stop();
});
