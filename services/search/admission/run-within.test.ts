import type { SearchConnection } from '../connection';
import { runWithin } from './run-within';
import { createStopwatch } from './stopwatch';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const call = { method: 'GET', path: '/' } as const;

test('the turn ends with the time of the calls, not that of waits for something else', async () => {
  const connection = {
    address: '',
    send: () => sleep(20).then(() => ({ status: 200, body: {} })),
    close: async () => undefined,
  } as unknown as SearchConnection;
  const ends: (number | undefined)[] = [];
  const work = async (send: (call: { method: 'GET'; path: string }) => Promise<unknown>) => {
    await Promise.all([send(call), send(call), sleep(4_000)]);
    await send(call);
  };
  const done = runWithin(connection, work, { enter: async () => (engineMs) => ends.push(engineMs) });
  await jest.advanceTimersByTimeAsync(5_000);
  await done;
  expect(ends).toEqual([40]);
});

test('calls that overlap count once, failed ones and those that still run count as well', async () => {
  const stopwatch = createStopwatch();
  void stopwatch.measure(() => sleep(100));
  await jest.advanceTimersByTimeAsync(50);
  const failed = stopwatch
    .measure(() => sleep(100).then(() => Promise.reject(new Error('lost'))))
    .catch(() => undefined);
  await jest.advanceTimersByTimeAsync(200);
  await failed;
  expect(stopwatch.totalMs()).toBe(150);
  void stopwatch.measure(() => sleep(1_000));
  await jest.advanceTimersByTimeAsync(10);
  expect(stopwatch.totalMs()).toBe(160);
});
