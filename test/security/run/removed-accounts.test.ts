import { alice, bob, sampleFlow, startApi, type TestApi } from '../../support/api/server';

/** What a service account left running when it was removed. */
let api: TestApi;
beforeEach(async () => {
  api = await startApi({}, { adminGroups: ['admins'] });
});
afterEach(() => api.close());

const admin = { ...alice, username: 'root', groups: ['admins'] };
const account = 'service:nightly';
const service = { ...bob, username: account, groups: ['admins'] };

test('the schedules of a service account end with it, in flows of others too, and those of others stay', async () => {
  const body = { account_name: account, groups: ['admins'] };
  expect((await api.call('POST', '/api/v1/service-accounts', { user: admin, body })).status).toBe(201);
  const create = async (user: typeof alice, flow: string) => {
    const path = `/api/v1/flows/${flow}/schedules`;
    expect((await api.call('POST', path, { user, body: { cron: '0 6 * * *' } })).status).toBe(201);
  };
  const flows: string[] = [];
  for (const user of [alice, service]) {
    const { body: flow } = await api.call('POST', '/api/v1/flows', { user, body: sampleFlow(`of-${flows.length}`) });
    flows.push((flow as { flow_id: string }).flow_id);
  }
  const [ofAlice = '', ofService = ''] = flows;
  await create(alice, ofAlice);
  await create(service, ofAlice);
  await create(service, ofService);
  expect(api.state.schedules.map(({ owner }) => owner)).toEqual(['alice', account, account]);
  const removal = await api.call('DELETE', `/api/v1/service-accounts/${encodeURIComponent(account)}`, { user: admin });
  expect(removal.status).toBe(204);
  expect(api.state.schedules.map(({ owner }) => owner)).toEqual(['alice']);
});
