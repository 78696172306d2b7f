import { randomUUID } from 'node:crypto';
import type { User } from '../../../model/access';
import type { AuditEntry } from '../../../model/audit/entry';
import type { ApiKeyCreated, KeyScope } from '../../../model/login/wire-keys';
import type { BulkReply } from '../../../model/wire-bulk';
import { alice, bob, carol, sampleFlow, startApi, type TestApi } from '../../support/api/server';

let api: TestApi;
let flow: string;
beforeEach(async () => {
  api = await startApi({}, { adminGroups: ['admins'] });
  flow = (await made<{ flow_id: string }>('/flows', sampleFlow('flow'))).flow_id;
});
afterEach(() => api.close());

async function made<T>(path: string, body: object, user: User = alice): Promise<T> {
  const reply = await api.call('POST', `/api/v1${path}`, { user, body });
  expect(reply.status).toBe(201);
  return reply.body;
}
const run = async () => (await made<{ job_run_id: string }>('/job_runs', { flow_id: flow })).job_run_id;
const schedule = async () => {
  const { schedule_id } = await made<{ schedule_id: string }>(`/flows/${flow}/schedules`, { cron: '0 6 * * *' });
  return { flow_id: flow, schedule_id };
};
const set = async (name: string) => (await made<{ id: string }>('/document-sets', { name })).id;
const bulk = async (value: string, body: object, user: User = alice) =>
  (await api.call('POST', `/api/v1/${value}/bulk`, { user, body })) as { status: number; body: BulkReply };
const outcomes = ({ body }: { body: BulkReply }) => body.results.map(({ outcome, code }) => code ?? outcome);
const status = async (path: string, user: User = alice) => (await api.call('GET', `/api/v1${path}`, { user })).status;

test('each run has its own outcome, in the order of the request', async () => {
  const [ended, live] = [await run(), await run()];
  expect((await bulk('job_runs', { action: 'cancel', job_run_ids: [ended] })).body).toMatchObject({ done: 1 });
  await status(`/job_runs/${ended}`);
  const missing = randomUUID();
  const cancelled = await bulk('job_runs', { action: 'cancel', job_run_ids: [ended, live, missing] });
  expect(cancelled.status).toBe(200);
  expect(cancelled.body).toMatchObject({ done: 1, refused: 2 });
  expect(cancelled.body.results.map(({ id }) => id)).toEqual([ended, live, missing]);
  expect(outcomes(cancelled)).toEqual(['JOB_RUN_INVALID_STATE', 'done', 'JOB_RUN_NOT_FOUND']);
});

test('runs are paused, resumed, repeated and deleted', async () => {
  const id = await run();
  for (const action of ['pause', 'resume'])
    expect(outcomes(await bulk('job_runs', { action, job_run_ids: [id] }))).toEqual(['done']);
  expect(outcomes(await bulk('job_runs', { action: 'delete', job_run_ids: [id] }))).toEqual(['JOB_RUN_INVALID_STATE']);
  await bulk('job_runs', { action: 'cancel', job_run_ids: [id] });
  await status(`/job_runs/${id}`);
  const { body } = await bulk('job_runs', { action: 'rerun', job_run_ids: [id] });
  expect(await status(`/job_runs/${body.results[0]?.job_run_id}`)).toBe(200);
  expect(outcomes(await bulk('job_runs', { action: 'retry', job_run_ids: [id] }))).toEqual(['JOB_RUN_INVALID_STATE']);
  expect(outcomes(await bulk('job_runs', { action: 'delete', job_run_ids: [id] }))).toEqual(['done']);
  expect(await status(`/job_runs/${id}`)).toBe(404);
});

test('schedules are paused, triggered, resumed and deleted', async () => {
  const schedules = [await schedule(), await schedule()];
  for (const action of ['pause', 'trigger', 'resume', 'delete'])
    expect(outcomes(await bulk('schedules', { action, schedules }))).toEqual(['done', 'done']);
  expect(outcomes(await bulk('schedules', { action: 'pause', schedules }))).toEqual(['SCHEDULE_NOT_FOUND', 'SCHEDULE_NOT_FOUND']); // prettier-ignore
});

test('document sets are shared and deleted', async () => {
  const set_ids = [await set('one'), await set('two')];
  expect(outcomes(await bulk('document-sets', { action: 'share', set_ids, readers: ['bob'] }))).toEqual([
    'done',
    'done',
  ]);
  expect(await status(`/document-sets/${set_ids[0]}`, bob)).toBe(200);
  expect(outcomes(await bulk('document-sets', { action: 'delete', set_ids }, bob))).toEqual(['FORBIDDEN', 'FORBIDDEN']);
  expect(outcomes(await bulk('document-sets', { action: 'delete', set_ids }))).toEqual(['done', 'done']);
  expect(await status(`/document-sets/${set_ids[0]}`)).toBe(404);
  expect((await bulk('document-sets', { action: 'share', set_ids })).status).toBe(400);
  expect((await bulk('document-sets', { action: 'delete', set_ids, readers: [] })).status).toBe(400);
});

test('resources of others behave as if they did not exist', async () => {
  const [id, of, own] = [await run(), await schedule(), await set('own')];
  for (const action of ['cancel', 'pause', 'resume', 'rerun', 'retry', 'delete'])
    expect(outcomes(await bulk('job_runs', { action, job_run_ids: [id] }, bob))).toEqual(['JOB_RUN_NOT_FOUND']);
  for (const action of ['pause', 'resume', 'trigger', 'delete'])
    expect(outcomes(await bulk('schedules', { action, schedules: [of] }, bob))).toEqual(['FLOW_NOT_FOUND']);
  for (const more of [{ action: 'delete' }, { action: 'share', readers: ['bob'] }])
    expect(outcomes(await bulk('document-sets', { ...more, set_ids: [own] }, bob))).toEqual(['DOCUMENT_SET_NOT_FOUND']);
  expect(await status(`/job_runs/${id}`)).toBe(200);
});

test.each([
  ['none', []],
  ['more than 100', Array.from({ length: 101 }, () => randomUUID())],
  ['no id', ['x']],
])('%s is 400', async (_name, job_run_ids) => {
  expect((await bulk('job_runs', { action: 'cancel', job_run_ids })).status).toBe(400);
});

test('a bulk request does not get around the scopes of an API key', async () => {
  const id = await run();
  await bulk('job_runs', { action: 'cancel', job_run_ids: [id] });
  const item = await schedule();
  const asked = async (scopes: KeyScope[], value: string, body: object) => {
    const { key } = await made<ApiKeyCreated>('/api-keys', { name: 'key', scopes });
    const headers = { Authorization: `Bearer ${key}` };
    const reply = await api.call('POST', `/api/v1/${value}/bulk`, { body, headers });
    return reply.status === 200 ? outcomes(reply) : reply.status;
  };
  const remove = { action: 'delete', job_run_ids: [id] };
  const trigger = { action: 'trigger', schedules: [item] };
  expect(await asked(['run'], 'job_runs', remove)).toEqual(['FORBIDDEN']);
  expect(await asked(['write'], 'job_runs', remove)).toBe(403);
  expect(await asked(['run'], 'schedules', trigger)).toBe(403);
  expect(await asked(['write'], 'schedules', trigger)).toEqual(['FORBIDDEN']);
  expect(await asked(['run', 'write'], 'schedules', trigger)).toEqual(['done']);
  expect(await asked(['run', 'write'], 'job_runs', remove)).toEqual(['done']);
});

test('the audit log records each item like a separate request', async () => {
  const set_ids = [await set('audited')];
  await bulk('document-sets', { action: 'share', set_ids, readers: ['bob'] });
  await bulk('document-sets', { action: 'delete', set_ids }, bob);
  const { body } = await api.call('GET', '/api/v1/audit', { user: carol });
  const { items } = body as { items: AuditEntry[] };
  const single = '/api/v1/document-sets/{set_id}';
  const target = { set_id: set_ids[0] };
  const found = items
    .filter(({ action }) => action.endsWith(single))
    .toSorted((item, other) => (item.user < other.user ? 1 : -1));
  expect(found).toEqual([
    expect.objectContaining({ user: 'bob', action: `DELETE ${single}`, target, outcome: 'FORBIDDEN' }),
    expect.objectContaining({ user: 'alice', action: `PATCH ${single}`, target, changed: ['readers'], outcome: 'OK' }),
  ]);
});
