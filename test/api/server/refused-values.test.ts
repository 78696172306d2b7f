import { alice, startApi, type TestApi } from '../../support/api/server';

let api: TestApi;
beforeEach(async () => {
  api = await startApi();
});
afterEach(() => api.close());

const post = async (path: string, body: unknown) => {
  const { status, body: answer } = await api.call('POST', `/api/v1/${path}`, { user: alice, body });
  const [error] = (answer as { errors?: { message: string; target?: { name: string } }[] }).errors ?? [];
  return [status, error?.target?.name, error?.message] as const;
};
const connection = (more: object) => ({ name: 'crm', type: 'web', hosts: ['example.org'], secret: 's', ...more });

test('an address of a webhook whose port no server can have is rejected', async () => {
  const body = { url: 'https://example.org:99999/', events: ['run.ended'] };
  expect(await post('webhooks', body)).toEqual([400, 'url', 'The host or the port of the address is not valid.']);
});

test('a refusal that quotes an address does not show its password', async () => {
  const config = { provider: 'http', connection_params: { urls: ['htps://bob:hunter2@example.org'] } };
  const answer = await post('sources/check', { config });
  expect(answer).toEqual([400, expect.any(String), expect.stringContaining('htps://bob:********@example.org')]);
});

test.each([
  ['example.org:0', 'has a port outside 1 to 65535'],
  ['example.org:99999', 'has a port outside 1 to 65535'],
  ['a..b', 'is neither a name nor an address'],
  ['2130706433', "is read as '127.0.0.1'; write it so"],
  ['127.1:80', "is read as '127.0.0.1'; write it so"],
  ['*.127.0.0.1', 'has a wildcard before an address'],
])('a connection to the host %s is rejected', async (host, problem) => {
  const body = connection({ hosts: ['example.org', host] });
  expect(await post('connections', body)).toEqual([400, 'hosts.1', `The host '${host}' ${problem}.`]);
});

test.each([['example.org:8443'], ['*.example.org'], ['[::1]:80'], ['Example.org'], ['operator:crm']])(
  'a connection to the host %s is made',
  async (host) => {
    expect((await post('connections', connection({ hosts: [host] })))[0]).toBe(201);
  },
);

test.each([[{}], ['********'], [{ key: '********' }]])('%j is not a secret', async (secret) => {
  expect((await post('connections', connection({ secret }))).slice(0, 2)).toEqual([400, 'secret']);
});

test.each([
  ['projects', { name: 'p', members: ['bob', '*'] }, 'members.1'],
  ['document-sets', { name: 's', readers: ['*'] }, 'readers.0'],
  ['document-libraries', { name: 'library', readers: ['*'] }, 'readers.0'],
  ['saved-searches', { name: 's', request: {}, readers: ['*'] }, 'readers.0'],
])('everybody is not a reader of %s', async (path, body, name) => {
  expect(await post(path, body)).toEqual([
    400,
    name,
    `Field '${name}' must be the name of a user; '*' does not mean everybody here.`,
  ]);
});

test.each([
  [{ filters: { allowed_users: 'bob' } }, 'filters.allowed_users'],
  [{ filters: { allowed_users: 'bob' }, store: 'pgvector' }, 'filters.allowed_users'],
  [{ facets: ['denied_principals'] }, 'facets.denied_principals'],
  [{ sort: [{ allowed_principals: 'asc' }] }, 'sort.allowed_principals'],
  [{ query: 'tide', boost: { fields: { allowed_users: 2 } } }, 'boost.allowed_users'],
  [{ offset: 100_000 }, 'offset'],
])('a request that every search refuses is not saved: %j', async (request, name) => {
  expect((await post('saved-searches', { name: 's', request })).slice(0, 2)).toEqual([400, name]);
});

test('a request is saved whose fields no document has yet', async () => {
  const request = { filters: { year: { gte: 2024 }, content: { phrase: 'tide gauge' } }, facets: ['department'] };
  expect((await post('saved-searches', { name: 's', request }))[0]).toBe(201);
});

test.each([
  ['GET', 'flows?nmae=x', 'nmae', 'name'],
  ['GET', 'flows?nmae=x&nmae=y', 'nmae', 'name'],
  ['GET', 'job_runs?stauts=failed', 'stauts', 'status'],
  ['DELETE', 'documents/x?evrywhere=true', 'evrywhere', 'everywhere'],
])(
  '%s %s is rejected: a typing error in a parameter must not change what is done',
  async (method, path, name, meant) => {
    const { status, body } = await api.call(method, `/api/v1/${path}`, { user: alice });
    const message = `There is no parameter '${name}' (did you mean '${meant}'?).`;
    expect([status, body]).toMatchObject([400, { errors: [{ code: 'VALIDATION_ERROR', message, target: { name } }] }]);
  },
);

test('an unknown parameter without a similar name has no effect, and a Warning says so', async () => {
  const { status, headers } = await api.call('GET', '/api/v1/flows?color=red&__proto__=1&bad%22name=1', {
    user: alice,
  });
  expect([status, headers.get('Warning')]).toEqual([
    200,
    '299 - "The parameter color is unknown and was ignored.", 299 - "The parameter __proto__ is unknown and was ignored.", 299 - "A parameter is unknown and was ignored."',
  ]);
});
