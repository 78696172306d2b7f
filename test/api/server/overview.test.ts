import type { ApiServices } from '../../../api/services';
import { AppError } from '../../../model/errors';
import type { RunState } from '../../../model/run/run';
import type { Overview } from '../../../model/run/wire-overview';
import {
  alice,
  bob,
  carol,
  emptyState,
  memoryServices,
  sampleFlow,
  startApi,
  type TestApi,
} from '../../support/api/server';
import { runRecord } from '../../support/system/run-record';

/** The overview on Home covers the runs and flows of the caller only. */
let api: TestApi;
afterEach(() => api.close());

const flowId = '3f2c8a10-5b7d-4e6f-9a1b-2c3d4e5f6a7b';
const now = new Date().toISOString();
const stamps = { created_on: now, modified_on: now, created_by: 'alice', modified_by: 'alice' };

const wait = {
  operator: 'index',
  part: 'p00000',
  code: 'SEARCH_CONNECTION_FAILED',
  message: 'secret.example is unreachable',
  since: now,
};

async function start(change: (services: ReturnType<typeof memoryServices>) => Partial<ApiServices> = () => ({})) {
  const state = emptyState();
  state.flows.push({
    ...sampleFlow('reports'),
    flow_id: flowId,
    owner: alice.username,
    readers: [bob.username],
    flow_source: 'api',
    flow_version: '2.0',
    revision: 1,
    ...stamps,
  });
  const totals = { documents: 5, completed: 4, failed: 1, skipped: 0, deleted: 0, pages: 9 };
  const given = (job_run_id: string, status: RunState, ended_at: string | null) =>
    runRecord({ job_run_id, flow_id: flowId, job_id: flowId, status, totals, created_at: now, ended_at });
  state.runs.push(given('10000000-0000-4000-8000-000000000001', 'COMPLETED_WITH_ERRORS', now), {
    ...given('10000000-0000-4000-8000-000000000002', 'RUNNING', null),
    waiting: [wait],
  });
  state.schedules.push({
    schedule_id: '20000000-0000-4000-8000-000000000001',
    flow_id: flowId,
    owner: alice.username,
    cron: '0 6 * * *',
    timezone: 'UTC',
    note: '',
    configuration: {},
    created_at: now,
    state: 'active',
    next_runs: [],
    recent_runs: [],
    skipped_runs: 3,
  });
  const services = memoryServices(state, ['admins']);
  const usage = { model_requests: 2, model_input_tokens: 30, model_output_tokens: 5, model_cost: 0.25 };
  api = await startApi(
    {
      ...services,
      runs: {
        ...services.runs,
        readStatus: async () => 'RUNNING',
      },
      runsStore: {
        ...services.runsStore,
        readOperatorStats: async (id) =>
          (await services.runsStore.readOperatorStats(id)).map((stats) => ({ ...stats, metrics: usage })),
      },
      accessSyncs: {
        ...services.accessSyncs,
        listByFlow: async () => [
          {
            job_id: flowId,
            flow_id: flowId,
            run_id: '10000000-0000-4000-8000-000000000001',
            every_minutes: 5,
            closes_after_minutes: 30,
            synced_at: new Date(Date.now() - 3_601_000).toISOString(),
            tried_at: now,
            error: { at: now, code: 'SOURCE_CONNECTION_FAILED', message: 'away' },
          },
        ],
      },
      ...change(services),
    },
    { adminGroups: ['admins'] },
  );
}

const getOverview = async (user: typeof alice) => {
  const { status, body } = await api.call('GET', '/api/v1/overview', { user });
  expect(status).toBe(200);
  return body as unknown as Overview;
};

test('the owner sees waiting runs, skipped schedules, stale access lists, and the throughput and cost of the day', async () => {
  await start();
  const { waiting, skipping_schedules, stale_access, day, models } = await getOverview(alice);
  expect(waiting).toEqual([expect.objectContaining({ operator: 'index', code: 'SEARCH_CONNECTION_FAILED' })]);
  expect(skipping_schedules).toEqual([expect.objectContaining({ flow_id: flowId, skipped_runs: 3 })]);
  expect(stale_access).toEqual([
    expect.objectContaining({ flow_id: flowId, is_closed: true, code: 'SOURCE_CONNECTION_FAILED' }),
  ]);
  expect(stale_access[0]?.age_seconds).toBeGreaterThanOrEqual(3_600);
  expect(day).toMatchObject({ runs: 2, is_complete: true, documents_completed: 8, documents_failed: 2, pages: 18 });
  expect(day.hours).toHaveLength(24);
  expect(day.hours.reduce((sum, { documents_completed: count }) => sum + count, 0)).toBe(8);
  expect(models).toMatchObject({ requests: 4, input_tokens: 60, output_tokens: 10, cost: 0.5 });
  expect(models.flows).toEqual([expect.objectContaining({ flow_id: flowId, requests: 4 })]);
});

test('a reader of the flow sees nothing of its runs, schedules and access lists; an administrator sees all', async () => {
  await start();
  expect(await getOverview(bob)).toMatchObject({
    waiting: [],
    skipping_schedules: [],
    stale_access: [],
    day: { runs: 0, documents_completed: 0 },
    models: { requests: 0, flows: [] },
  });
  const seenByAdmin = await getOverview(carol);
  expect(seenByAdmin).toMatchObject({ day: { runs: 2 }, models: { requests: 4 } });
  // The address may be that of a document.
  expect(seenByAdmin.waiting).toEqual([expect.objectContaining({ code: 'SEARCH_CONNECTION_FAILED' })]);
  expect(JSON.stringify(seenByAdmin)).not.toContain('secret.example');
});

test('without Temporal, schedules are unknown rather than fine', async () => {
  await start((services) => ({
    schedules: {
      ...services.schedules,
      listByFlows: () => Promise.reject(new AppError('WORKFLOW_ENGINE_UNAVAILABLE', 'Temporal is unavailable.')),
    },
  }));
  expect(await getOverview(alice)).toMatchObject({ skipping_schedules: null, day: { runs: 2 } });
});
