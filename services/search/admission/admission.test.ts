import type { AppError } from '../../../model/errors';
import { createAdmission } from './admission';

const never = () => new AbortController().signal;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Searches that each take this long. Returns the names in the order in which their turns end, and the refusals. */
function createSearches(limit: number, searchMs: number) {
  const admission = createAdmission(limit);
  const done: string[] = [];
  const refused: { name: string; error: unknown; afterMs: number }[] = [];
  let running = 0;
  let most = 0;
  const search = async (user: string, name = user, signal = never()) => {
    const startedAt = performance.now();
    try {
      const leave = await admission.enter(user, signal);
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, searchMs));
      running -= 1;
      leave();
      done.push(name);
    } catch (error) {
      refused.push({ name, error, afterMs: performance.now() - startedAt });
    }
  };
  return { search, done, refused, most: () => most };
}

test('at most the limit runs at a time, and users take turns', async () => {
  const { search, done, refused, most } = createSearches(2, 10);
  for (let index = 0; index < 50; index += 1) void search('many', `many ${index}`);
  void search('one');
  await jest.advanceTimersByTimeAsync(1_000);
  expect(most()).toBe(2);
  expect(done.indexOf('one')).toBeLessThan(5);
  expect([done.length, refused.length]).toEqual([51, 0]);
});

test('a search that would wait too long is refused at once, with the time after which it may be repeated', async () => {
  const { search, done, refused } = createSearches(2, 1_000);
  // The duration of searches is learned from them.
  for (let index = 0; index < 40; index += 1) {
    void search('warm');
    await jest.advanceTimersByTimeAsync(1_000);
  }
  for (let index = 0; index < 100; index += 1) void search('many', `many ${index}`);
  await jest.advanceTimersByTimeAsync(0);
  const atOnce = refused.length;
  expect(atOnce).toBeGreaterThan(80);
  expect(refused[0]).toMatchObject({ afterMs: 0, error: { code: 'SEARCH_BUSY', status: 503 } });
  const waits = refused.map(({ error }) => (error as AppError).details.retryAfterMs ?? 0);
  expect(Math.min(...waits)).toBeGreaterThan(3_000);
  // One after the other: two at a time for a second each.
  expect((waits[10] ?? 0) - (waits[0] ?? 0)).toBeGreaterThan(4_000);
  expect((waits[10] ?? 0) - (waits[0] ?? 0)).toBeLessThan(6_000);
  expect(Math.max(...waits)).toBeLessThanOrEqual(60_000);
  // Another user is still admitted, at the cost of at most one of those who have waited.
  void search('another');
  await jest.advanceTimersByTimeAsync(10_000);
  expect(done).toContain('another');
  expect(refused.length - atOnce).toBeLessThanOrEqual(1);
});

test('a slow engine gets fewer searches at a time, so that those admitted end in time; a fast one gets the limit again', async () => {
  const admission = createAdmission(128);
  let searchMs = 50;
  let freeAt = 0;
  let running = 0;
  let most = 0;
  let endsAt = 30_000;
  const totals: number[] = [];
  const keepSearching = async (user: string) => {
    while (performance.now() < endsAt) {
      const startedAt = performance.now();
      const leave = await admission.enter(user, never()).catch((error: unknown) => error as AppError);
      if (typeof leave !== 'function') {
        await new Promise((resolve) => setTimeout(resolve, leave.details.retryAfterMs));
        continue;
      }
      most = Math.max(most, (running += 1));
      // The engine works on one search after the other.
      freeAt = Math.max(freeAt, performance.now()) + searchMs;
      await new Promise((resolve) => setTimeout(resolve, freeAt - performance.now()));
      running -= 1;
      leave();
      totals.push(performance.now() - startedAt);
    }
  };
  const searchFor = async (ms: number) => {
    endsAt = performance.now() + ms;
    const all = Array.from({ length: 500 }, (_, index) => keepSearching(`user ${index}`));
    await jest.advanceTimersByTimeAsync(ms + 70_000);
    await Promise.all(all);
  };
  await searchFor(30_000);
  expect(Math.max(...totals)).toBeLessThan(8_000);
  expect(totals.length).toBeGreaterThan(500);
  searchMs = 5;
  most = 0;
  await searchFor(10_000);
  expect(most).toBe(128);
});

test('searches whose callers leave early do not make a slow engine seem fast', async () => {
  const admission = createAdmission(128);
  const leaving = Array.from({ length: 200 }, async () => {
    const gone = new AbortController();
    const leave = await admission.enter('types', gone.signal);
    gone.abort();
    leave();
  });
  await Promise.all(leaving);
  let running = 0;
  for (let index = 0; index < 128; index += 1)
    void admission.enter('others', never()).then(
      () => (running += 1),
      () => undefined,
    );
  await jest.advanceTimersByTimeAsync(0);
  expect(running).toBe(16);
});

test('searches that wait elsewhere while the engine is fast do not make it seem slow', async () => {
  const admission = createAdmission(32);
  const search = async (tookMs: number, engineMs: number | undefined, gone?: AbortController) => {
    const leave = await admission.enter('anna', gone?.signal ?? never());
    await jest.advanceTimersByTimeAsync(tookMs);
    gone?.abort();
    leave(engineMs);
  };
  const countRunning = async () => {
    const left: (() => void)[] = [];
    for (let index = 0; index < 40; index += 1)
      void admission.enter('bob', never()).then(
        (leave) => left.push(() => leave(2_000)),
        () => undefined,
      );
    await jest.advanceTimersByTimeAsync(0);
    const running = left.length;
    await jest.advanceTimersByTimeAsync(6_000);
    for (const leave of left) leave();
    return running;
  };
  for (let index = 0; index < 16; index += 1) await search(5_000, 10);
  expect(await countRunning()).toBe(32);
  // Nor do those whose callers gave up waiting make it seem fast.
  for (let index = 0; index < 16; index += 1) await search(5_000, 4_000);
  for (let index = 0; index < 16; index += 1) await search(9_000, 10, new AbortController());
  expect(await countRunning()).toBe(16);
});

test('while the engine hangs, nobody waits longer than five seconds, and afterwards searches are admitted again', async () => {
  const admission = createAdmission(1);
  const leave = await admission.enter('first', never());
  const waiting = admission.enter('second', never()).catch((error: unknown) => error);
  await jest.advanceTimersByTimeAsync(5_000);
  await expect(waiting).resolves.toMatchObject({ code: 'SEARCH_BUSY' });
  leave();
  const next = await admission.enter('third', never());
  next();
});

test('a caller that leaves the queue makes room for the next one, and does not take a turn', async () => {
  const admission = createAdmission(1);
  const leave = await admission.enter('first', never());
  const gone = new AbortController();
  const left = admission.enter('second', gone.signal).catch((error: unknown) => error);
  const third = admission.enter('third', never());
  gone.abort(new Error('gone'));
  await expect(left).resolves.toThrow('gone');
  leave();
  (await third)();
  await expect(admission.enter('second', gone.signal)).rejects.toThrow('gone');
  (await admission.enter('fourth', never()))();
});
