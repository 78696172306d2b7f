import { setMaxListeners } from 'node:events';
import { createFairSlots } from './fair-slots';

const never = new AbortController().signal;
// Many callers wait with this signal.
setMaxListeners(0, never);

/** Callers that record when they enter; `leave` frees the slot of the first to enter. */
function callers(count: number) {
  const slots = createFairSlots(count);
  const entered: string[] = [];
  const releases: (() => void)[] = [];
  const call = (key: string, name: string, signal = never) =>
    slots.take(key, signal).then((release) => {
      entered.push(name);
      releases.push(release);
    });
  const leave = async () => {
    releases.shift()?.();
    await new Promise(setImmediate);
  };
  return { call, leave, entered };
}

test('at most as many callers enter as there are slots, and callers with one key enter in order', async () => {
  const { call, leave, entered } = callers(2);
  for (const name of ['a', 'b', 'c', 'd']) void call('one', name);
  await new Promise(setImmediate);
  expect(entered).toEqual(['a', 'b']);
  await leave();
  await leave();
  expect(entered).toEqual(['a', 'b', 'c', 'd']);
});

test('a new key does not wait for everything that another key has queued', async () => {
  const { call, leave, entered } = callers(1);
  for (let index = 0; index < 100; index += 1) void call('large', `large ${index}`);
  void call('small', 'small');
  await new Promise(setImmediate);
  await leave();
  await leave();
  expect(entered).toEqual(['large 0', 'large 1', 'small']);
});

test('a caller that stops waiting is skipped, and a slot freed twice is free once', async () => {
  const slots = createFairSlots(1);
  const stop = new AbortController();
  const release = await slots.take('a', never);
  const abandoned = slots.take('a', stop.signal);
  const next = slots.take('b', never);
  stop.abort(new Error('enough'));
  await expect(abandoned).rejects.toThrow('enough');
  release();
  release();
  await next;
  const later = slots.take('c', AbortSignal.timeout(20));
  await expect(later).rejects.toMatchObject({ name: 'TimeoutError' });
});
