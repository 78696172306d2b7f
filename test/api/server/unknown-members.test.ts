import { alice, emptyState, memoryServices, sampleFlow, startApi, type TestApi } from '../../support/api/server';

let api: TestApi;
beforeAll(async () => {
  api = await startApi(memoryServices(emptyState()));
});
afterAll(() => api.close());

const send = async (method: string, path: string, body: unknown) =>
  (await api.call(method, `/api/v1${path}`, { user: alice, body })) as {
    status: number;
    body: { errors: { message: string; target?: unknown }[] } & Record<string, string>;
  };
const operator = { type: 'ingest_source', name: 'i' };

test.each([
  ['POST', '/flows', { ...sampleFlow('u'), global_confg: {} }, "'global_confg' (did you mean 'global_config'?)"],
  [
    'POST',
    '/flows',
    { flow_name: 'u', flow: [{ ...operator, depend_on: [] }] },
    "'depend_on' (did you mean 'depends_on'?)",
  ],
  ['POST', '/projects', { name: 'u', memebrs: ['bob'] }, "'memebrs' (did you mean 'members'?)"],
  ['POST', '/projects', { name: 'u', colour: 'red' }, "'colour'."],
  ['POST', '/job_runs', { flow_id: 'x', confguration: {} }, "'confguration' (did you mean 'configuration'?)"],
  ['POST', '/job_runs', { entity: { job: { asset_reff: 'x' } } }, "'asset_reff' (did you mean 'asset_ref'?)"],
  ['POST', '/document-sets', { name: 'u', reader: [] }, "'reader' (did you mean 'readers'?)"],
  ['POST', '/document-libraries', { name: 'uuu', tgas: [] }, "'tgas' (did you mean 'tags'?)"],
  ['POST', '/validation/validate_flow', { ...sampleFlow('u'), redaers: [] }, "'redaers' (did you mean 'readers'?)"],
])('%s %s rejects an unknown member with the likely name', async (method, path, body, words) => {
  const refused = await send(method, path, body);
  expect(refused.status).toBe(400);
  expect(refused.body.errors.map(({ message }) => message).join(' ')).toContain(`has the unknown member ${words}`);
});

describe('a reply can be sent back as a request', () => {
  test('a flow', async () => {
    const { body: made } = await send('POST', '/flows', sampleFlow('round'));
    const sent = { ...made, description: 'Changed.' };
    const { status, body } = await send('PUT', `/flows/${made['flow_id']}`, sent);
    expect([status, body['description'], body['flow_id']]).toEqual([200, 'Changed.', made['flow_id']]);
    const patched = await send('PATCH', `/flows/${made['flow_id']}`, { ...made, created_by: 'mallory' });
    expect([patched.status, patched.body['created_by']]).toEqual([200, 'alice']);
  });

  test('a project', async () => {
    const { body: made } = await send('POST', '/projects', { name: 'round' });
    const path = `/projects/${made['project_id']}`;
    const { status, body } = await send('PUT', path, { ...made, project_id: 'other', description: 'Changed.' });
    expect([status, body['description'], body['project_id']]).toEqual([200, 'Changed.', made['project_id']]);
    const patched = await send('PATCH', path, { ...made, href: '/elsewhere' });
    expect([patched.status, patched.body['href']]).toEqual([200, made['href']]);
  });
});

test('a change without a member is rejected by one rule that lists the members', async () => {
  const { body: flow } = await send('POST', '/flows', sampleFlow('empty'));
  const { body: project } = await send('POST', '/projects', { name: 'empty' });
  const { body: set } = await send('POST', '/document-sets', { name: 'empty' });
  const { body: library } = await send('POST', '/document-libraries', { name: 'empty' });
  const paths = [
    [`/flows/${flow['flow_id']}`, 'flow_name, description'],
    [`/projects/${project['project_id']}`, 'name, description, tags, members, roles, owner'],
    [`/document-sets/${set['id']}`, 'description, metadata, readers, retain_deleted_docs'],
    [`/document-libraries/${library['library_id']}`, 'name, '],
  ] as const;
  for (const [path, members] of paths) {
    const { status, body } = await send('PATCH', path, {});
    expect([path, status]).toEqual([path, 400]);
    expect(body.errors[0]?.message).toContain(members);
  }
});
