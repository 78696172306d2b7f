import type { IdentityMapRecord } from '../../services/identity/maps';
import { listDueSyncs, startDueSyncs } from './due-syncs';

const now = new Date('2026-03-01T12:00:00.000Z');
const createMap = (map_id: string, synced_at?: string) => ({ map_id, state: { synced_at } }) as IdentityMapRecord;

test('maps are due that were never synchronized, or long ago, or in the future of a clock that was set back', async () => {
  const maps = [
    createMap('never'),
    createMap('now', '2026-03-01T11:56:00.000Z'),
    createMap('old', '2026-03-01T11:55:00.000Z'),
    createMap('other machine', '2026-03-01T12:00:02.000Z'),
    createMap('future', '2026-03-01T13:00:00.000Z'),
  ];
  const due = await listDueSyncs(
    { identityMaps: { list: async () => maps }, accessSyncs: { listDue: async () => ['job'] } },
    now,
  );
  expect(due).toEqual({ maps: ['never', 'old', 'future'], jobs: ['job'] });
});

test('a workflow starts only when something is due, also after the database or Temporal was away', async () => {
  const stopping = new AbortController();
  const steps: string[] = [];
  const warnings: unknown[] = [];
  const listings: (() => Promise<string[]>)[] = [
    async () => [],
    async () => {
      throw new Error('the database is away');
    },
    async () => ['job'],
    async () => [],
  ];
  await startDueSyncs(
    {
      identityMaps: { list: async () => [] },
      accessSyncs: {
        listDue: async () => {
          const list = listings.shift();
          steps.push('ask');
          if (listings.length === 0) stopping.abort();
          return list ? list() : [];
        },
      },
      dueSyncs: {
        start: async () => void steps.push('start'),
        removeSchedule: async () => void steps.push('remove'),
        close: async () => void steps.push('close'),
      },
      log: { warn: (facts: unknown) => void warnings.push(facts) },
    },
    stopping.signal,
    1,
  );
  expect(steps).toEqual(['ask', 'remove', 'ask', 'ask', 'start', 'ask', 'close']);
  expect(warnings).toEqual([{ error: 'the database is away' }]);
});

test('syncs start although Temporal refuses to remove the schedule, and a connection that cannot be closed fails nothing', async () => {
  const stopping = new AbortController();
  let starts = 0;
  const refuse = async () => {
    throw new Error('refused');
  };
  await startDueSyncs(
    {
      identityMaps: { list: async () => [] },
      accessSyncs: { listDue: async () => ['job'] },
      dueSyncs: {
        start: async () => {
          starts += 1;
          if (starts === 2) stopping.abort();
        },
        removeSchedule: refuse,
        close: refuse,
      },
      log: { warn: () => undefined },
    },
    stopping.signal,
    1,
  );
  expect(starts).toBe(2);
}, 2_000);
