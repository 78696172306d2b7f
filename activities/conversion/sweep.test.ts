import type { TaskSummary } from '../../services/conversion/record';
import type { ConvertDeps } from './deps';
import { sweepConversions } from './sweep';

const now = new Date('2026-03-10T12:00:00Z');

/** Tasks by id: when they were made, and when they ended. */
function getDeps(
  tasks: Record<string, { created: string; ended?: string; key?: string }>,
  keys: string[] = [],
  queue: Record<string, string[]> = {},
) {
  const changes: string[] = [];
  const records = Object.entries(tasks).map(([id, { created, ended, key }]) => ({
    _id: id,
    ...(key === undefined ? {} : { idempotency_key: key }),
    created_at: new Date(created),
    ended_at: ended ? new Date(ended) : null,
    state: ended ? 'success' : 'pending',
  })) as TaskSummary[];
  const store = {
    get: async (id: string) => records.find(({ _id }) => _id === id),
    getMany: async (ids: readonly string[]) => records.filter(({ _id }) => ids.includes(_id)),
    listOpen: async (before: Date) => records.filter(({ ended_at, created_at }) => !ended_at && created_at < before),
    listEnded: async (before: Date) => records.filter(({ ended_at }) => ended_at && ended_at <= before),
    end: async (id: string) => {
      changes.push(`ended ${id}`);
      return { task: undefined, ended: true };
    },
    remove: async (id: string) => void changes.push(`forgot ${id}`),
  };
  const queues = {
    listTenants: async () => Object.keys(queue),
    listWaiting: async (tenant: string) => queue[tenant] ?? [],
    leave: async (tenant: string, id: string) => void changes.push(`${id} left ${tenant}`),
  };
  const files = { removePrefix: async (prefix: string) => void changes.push(`removed ${prefix}`) };
  const deps = {
    store: { ...store, queues },
    files,
    settings: { maxFileSize: 0, maxPages: 0, retentionMs: 24 * 3_600_000 },
    keysBelow: async function* () {
      yield* keys;
    },
    // Of the dependencies only these are used.
  } as unknown as ConvertDeps;
  return { deps, changes };
}

test('tasks and their results are removed after the retention, fetched or not; younger ones stay', async () => {
  const { deps, changes } = getDeps({
    old: { created: '2026-03-08', ended: '2026-03-09T11:59:00Z' },
    young: { created: '2026-03-08', ended: '2026-03-09T12:01:00Z' },
  });
  const readStatus = async () => 'RUNNING' as const;
  expect(await sweepConversions(deps, { readStatus }, now)).toEqual({ settled: 0, removed: 1, more: false });
  expect(changes).toEqual(['removed conversions/old/', 'forgot old']);
});

test('a task whose workflow no longer exists is ended; running and new tasks are not', async () => {
  const { deps, changes } = getDeps({
    lost: { created: '2026-03-10T11:00:00Z' },
    running: { created: '2026-03-10T11:00:00Z' },
    new: { created: '2026-03-10T11:59:30Z' },
  });
  const readStatus = async (id: string) => (id === 'running' ? ('RUNNING' as const) : undefined);
  expect((await sweepConversions(deps, { readStatus }, now)).settled).toBe(1);
  expect(changes).toEqual(['ended lost']);
});

test('a task without a workflow stays pending for ten minutes while its request may be repeated', async () => {
  const { deps, changes } = getDeps({
    repeated: { created: '2026-03-10T11:51:00Z', key: 'k1' },
    terminated: { created: '2026-03-10T11:51:00Z', key: 'k2' },
    given_up: { created: '2026-03-10T11:49:00Z', key: 'k3' },
    without_key: { created: '2026-03-10T11:51:00Z' },
  });
  const readStatus = async (id: string) => (id === 'terminated' ? ('CANCELED' as const) : undefined);
  await sweepConversions(deps, { readStatus }, now);
  expect(changes).toEqual(['ended terminated', 'ended given_up', 'ended without_key']);
});

test('uploads of a day ago are removed unless their task is open', async () => {
  const { deps, changes } = getDeps(
    { open: { created: '2026-03-10T11:59:30Z' }, over: { created: '2026-03-09', ended: '2026-03-10T11:00:00Z' } },
    [
      'uploads/2026-03-09T10/open/0',
      'uploads/2026-03-09T10/over/0',
      'uploads/2026-03-09T10/never/0',
      'uploads/2026-03-09T10/never/1',
      'uploads/2026-03-10T11/fresh/0',
    ],
  );
  await sweepConversions(deps, { readStatus: async () => 'RUNNING' as const }, now);
  expect(changes).toEqual(['removed uploads/2026-03-09T10/over/', 'removed uploads/2026-03-09T10/never/']);
});

test('a caller that stops waiting leaves the queue', async () => {
  const tasks = { waits: { created: '2026-03-10T11:59:30Z' }, over: { created: '2026-03-10', ended: '2026-03-10' } };
  const { deps, changes } = getDeps(tasks, [], { mine: ['waits', 'over'], theirs: ['never'], idle: [] });
  await sweepConversions(deps, { readStatus: async () => 'RUNNING' as const }, now);
  expect(changes).toEqual(['over left mine', 'never left theirs']);
});
