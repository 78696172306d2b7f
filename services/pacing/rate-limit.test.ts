import { createRateLimit } from './rate-limit';

const never = new AbortController().signal;

describe('a rate limit', () => {
  test('lets the requests of one minute through at once, then one after another, in order', async () => {
    let now = 0;
    const waits: number[] = [];
    const limit = createRateLimit(
      60,
      () => now,
      (ms) => Promise.resolve(void waits.push(ms)),
    );
    await limit.take(60, never);
    expect(waits).toEqual([]);
    await limit.take(1, never);
    await limit.take(1, never);
    expect(waits).toEqual([1_000, 2_000]);
    now = 62_000;
    await limit.take(58, never);
    expect(waits).toHaveLength(2);
  });

  test('setting the clock of the machine back does not stop the requests', async () => {
    jest.useFakeTimers();
    const waits: number[] = [];
    const limit = createRateLimit(60, undefined, (ms) => Promise.resolve(void waits.push(ms)));
    jest.setSystemTime(Date.now() - 3_600_000);
    await limit.take(1, never);
    jest.useRealTimers();
    expect(waits).toEqual([]);
  });

  test('more than one minute of requests waits for one minute, not forever', async () => {
    const waits: number[] = [];
    const limit = createRateLimit(
      10,
      () => 0,
      (ms) => Promise.resolve(void waits.push(ms)),
    );
    await limit.take(1_000, never);
    await limit.take(1_000, never);
    expect(waits).toEqual([60_000]);
  });
});
