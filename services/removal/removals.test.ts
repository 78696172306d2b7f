import { AppError } from '../../model/errors';
import type { RemovalPlace } from '../../model/removal/wire';
import type { PlaceResult, RemovalRecord } from './records';
import { createRemovals, type RemovalsDeps, type RemovalStep } from './removals';

/** Everything in memory; each step returns the result that the test sets. */
function removalsWith(input: { isActive?: () => boolean; step?: RemovalStep; putTombstones?: () => void }) {
  const stored = new Map<string, RemovalRecord>();
  const forgotten: string[] = [];
  const stones: unknown[] = [];
  const step: RemovalStep = input.step ?? (async () => 1);
  const records = {
    get: async (id: string) => stored.get(id),
    create: async (record: RemovalRecord) => void stored.set(record.removal_id, record),
    note: async (id: string, place: RemovalPlace, result: PlaceResult) => {
      const record = stored.get(id);
      const removed = (record?.places[place]?.removed ?? 0) + result.removed;
      if (record) stored.set(id, { ...record, places: { ...record.places, [place]: { ...result, removed } } });
    },
    finish: async (id: string, at: string) => {
      const record = stored.get(id);
      if (record) stored.set(id, { ...record, state: 'DONE', finished_at: at });
    },
    open: async () => [...stored.values()].filter(({ state }) => state === 'WORKING'),
  };
  const deps = {
    records,
    tombstones: {
      put: async (all: unknown[]) => {
        input.putTombstones?.();
        stones.push(...all);
      },
    },
    ledger: { remove: async (_job: string, ids: readonly string[]) => void forgotten.push(...ids) },
    runs: { listOfJob: async () => [], isJobActive: async () => input.isActive?.() ?? false },
    steps: { indexes: step, tables: step },
    // Of the dependencies only these are used.
  } as unknown as RemovalsDeps;
  return { removals: createRemovals(deps), forgotten, stones };
}
const entry = { id: 'd', job_id: 'j', owner: 'alice' } as never;
const by = { user: 'alice', withinMs: 1_000 };

test('a removal is not done while a run of the job may still write, and the sweep repeats it', async () => {
  let isActive = true;
  const { removals, forgotten } = removalsWith({ isActive: () => isActive });
  const record = await removals.removeDocuments([entry], by);
  expect(record).toMatchObject({ state: 'WORKING', places: { indexes: { removed: 1 }, ledger: { state: 'waiting' } } });
  expect(forgotten).toEqual([]);
  isActive = false;
  expect(await removals.sweep(10)).toBe(0);
  expect(await removals.get(record.removal_id)).toMatchObject({ state: 'DONE', places: { indexes: { removed: 2 } } });
  expect(forgotten).toEqual(['d']);
});

test('a removal whose process died before writing its tombstones gets them from the sweep', async () => {
  let deaths = 1;
  const putTombstones = () => {
    if (deaths-- > 0) throw new Error('the process died');
  };
  const { removals, stones, forgotten } = removalsWith({ putTombstones });
  await expect(removals.removeDocuments([entry], by)).rejects.toThrow('died');
  expect([stones, forgotten]).toEqual([[], []]);
  expect(await removals.sweep(10)).toBe(0);
  expect(stones).toMatchObject([{ job_id: 'j', document_id: 'd', owner: 'alice' }]);
  expect(forgotten).toEqual(['d']);
});

test('a location that fails waits with its code, and the others continue', async () => {
  let calls = 0;
  const step: RemovalStep = async () => {
    calls += 1;
    if (calls === 1) throw new AppError('SEARCH_CONNECTION_FAILED', 'with a secret text');
    return 1;
  };
  const { removals } = removalsWith({ step });
  const record = await removals.removeDocuments([entry], by);
  expect(record.places).toMatchObject({
    indexes: { state: 'waiting', note: 'SEARCH_CONNECTION_FAILED; it is tried again.' },
    tables: { state: 'done', removed: 1 },
  });
  expect(record.state).toBe('WORKING');
});
