import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { readConfig } from '../../../model/config';
import { AppError } from '../../../model/errors';
import { listProblems } from '../../../model/validate';
import { extractOperator } from '../../../operators/extract_operator/schema';
import { alice, bob, emptyState, memoryServices, secret, startApi, type TestApi } from '../../support/api/server';
import { runRecord } from '../../support/system/run-record';

/** One test per row of the specification about limits, headers, statuses of runs and authentication that no other file has. */
const state = emptyState();
const services = memoryServices(state);
let api: TestApi;
beforeAll(async () => {
  const oidc = {
    listProviders: () => [{ name: 'generic', display_name: 'Example' }],
    resolve: () => 'generic',
    readMetadata: async () => ({}),
    buildAuthorizeAddress: async ({ state: given }: { state: string }) => `https://login.example/?state=${given}`,
    finish: async () => bob,
  };
  const away = () => Promise.reject(new AppError('SEARCH_CONNECTION_FAILED', 'The search index cannot be reached.'));
  api = await startApi({ ...services, oidc, search: { get: away, search: away } });
});
afterAll(() => api.close());

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const me = async (headers: Record<string, string>) => fetch(`${api.url}/auth/me`, { headers });
const login = async () =>
  (await api.call('POST', '/auth/login', { body: { username: 'alice', password: 'right' } })).body;
interface BegunLogin {
  state: string;
  /** The cookie of the browser that began it. */
  cookie: string;
}
async function beginLogin(): Promise<BegunLogin> {
  const begun = await fetch(`${api.url}/auth/oauth2/authorize`, { redirect: 'manual' });
  return {
    state: new URL(begun.headers.get('Location') ?? '').searchParams.get('state') ?? '',
    cookie: (begun.headers.get('Set-Cookie') ?? '').split(';')[0] ?? '',
  };
}
const finish = async ({ state: given, cookie }: BegunLogin) =>
  fetch(`${api.url}/auth/oauth2/callback?code=c&state=${given}`, { headers: { Cookie: cookie } });

describe('every response carries', () => {
  const replies: [what: string, request: () => Promise<Response>, status: number][] = [
    ['a success', () => fetch(`${api.url}/health`), 200],
    ['a page', () => fetch(`${api.url}/api/v1/docs`), 200],
    ['a created resource', () => fetch(`${api.url}/api/v1/projects`, post({ name: randomUUID() })), 201],
    ['an invalid request', () => fetch(`${api.url}/api/v1/flows`, post({})), 400],
    ['a missing token', () => fetch(`${api.url}/api/v1/flows`), 401],
    ['an unknown address', () => fetch(`${api.url}/nothing`), 404],
    ['a wrong method', () => fetch(`${api.url}/health`, { method: 'PUT' }), 405],
    ['a body that is too large', () => fetch(`${api.url}/api/v1/flows`, post('x'.repeat(5_242_881))), 413],
    ['an invalid search', () => fetch(`${api.url}/api/v1/documents/search`, post({ limit: 0 })), 422],
    ['an unavailable index', () => fetch(`${api.url}/api/v1/documents/search`, post({})), 503],
  ];
  const post = (body: unknown): RequestInit => ({
    method: 'POST',
    headers: { ...bearer(api.tokenOf(alice)), 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  describe.each(['X-Content-Type-Options', 'X-Frame-Options', 'Content-Security-Policy', 'Referrer-Policy'])(
    '%s',
    (name) => {
      test.each(replies)('%s', async (_name, request, status) => {
        const reply = await request();
        expect([reply.status, reply.headers.has(name)]).toEqual([status, true]);
      });
    },
  );
});

describe('limits', () => {
  test.each(['POST', 'PUT', 'PATCH'])(
    'request body size: a %s of 5 MB passes, one byte more is 413',
    async (method) => {
      const path = method === 'POST' ? '/api/v1/flows' : '/api/v1/flows/0b8c0f6e-0000-4000-8000-000000000000';
      const send = async (bytes: number) =>
        (
          await api.call(method, path, {
            user: alice,
            body: `"${'x'.repeat(bytes - 2)}"`,
            headers: { 'Content-Type': 'application/json' },
          })
        ).status;
      expect(await send(5_242_880)).toBe(400);
      expect(await send(5_242_881)).toBe(413);
    },
  );
  test.each([
    [0, 422],
    [1, 503],
    [100, 503],
    [101, 422],
  ])('search limit: %i answers %i', async (limit, status) => {
    // With valid input the search runs, and the index is unavailable.
    const reply = await api.call('POST', '/api/v1/documents/search', { user: alice, body: { limit } });
    expect(reply.status).toBe(status);
  });
  test('search offset: default 0', async () => {
    const requests: unknown[] = [];
    const page = { documents: [], total: 0, limit: 10, offset: 0, has_more: false };
    const search = async (_user: unknown, request: { offset?: number }) => {
      requests.push(request.offset ?? 0);
      return page;
    };
    const other = await startApi({ search: { get: async () => undefined, search } });
    for (const body of [{}, { offset: 5 }])
      expect((await other.call('POST', '/api/v1/documents/search', { user: alice, body })).status).toBe(200);
    await other.close();
    expect(requests).toEqual([0, 5]);
  });
  test('search index timeout and retries: 30 seconds and 3 retries', () => {
    expect(readConfig({})).toMatchObject({ SEARCH_TIMEOUT: 30, SEARCH_MAX_RETRIES: 3 });
  });
  test('document set name: under 255 characters', async () => {
    const create = async (length: number) =>
      (await api.call('POST', '/api/v1/document-sets', { user: alice, body: { name: 'x'.repeat(length) } })).status;
    expect([await create(254), await create(255)]).toEqual([201, 400]);
  });
  test('extract operator timeout: default 60 seconds', () => {
    const config: { timeout?: number } = {};
    expect(listProblems(extractOperator.config, config)).toEqual([]);
    expect(config.timeout).toBe(60);
  });
});

describe('shapes of logins', () => {
  test('Login request: username and password', async () => {
    const send = async (body: unknown) => (await api.call('POST', '/auth/login', { body })).status;
    expect(await send({ username: 'alice', password: 'right' })).toBe(200);
    expect([await send({ username: 'alice' }), await send({ password: 'right' }), await send([])]).toEqual([
      400, 400, 400,
    ]);
  });
  test('Token response: access_token, a JWT, and token_type bearer', async () => {
    const token = (await login()) as { access_token: string };
    expect(token).toEqual({ access_token: expect.any(String), token_type: 'bearer' });
    expect(jwt.decode(token.access_token)).toMatchObject({ username: 'alice', exp: expect.any(Number) });
  });
  test('User info: username, email, full_name', async () => {
    const { access_token: token } = (await login()) as { access_token: string };
    const { username, email, full_name } = alice;
    expect(await (await me(bearer(token))).json()).toEqual({ username, email, full_name });
  });
});

describe('states of job runs', () => {
  test.each([
    ['CRASHED', 'TERMINATED', 'the outer workflow ends before batch work completes'],
    ['CANCELED', 'CANCELED', 'batch work is cancelled'],
  ] as const)('%s is final: the engine says %s, %s', async (status, engine, _when) => {
    const run = runRecord({ status: 'RUNNING' });
    state.runs.push(run);
    state.engine.set(run.job_run_id, engine);
    const read = () => api.call('GET', `/api/v1/job_runs/${run.job_run_id}`, { user: alice });
    expect((await read()).body).toMatchObject({ status });
    state.engine.set(run.job_run_id, 'RUNNING');
    expect((await read()).body).toMatchObject({ status });
  });
});

describe('authentication', () => {
  test('1 and 8: both ways to log in give tokens that are accepted alike', async () => {
    const { access_token: ofDirectory } = (await login()) as { access_token: string };
    const { access_token: ofProvider } = (await (await finish(await beginLogin())).json()) as {
      access_token: string;
    };
    expect(await (await me(bearer(ofDirectory))).json()).toMatchObject({ username: 'alice' });
    expect(await (await me(bearer(ofProvider))).json()).toMatchObject({ username: 'bob' });
  });
  test('2: every protected request needs the header, and the token is validated with each', async () => {
    const { access_token: token } = (await login()) as { access_token: string };
    expect((await me(bearer(token))).status).toBe(200);
    await fetch(`${api.url}/auth/logout`, { method: 'POST', headers: bearer(token) });
    expect((await me(bearer(token))).status).toBe(401);
    expect((await me({ Authorization: `Basic ${token}` })).status).toBe(401);
  });
  test.each([
    ['missing', () => ({})],
    [
      'invalid',
      () => bearer(jwt.sign({ username: 'alice' }, 'another secret of thirty-two letters', { expiresIn: 60 })),
    ],
    ['expired', () => bearer(jwt.sign({ username: 'alice' }, secret, { expiresIn: -1 }))],
  ])('3: a token that is %s is 401 on document endpoints', async (_name, headers: () => Record<string, string>) => {
    expect((await fetch(`${api.url}/api/v1/documents/x`, { headers: headers() })).status).toBe(401);
    const search = { method: 'POST', headers: { ...headers(), 'Content-Type': 'application/json' }, body: '{}' };
    expect((await fetch(`${api.url}/api/v1/documents/search`, search)).status).toBe(401);
  });
  test('4: authorize redirects to the provider, the callback returns our token', async () => {
    const reply = await finish(await beginLogin());
    const token = (await reply.json()) as { access_token: string; token_type: string };
    expect(token.token_type).toBe('bearer');
    expect(() => jwt.verify(token.access_token, secret)).not.toThrow();
  });
  test('5: a state works once, and an unknown one does not work', async () => {
    const begunLogin = await beginLogin();
    expect((await finish(begunLogin)).status).toBe(200);
    expect((await finish(begunLogin)).status).toBe(400);
    expect((await finish({ ...begunLogin, state: 'made-up' })).status).toBe(400);
  });
});
