import { alice, bob, sampleFlow, startApi, type TestApi } from '../../support/api/server';

let api: TestApi;
let flowId: string;
beforeEach(async () => {
  api = await startApi({}, { adminGroups: ['admins'] });
  const body = { ...sampleFlow('nightly'), readers: ['bob'] };
  flowId = ((await api.call('POST', '/api/v1/flows', { user: alice, body })).body as { flow_id: string }).flow_id;
});
afterEach(() => api.close());

const call = (method: string, rest = '', { user = alice, body }: { user?: typeof alice; body?: unknown } = {}) =>
  api.call(method, `/api/v1/flows/${flowId}/schedules${rest}`, { user, body });
const create = async (body: object = { cron: '0 6 * * 1-5' }, user = alice) => call('POST', '', { user, body });
const getId = ({ body }: { body: unknown }) => (body as { schedule_id: string }).schedule_id;

test('a schedule is created, listed, paused, resumed and removed', async () => {
  const schedule = await create({
    cron: ' 0 6 * * 1-5 ',
    timezone: 'Europe/Berlin',
    configuration: { fail_fast: 'true' },
  });
  expect(schedule).toMatchObject({
    status: 201,
    body: {
      flow_id: flowId,
      owner: 'alice',
      cron: '0 6 * * 1-5',
      timezone: 'Europe/Berlin',
      configuration: { fail_fast: true },
      state: 'active',
      next_runs: [expect.any(String)],
    },
  });
  const id = getId(schedule);
  expect((await call('GET')).body).toMatchObject({ schedules: [{ schedule_id: id }], total: 1 });
  expect((await call('POST', `/${id}/pause`)).body).toMatchObject({ state: 'paused' });
  expect((await call('POST', `/${id}/resume`)).body).toMatchObject({ state: 'active' });
  expect((await call('DELETE', `/${id}`)).status).toBe(204);
  expect(await call('GET', `/${id}`)).toMatchObject({
    status: 404,
    body: { errors: [{ code: 'SCHEDULE_NOT_FOUND' }] },
  });
});

test.each([
  ['six fields', { cron: '0 0 6 * * 1' }, 'cron'],
  ['a word', { cron: '@everyhour' }, 'cron'],
  ['nothing', { cron: '' }, 'cron'],
  ['an unknown time zone', { cron: '0 6 * * *', timezone: 'Mars/Olympus' }, 'timezone'],
  [
    'a run parameter of a wrong type',
    { cron: '0 6 * * *', configuration: { fail_fast: 'maybe' } },
    'configuration.fail_fast',
  ],
])('%s is rejected by name', async (_name, body, name) => {
  expect(await create(body)).toMatchObject({
    status: 400,
    body: { errors: [{ code: 'VALIDATION_ERROR', target: { name } }] },
  });
});

test('run parameters with which every run would be rejected are rejected by name', async () => {
  const configuration = { index: { vector_dimension: 0 } };
  const answer = await create({ cron: '0 6 * * *', configuration });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ code: 'FLOW_VALIDATION_FAILED' }] } });
  expect((await call('GET')).body).toMatchObject({ total: 0 });
});

test('a reader of the flow sees its schedules, and neither creates nor changes any', async () => {
  const own = await create();
  expect(await create({ cron: '0 7 * * *' }, bob)).toMatchObject({
    status: 403,
    body: { errors: [{ code: 'FORBIDDEN' }] },
  });
  expect((await call('GET', `/${getId(own)}`, { user: bob })).status).toBe(200);
  expect(await call('POST', `/${getId(own)}/pause`, { user: bob })).toMatchObject({
    status: 403,
    body: { errors: [{ code: 'FORBIDDEN' }] },
  });
  expect((await call('DELETE', `/${getId(own)}`, { user: bob })).status).toBe(403);
});

test('a user who does not see the flow sees no schedules', async () => {
  api.state.flows = api.state.flows.map((flow) => ({ ...flow, readers: [] }));
  expect(await call('GET', '', { user: bob })).toMatchObject({
    status: 404,
    body: { errors: [{ code: 'FLOW_NOT_FOUND' }] },
  });
  expect(await create({ cron: '0 6 * * *' }, bob)).toMatchObject({ status: 404 });
});

test('a schedule has a name that can be changed and cleared', async () => {
  const schedule = await create({ cron: '0 6 * * *', name: 'Mornings' });
  expect(schedule.body).toMatchObject({ name: 'Mornings' });
  const id = getId(schedule);
  expect((await call('PATCH', `/${id}`, { body: { name: 'Early' } })).body).toMatchObject({ name: 'Early', note: '' });
  expect((await call('PATCH', `/${id}`, { body: { name: '' } })).body).toMatchObject({ name: '' });
  expect((await call('PATCH', `/${id}`, { body: { name: 'x'.repeat(101) } })).status).toBe(400);
});
