import type { RunRecord } from '../services/run/run-record';
import type { ActivityDeps } from './deps';
import { removeExpired, settleRuns } from './sweep';

const run = (job_run_id: string, change: Partial<RunRecord> = {}) =>
  ({
    job_run_id,
    job_id: `job of ${job_run_id}`,
    status: 'RUNNING',
    created_at: '2026-01-01T00:00:00.000Z',
    ...change,
  }) as RunRecord;

test('runs whose workflow ended without a final state are settled and release their job; the others stay', async () => {
  const changed: string[] = [];
  const engine = { live: 'RUNNING', lost: undefined, killed: 'TERMINATED', cancelled: 'CANCELED' } as const;
  const records = Object.keys(engine).map((id) => run(id));
  const deps = {
    runs: { readStatus: async (id: string) => engine[id as keyof typeof engine] },
    runsStore: {
      listOpenRuns: async () => records,
      update: async (id: string, change: Partial<RunRecord>) => {
        changed.push(`${id} ${change.status}`);
        return run(id, change);
      },
      releaseJob: async (jobId: string) => void changed.push(`${jobId} free`),
    },
    // Of the dependencies only these are used.
  } as unknown as ActivityDeps;
  expect(await settleRuns(deps, '')).toEqual({ settled: 3 });
  expect(changed).toEqual([
    'lost CRASHED',
    'job of lost free',
    'killed CRASHED',
    'job of killed free',
    'cancelled CANCELED',
    'job of cancelled free',
  ]);
});

test('tables are removed after their time; documents of a job only when no run and no ledger entry needs them', async () => {
  const removed: string[] = [];
  const unfinished: Date[] = [];
  const swept: Date[] = [];
  const expired = ['over', 'remembered', 'in use'].map((id) => run(id));
  let asked = '';
  const deps = {
    retentionDays: 7,
    store: {
      removeUnfinished: async (before: Date) => {
        unfinished.push(before);
        return 1;
      },
    },
    uploads: {
      sweep: async (now: Date) => {
        swept.push(now);
        return 0;
      },
    },
    runsStore: {
      listExpiredRuns: async (before: string) => {
        asked = before;
        return expired;
      },
      noteTablesRemoved: async (id: string) => void removed.push(`noted ${id}`),
      isJobInUse: async (jobId: string) => jobId === 'job of in use',
    },
    services: {
      tables: { removeRun: async (id: string) => void removed.push(`tables of ${id}`) },
      ledger: { hasDocuments: async (jobId: string) => jobId === 'job of remembered' },
      files: { removePrefix: async (prefix: string) => void removed.push(prefix) },
    },
  } as unknown as ActivityDeps;
  expect(await removeExpired(deps)).toEqual({ runs: 3, jobs: 1, more: false });
  expect(Date.now() - Date.parse(asked)).toBeGreaterThanOrEqual(7 * 24 * 3_600_000);
  expect(swept).toHaveLength(1);
  expect(unfinished.map((before) => Math.round((Date.now() - before.getTime()) / 3_600_000))).toEqual([24]);
  expect(removed).toEqual([
    'tables of over',
    'noted over',
    'tables of remembered',
    'noted remembered',
    'tables of in use',
    'noted in use',
    'documents/job of over/',
    'graphs/job of over/',
  ]);
});
