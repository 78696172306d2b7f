import { setTimeout as delay } from 'node:timers/promises';
import { startRunningTimer } from './running-time';

/** Longer than any delay that counts. */
const stoppedMs = 6_500;

function stopThisThread(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stoppedMs);
}

test('time in which the process was stopped does not count', async () => {
  let ended = false;
  const began = performance.now();
  const end = new Promise<void>((resolve) =>
    startRunningTimer(1_500, () => {
      ended = true;
      resolve();
    }),
  );
  stopThisThread();
  await delay(100);
  expect(ended).toBe(false);
  await end;
  expect(performance.now() - began).toBeGreaterThan(stoppedMs + 400);
}, 20_000);

test('a timer ends after its time, and not if it is cancelled', async () => {
  const began = performance.now();
  let cancelled = true;
  startRunningTimer(20, () => (cancelled = false))();
  await new Promise<void>((resolve) => startRunningTimer(1_100, resolve));
  expect(performance.now() - began).toBeGreaterThanOrEqual(1_099);
  expect(cancelled).toBe(true);
});
