import { createFlowInspection } from '../../../api/flow/inspection';
import { createSourceInspector } from '../../../api/source/inspector';
import type { OpenConnection } from '../../../model/connection/connection';
import type { SourceCheckReply } from '../../../model/source/wire';
import { alice, bob, startApi, type TestApi } from '../../support/api/server';
import type { SourceFixture } from '../../support/sources/fixture';
import { s3Fixture } from '../../support/sources/s3';

/** `POST /api/v1/sources/check` for a bucket, with a connection of alice. */
let fixture: SourceFixture;
let api: TestApi;
let secret: Record<string, string>;
let connection: OpenConnection;
beforeEach(async () => {
  fixture = await s3Fixture();
  secret = fixture.config['credentials'] as Record<string, string>;
  connection = {
    name: 'bucket',
    type: 's3',
    hosts: ['127.0.0.1', 'localhost'],
    secret,
    owner: 'alice',
    shared: false,
    users: [],
    groups: [],
  };
  const sourceInspector = createSourceInspector({
    sources: fixture.sources,
    // As the database does, also for others: who may use a connection is decided by its rights.
    connections: { open: async () => [connection] },
  });
  const inspection = createFlowInspection({
    sources: sourceInspector,
    search: {} as never,
    embedder: {} as never,
    destinations: {} as never,
  });
  api = await startApi({ sourceInspector, inspection });
});
afterEach(async () => {
  await api.close();
  await fixture.close();
});

const config = (change: object = {}) => ({
  ...fixture.config,
  credentials: { access_key: '${connection:bucket.access_key}', secret_key: '${connection:bucket.secret_key}' },
  ...change,
});
const check = async (input: object, user = alice) => {
  const { status, body } = await api.call('POST', '/api/v1/sources/check', { user, body: { config: input } });
  expect(JSON.stringify(body)).not.toContain(secret['secret_key']);
  return { status, body: body as SourceCheckReply & { errors?: { code: string; message: string }[] } };
};

test('every right of a bucket is checked with the secret of a connection, and no document is named', async () => {
  await fixture.put('salaries.md', 'text');
  const { status, body } = await check(config());
  expect({ status, ...body }).toMatchObject({ status: 200, provider: 's3', usable: true });
  expect(body.rights.map(({ right, outcome }) => `${right} ${outcome}`)).toEqual([
    'reach granted',
    'sign_in granted',
    'list granted',
    'read granted',
    'access granted',
  ]);
  expect(JSON.stringify(body)).not.toContain('salaries');
});

test('a connection of another user does not exist, and one for other hosts is not sent', async () => {
  expect(await check(config(), bob)).toMatchObject({
    status: 404,
    body: { errors: [{ code: 'CONNECTION_NOT_FOUND' }] },
  });
  connection = { ...connection, hosts: ['s3.example.org'] };
  expect(await check(config())).toMatchObject({ status: 403, body: { errors: [{ code: 'SECRET_NOT_ALLOWED' }] } });
});

test('wrong keys deny the sign-in, and later rights are unknown', async () => {
  connection = { ...connection, secret: { ...secret, secret_key: 'another-wrong-key' } };
  const { body } = await check(config());
  expect(body.usable).toBe(false);
  expect(Object.fromEntries(body.rights.map(({ right, outcome }) => [right, outcome]))).toEqual({
    reach: 'granted',
    sign_in: 'denied',
    list: 'unknown',
    read: 'unknown',
    access: 'unknown',
  });
  expect(JSON.stringify(body)).not.toContain('another-wrong-key');
});

test('secrets of the worker leave every right unknown', async () => {
  const { body } = await check(
    config({ credentials: { access_key: '${DOCLOOM_SECRET_A}', secret_key: '${DOCLOOM_SECRET_B}' } }),
  );
  expect(new Set(body.rights.map(({ outcome }) => outcome))).toEqual(new Set(['unknown']));
});

test('a configuration that no run would accept is refused with every problem', async () => {
  const { status, body } = await check({ provider: 's3', connection_params: { bucket: '' }, bucketz: 'x' });
  expect(status).toBe(400);
  expect(body.errors?.map(({ code }) => code)).toContain('OPERATOR_CONFIGURATION_INVALID');
});

test('a deep validation of a flow tries the same rights with the same connections', async () => {
  const flow = (credentials: object) => ({
    flow_name: 'bucket',
    flow: [{ type: 'ingest_source', name: 'ingest', config: config({ credentials }) }],
  });
  const codes = async (credentials: object) => {
    const path = '/api/v1/validation/validate_flow?deep=true';
    const { body } = await api.call('POST', path, { user: alice, body: flow(credentials) });
    return (body as { errors: { message_code: string; node_name: string }[] }).errors
      .filter(({ node_name }) => node_name === 'ingest')
      .map(({ message_code }) => message_code);
  };
  expect(await codes(config().credentials)).not.toContain('SOURCE_SIGN_IN_FAILED');
  expect(await codes({ access_key: 'docloom', secret_key: 'wrong' })).toContain('SOURCE_SIGN_IN_FAILED');
});
