import { conversionRoutes } from '../../../api/conversion';
import { type ConversionApi, getFile, inline, startConversion } from '../../support/api/conversion-client';

/**
 * Rights at the conversion service: `nobody` sends no key, `stranger` a wrong one; `sharer` sends the key of another; the
 * others send a valid one. The task belongs to the tenant `owner`; `other` is another tenant, `untold` sends no tenant.
 */
interface Caller {
  key?: string;
  tenant?: string;
}
const callers = {
  nobody: {},
  stranger: { key: 'wrong', tenant: 'owner' },
  untold: { key: 'key' },
  sharer: { key: 'second', tenant: 'owner' },
  other: { key: 'key', tenant: 'other' },
  owner: { key: 'key', tenant: 'owner' },
} as const satisfies Record<string, Caller>;
type Role = keyof typeof callers;
type Expected = Record<Role, number>;

const open = (status: number): Expected => ({
  nobody: status,
  stranger: status,
  untold: status,
  sharer: status,
  other: status,
  owner: status,
});
const withKey = (status: number): Expected => ({ ...open(status), nobody: 401, stranger: 401 });
/** Tasks of another tenant are hidden. */
const ofTenant = (status: number): Expected => ({ ...withKey(404), owner: status });

interface Row {
  expected: Expected;
  json?: unknown;
  form?: readonly (readonly [string, string | File])[];
  /** The expected answer, by caller. */
  says?: { of: (body: never) => unknown; by: Partial<Record<Role, unknown>> };
}
const bucket = { kind: 's3', endpoint: 's3.example.org', access_key: 'a', secret_key: 'b', bucket: 'docs' };
const source = { expected: withKey(200), json: { sources: [inline('new.md')] } };
const file: Row = { expected: withKey(200), form: [['files', getFile('new.md')]] };

const matrix: Record<string, Row> = {
  'POST /v1/convert/source': source,
  'POST /v1/convert/file': file,
  'POST /v1/convert/source/async': source,
  'POST /v1/convert/file/async': file,
  'POST /v1/convert/source/batch': { expected: withKey(200), json: { sources: [bucket], target: bucket } },
  'POST /v1/chunk/hybrid/source': source,
  'POST /v1/chunk/hybrid/file': file,
  'POST /v1/chunk/hybrid/source/async': source,
  'POST /v1/chunk/hybrid/file/async': file,
  'POST /v1/chunk/hierarchical/source': source,
  'POST /v1/chunk/hierarchical/file': file,
  'POST /v1/chunk/hierarchical/source/async': source,
  'POST /v1/chunk/hierarchical/file/async': file,
  'GET /v1/status/poll/{task_id}': { expected: ofTenant(200) },
  'GET /v1/status/{task_id}': { expected: ofTenant(200) },
  'GET /v1/result/{task_id}': { expected: ofTenant(200) },
  'GET /v1/tasks': {
    expected: withKey(200),
    says: {
      of: ({ tasks }: { tasks: { task_id: string }[] }) => tasks.some((task) => task.task_id === taskId),
      by: { owner: true, other: false, untold: false, sharer: false },
    },
  },
  'DELETE /v1/tasks/{task_id}': { expected: ofTenant(200) },
  // Clears the results of the caller's tenant only: see the test below.
  'GET /v1/clear/results': { expected: withKey(200) },
  'GET /v1/clear/converters': { expected: withKey(200) },
  'POST /v1/callback/task/progress': {
    expected: ofTenant(200),
    json: { task_id: '{task_id}', progress: { kind: 'set_num_docs', num_docs: 1 } },
  },
  // Disabled by default: then 403 for everybody.
  'GET /v1/memory/stats': { expected: open(403) },
  'GET /v1/memory/counts': { expected: open(403) },
  ...Object.fromEntries(
    ['/api', '/docs', '/livez', '/openapi-3.0.json', '/openapi.json', '/readyz', '/redoc', '/swagger', '/version'].map(
      (path) => [`GET ${path}`, { expected: open(200) }],
    ),
  ),
  'GET /ui': { expected: open(302) },
};

let service: ConversionApi;
let taskId: string;
/** Tenants of each test are its own. */
let turn = 0;
const getHeaders = ({ key, tenant }: Caller): Record<string, string> => ({
  ...(key ? { 'X-Api-Key': key } : {}),
  ...(tenant ? { 'X-Tenant-Id': `${tenant}-${turn}` } : {}),
});
beforeAll(async () => {
  service = await startConversion({ apiKeys: ['key', 'second'], tenantHeader: 'X-Tenant-Id' });
});
beforeEach(async () => {
  turn += 1;
  const task = await service.send('POST', '/v1/convert/source/async', {
    json: { sources: [inline('own.md')] },
    headers: getHeaders(callers.owner),
  });
  taskId = (task.body as { task_id: string }).task_id;
});
afterAll(() => service.close());

test('every route has a row, and every row a route', () => {
  expect(Object.keys(matrix).toSorted()).toEqual(
    conversionRoutes.map(({ method, path }) => `${method} ${path}`).toSorted(),
  );
});

describe.each(Object.entries(matrix))('%s', (operation, { expected, json, form, says }) => {
  test.each(Object.keys(callers) as Role[])('as %s', async (role) => {
    const [method = '', template = ''] = operation.split(' ');
    const path = template.replace('{task_id}', taskId);
    const body = json && JSON.parse(JSON.stringify(json).replace('{task_id}', taskId));
    const reply = await service.send(method, path, { json: body, form, headers: getHeaders(callers[role]) });
    const asks = says && role in says.by && reply.status === 200 ? says : undefined;
    const found = { role, status: reply.status, says: asks?.of(reply.body) };
    expect(found).toEqual({ role, status: expected[role], says: asks?.by[role] });
  });
});

test('GET /v1/clear/results leaves the tasks of other tenants', async () => {
  const path = '/v1/clear/results?older_then=0';
  const stillThere = async () =>
    (await service.send('GET', `/v1/result/${taskId}`, { headers: getHeaders(callers.owner) })).status;
  for (const role of ['other', 'sharer'] as const)
    await service.send('GET', path, { headers: getHeaders(callers[role]) });
  expect(await stillThere()).toBe(200);
  await service.send('GET', path, { headers: getHeaders(callers.owner) });
  expect(await stillThere()).toBe(404);
});
