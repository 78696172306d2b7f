import type { PageCount } from '../../model/page/page-count';
import { createTaskProgress } from './progress';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function createProgress() {
  const writes: [string, [number, PageCount | undefined][]][] = [];
  const progress = createTaskProgress(
    {
      noteProgress: async () => undefined,
      noteReading: async (id, pages) => void writes.push([id, [...pages]]),
    },
    'process',
  );
  return { progress, writes };
}

test('page counts of all documents of a task are written together, once a second', () => {
  const { progress, writes } = createProgress();
  for (let done = 0; done <= 4; done += 1) {
    progress.notePages('t', 0, { done, total: 9 });
    progress.notePages('t', 7, { done: done + 1, total: 20 });
    jest.advanceTimersByTime(300);
  }
  jest.advanceTimersByTime(5_000);
  const last = new Map(writes.at(-1)?.[1]);
  expect(writes.length).toBe(2);
  expect([last.get(0), last.get(7)]).toEqual([
    { done: 4, total: 9 },
    { done: 5, total: 20 },
  ]);
});

test('a finished document is removed; a document that never reported pages causes no write', () => {
  const { progress, writes } = createProgress();
  progress.notePages('t', 1, undefined);
  jest.advanceTimersByTime(5_000);
  expect(writes).toEqual([]);
  progress.notePages('t', 1, { done: 1, total: 2 });
  jest.advanceTimersByTime(1_000);
  progress.notePages('t', 1, undefined);
  jest.advanceTimersByTime(1_000);
  expect(writes).toEqual([
    ['t', [[1, { done: 1, total: 2 }]]],
    ['t', [[1, undefined]]],
  ]);
});

test('a task that has ended writes no more pages', () => {
  const { progress, writes } = createProgress();
  progress.notePages('t', 0, { done: 1, total: 2 });
  progress.forget('t');
  jest.advanceTimersByTime(5_000);
  expect(writes).toEqual([]);
});
