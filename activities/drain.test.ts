import type { InstallationRecord } from '../services/installation/record';
import { waitUntilDrained } from './drain';

const record = (created_at: Date): InstallationRecord => ({
  identity: 'abc',
  created_at: created_at.toISOString(),
  had_work: true,
  store_marked: true,
  drained: false,
});

function drain(counts: (number | Error)[], created: Date, minMs: number) {
  const told: string[] = [];
  const looked: number[] = [];
  const records = {
    find: async () => undefined,
    ensure: async () => record(created),
    set: async (change: object) => void told.push(JSON.stringify(change)),
  };
  const queues = {
    moveSchedules: async () => undefined,
    countRunning: async () => {
      const next = counts.shift() ?? 0;
      looked.push(Date.now());
      if (next instanceof Error) throw next;
      return next;
    },
    close: async () => undefined,
  };
  const signal = new AbortController().signal;
  const done = waitUntilDrained({ record: record(created), records, queues, warn: (value) => told.push(value), signal, pauseMs: 1, minMs }); // prettier-ignore
  return { done, told, looked };
}

test('the queues count as drained after two empty checks in a row; a failed check starts the count again', async () => {
  const { done, told, looked } = drain([2, 0, new Error('away'), 0, 1, 0, 0], new Date(0), 1);
  await done;
  expect(looked).toHaveLength(7);
  expect(told).toEqual([expect.stringContaining('away'), '{"drained":true}']);
});

test('they are polled for the minimum time even when nothing runs on them', async () => {
  const created = new Date();
  const { done, looked } = drain([], created, 60);
  await done;
  expect(looked.length).toBeGreaterThan(2);
  expect(looked.at(-1)).toBeGreaterThanOrEqual(created.getTime() + 60);
});

test('an ended process stops waiting', async () => {
  const stopping = new AbortController();
  const never = async () => {
    throw new Error('asked');
  };
  const waiting = waitUntilDrained({
    record: record(new Date()),
    records: { find: never, ensure: never, set: never },
    queues: { moveSchedules: never, countRunning: never, close: never },
    warn: () => undefined,
    signal: stopping.signal,
  });
  stopping.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
});
