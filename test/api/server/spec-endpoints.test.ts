// Long because every endpoint of the specification has a row.
import { routes } from '../../../api/routes';
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

/**
 * One test per row of the specification's tables of endpoints and fixed addresses; its purpose is the name. Long because
 * those tables are.
 */
const state = emptyState();
const services = memoryServices(state);
let api: TestApi;
beforeAll(async () => {
  const provider = { name: 'generic', display_name: 'Example' };
  const oidc = {
    providers: () => [provider],
    resolve: () => 'generic',
    metadata: async () => ({ issuer: 'https://login.example' }),
    authorizeAddress: async ({ state: secret }: { state: string }) => `https://login.example/?state=${secret}`,
    finish: async () => bob,
  };
  const models = { list: async () => [{ model_id: 'm', description: null, functions: [], embedding_dimension: 3 }] };
  const documentClasses = () => [{ document_type: 'invoice' }] as never;
  api = await startApi({ ...services, oidc, models, documentClasses });
});
afterAll(() => api.close());

type Body = Record<string, never>;
/** The body of a request of alice that must have the status; `path` counts from the root. */
async function send(request: string, status: number, body?: unknown, as = alice): Promise<Body> {
  const [method = '', path = ''] = request.split(' ');
  const reply = await api.call(method, path, { user: as, body });
  expect({ request, status: reply.status, ...(reply.status === status ? {} : { body: reply.body }) }).toEqual({
    request,
    status,
  });
  return reply.body;
}
let counter = 0;
const fresh = (name: string) => `${name}${(counter += 1)}`;
const getId = (body: Body, name: string) => String(body[name]);
const project = async () => getId(await send('POST /api/v1/projects', 201, { name: fresh('p') }), 'project_id');
const flow = async (more = {}) =>
  getId(await send('POST /api/v1/flows', 201, { ...sampleFlow(fresh('f')), ...more }), 'flow_id');
const run = async () =>
  getId(await send('POST /api/v1/job_runs', 201, { entity: { job: { asset_ref: await flow() } } }), 'job_run_id');
const library = async () =>
  getId(await send('POST /api/v1/document-libraries', 201, { name: fresh('Library') }), 'library_id');
const set = async () => getId(await send('POST /api/v1/document-sets', 201, { name: fresh('set') }), 'id');
const ended = async () => {
  const id = await run();
  await services.runsStore.update(id, { status: 'COMPLETED' });
  return id;
};
const plain = async (path: string, init: RequestInit = {}) => fetch(`${api.url}${path}`, init);

type Row = [endpoint: string, purpose: string, check: () => Promise<void>];
const rows: Row[] = [
  [
    'GET /',
    'root endpoint, without a token',
    async () => expect(await (await plain('/')).json()).toHaveProperty('message'),
  ],
  ['GET /health', 'health check', async () => expect(await (await plain('/health')).json()).toEqual({ status: 'ok' })],
  [
    'GET /api/v1/docs',
    'interactive API reference UI',
    async () => expect(await (await plain('/api/v1/docs')).text()).toContain('swagger-ui'),
  ],
  [
    'GET /api/v1/redoc',
    'alternative reference UI',
    async () => expect(await (await plain('/api/v1/redoc')).text()).toContain('<redoc'),
  ],
  [
    'GET /api/v1/openapi.json',
    'raw OpenAPI schema',
    async () => expect(await (await plain('/api/v1/openapi.json')).json()).toMatchObject({ openapi: '3.1.0' }),
  ],
  [
    'POST /auth/login',
    'JSON login request; token response',
    async () => {
      const token = await send('POST /auth/login', 200, { username: 'alice', password: 'right' });
      expect(token).toEqual({ access_token: expect.any(String), token_type: 'bearer' });
      const headers = { Authorization: `Bearer ${String(token['access_token'])}` };
      expect((await plain('/auth/me', { headers })).status).toBe(200);
    },
  ],
  [
    'GET /auth/me',
    'user info of the Bearer token',
    async () => {
      const { username, email, full_name } = alice;
      expect(await send('GET /auth/me', 200)).toEqual({ username, email, full_name });
    },
  ],
  [
    'GET /auth/oauth2/authorize',
    "redirect to the provider's authorization endpoint",
    async () => {
      const reply = await plain('/auth/oauth2/authorize?provider=generic', { redirect: 'manual' });
      expect(reply.headers.get('Location')).toMatch(/^https:\/\/login\.example\/\?state=/);
    },
  ],
  [
    'GET /auth/oauth2/callback',
    'token response; the state works once',
    async () => {
      const begun = await plain('/auth/oauth2/authorize', { redirect: 'manual' });
      const secret = new URL(begun.headers.get('Location') ?? '').searchParams.get('state');
      const callback = `/auth/oauth2/callback?code=c&state=${secret}&provider=generic`;
      // Only the browser that began the login finishes it.
      const headers = { Cookie: (begun.headers.get('Set-Cookie') ?? '').split(';')[0] ?? '' };
      expect(await (await plain(callback, { headers })).json()).toMatchObject({ token_type: 'bearer' });
      expect((await plain(callback, { headers })).status).toBe(400);
    },
  ],
  [
    'GET /auth/oauth2/providers',
    'list of configured OAuth2 providers',
    async () =>
      expect(await (await plain('/auth/oauth2/providers')).json()).toMatchObject({ providers: [{ name: 'generic' }] }),
  ],
  [
    'GET /auth/oauth2/discovery/{provider}',
    "the provider's OIDC discovery document",
    async () =>
      expect(await (await plain('/auth/oauth2/discovery/generic')).json()).toEqual({ issuer: 'https://login.example' }),
  ],
  [
    'GET /protected',
    'example protected endpoint',
    async () => {
      expect(await send('GET /protected', 200)).toMatchObject({ message: 'Hello alice' });
      expect((await plain('/protected')).status).toBe(401);
    },
  ],
  [
    'POST /api/v1/projects',
    'create a project',
    async () =>
      expect(await send('POST /api/v1/projects', 201, { name: fresh('p'), tags: ['a'] })).toMatchObject({
        tags: ['a'],
        owner: 'alice',
      }),
  ],
  [
    'GET /api/v1/projects',
    'list projects, paginated, filterable by name and tags',
    async () => {
      const name = fresh('Findable');
      for (const number of [1, 2])
        await send('POST /api/v1/projects', 201, { name: `${name}.${number}`, tags: [name] });
      const page = await send(`GET /api/v1/projects?name=${name.toLowerCase()}&tags=${name}&limit=1`, 200);
      expect(page).toMatchObject({ total_count: 2, limit: 1, offset: 0, prev: null });
      expect(page['projects']).toHaveLength(1);
      const { pathname, search } = new URL(String(page['next']));
      expect((await send(`GET ${pathname}${search}`, 200))['next']).toBeNull();
    },
  ],
  [
    'GET /api/v1/projects/{project_id}',
    'get a project',
    async () => {
      const id = await project();
      expect(await send(`GET /api/v1/projects/${id}`, 200)).toMatchObject({ project_id: id, flow_count: 0 });
    },
  ],
  [
    'PUT /api/v1/projects/{project_id}',
    'fully replace a project',
    async () => {
      const id = await project();
      await send(`PATCH /api/v1/projects/${id}`, 200, { description: 'gone with the next' });
      expect(await send(`PUT /api/v1/projects/${id}`, 200, { name: fresh('p') })).toMatchObject({ description: null });
    },
  ],
  [
    'PATCH /api/v1/projects/{project_id}',
    'partially update a project',
    async () => {
      const id = await project();
      const { name } = await send(`GET /api/v1/projects/${id}`, 200);
      expect(await send(`PATCH /api/v1/projects/${id}`, 200, { description: 'x' })).toMatchObject({
        name,
        description: 'x',
      });
    },
  ],
  [
    'DELETE /api/v1/projects/{project_id}',
    'delete a project and cascade-delete its flows',
    async () => {
      const id = await project();
      const inside = await flow({ project_id: id });
      await send(`DELETE /api/v1/projects/${id}`, 204);
      await send(`GET /api/v1/projects/${id}`, 404);
      await send(`GET /api/v1/flows/${inside}`, 404);
    },
  ],
  [
    'GET /api/v1/projects/{project_id}/flows',
    "list the project's flows, each enriched with aggregated job run status",
    async () => {
      const id = await project();
      const inside = await flow({ project_id: id });
      expect(await send(`GET /api/v1/projects/${id}/flows`, 200)).toMatchObject({
        flows: [{ flow_id: inside, job_run_summary: null }],
        total_count: 1,
      });
    },
  ],
  [
    'POST /api/v1/flows',
    'create a flow',
    async () =>
      expect(await send('POST /api/v1/flows', 201, sampleFlow(fresh('f')))).toHaveProperty(
        'flow_id',
        expect.any(String),
      ),
  ],
  [
    'GET /api/v1/flows',
    'list flows, paginated',
    async () => {
      await flow();
      await flow();
      const page = await send('GET /api/v1/flows?limit=1&offset=1', 200);
      expect(page).toMatchObject({ limit: 1, offset: 1, prev: expect.stringContaining('offset=0') });
      expect(page['flows']).toHaveLength(1);
    },
  ],
  [
    'GET /api/v1/flows/{flow_id}',
    'get a flow',
    async () => {
      const id = await flow();
      expect(await send(`GET /api/v1/flows/${id}`, 200)).toMatchObject({ flow_id: id });
    },
  ],
  [
    'PUT /api/v1/flows/{flow_id}',
    'replace a flow',
    async () => {
      const id = await flow({ description: 'gone with the next' });
      expect(await send(`PUT /api/v1/flows/${id}`, 200, sampleFlow(fresh('f')))).toMatchObject({ description: null });
    },
  ],
  [
    'PATCH /api/v1/flows/{flow_id}',
    'partially update a flow',
    async () => {
      const id = await flow({ description: 'stays' });
      expect(await send(`PATCH /api/v1/flows/${id}`, 200, { tags: ['x'] })).toMatchObject({
        description: 'stays',
        tags: ['x'],
      });
    },
  ],
  [
    'DELETE /api/v1/flows/{flow_id}',
    'delete a flow',
    async () => {
      const id = await flow();
      await send(`DELETE /api/v1/flows/${id}`, 204);
      await send(`GET /api/v1/flows/${id}`, 404);
    },
  ],
  [
    'DELETE /api/v1/flows',
    'bulk delete flows',
    async () => {
      const ids = [await flow(), 'unknown', await flow()];
      expect(await send(`DELETE /api/v1/flows?flow_ids=${ids.join(',')}`, 200)).toMatchObject({
        deleted: [ids[0], ids[2]],
        failed: [{ flow_id: 'unknown' }],
        total_requested: 3,
      });
    },
  ],
  [
    'POST /api/v1/job_runs',
    'create and start a job run',
    async () => {
      const id = await run();
      expect(await services.runs.status(id)).toBe('RUNNING');
    },
  ],
  [
    'GET /api/v1/job_runs',
    'list job runs',
    async () => {
      const id = await run();
      const { list, total } = (await send('GET /api/v1/job_runs', 200)) as Record<string, unknown>;
      expect((list as { job_run_id: string }[]).map(({ job_run_id }) => job_run_id)).toContain(id);
      expect(total).toBe(state.runs.length);
    },
  ],
  [
    'GET /api/v1/job_runs/{job_run_id}',
    'get job run status',
    async () => expect(await send(`GET /api/v1/job_runs/${await ended()}`, 200)).toMatchObject({ status: 'COMPLETED' }),
  ],
  [
    'POST /api/v1/job_runs/{job_run_id}/cancel',
    'cancel a running job',
    async () =>
      expect(await send(`POST /api/v1/job_runs/${await run()}/cancel`, 202)).toMatchObject({ status: 'CANCELING' }),
  ],
  [
    'DELETE /api/v1/job_runs/{job_run_id}',
    'delete a job run',
    async () => {
      const id = await ended();
      await send(`DELETE /api/v1/job_runs/${id}`, 204);
      await send(`GET /api/v1/job_runs/${id}`, 404);
    },
  ],
  [
    'GET /api/v1/job_runs/{job_run_id}/flow_definition',
    'get the flow definition snapshot of the job run, which a later change of the flow leaves alone',
    async () => {
      const id = await flow();
      const { job_run_id } = await send('POST /api/v1/job_runs', 201, { flow_id: id });
      const before = await send(`GET /api/v1/job_runs/${String(job_run_id)}/flow_definition`, 200);
      await send(`PATCH /api/v1/flows/${id}`, 200, { description: 'later' });
      expect(await send(`GET /api/v1/job_runs/${String(job_run_id)}/flow_definition`, 200)).toEqual(before);
    },
  ],
  [
    'GET /api/v1/operators/metadata',
    'list all operators with metadata',
    async () =>
      expect(Object.keys(await send('GET /api/v1/operators/metadata', 200))).toEqual(['ingest_source', 'vectordb']),
  ],
  [
    'GET /api/v1/providers/{provider}/models',
    'list models of a provider; two providers are supported',
    async () => {
      for (const provider of ['localmodel', 'hostedmodel'])
        expect(await send(`GET /api/v1/providers/${provider}/models`, 200)).toMatchObject({
          provider,
          models: [{ model_id: 'm' }],
        });
      await send('GET /api/v1/providers/other/models', 400);
    },
  ],
  [
    'GET /api/v1/document_classes',
    'list all document class definitions bundled with the server',
    async () => {
      const { documentClasses } = await import('../../../services/operator/document-classes');
      expect(documentClasses().length).toBeGreaterThanOrEqual(36);
      const bundled = await startApi({ documentClasses });
      const { body } = await bundled.call('GET', '/api/v1/document_classes', { user: alice });
      expect(body).toHaveLength(documentClasses().length);
      await bundled.close();
    },
  ],
  [
    'POST /api/v1/validation/validate_flow',
    'validate a flow definition before submitting it',
    async () =>
      expect(await send('POST /api/v1/validation/validate_flow', 200, sampleFlow('f'))).toMatchObject({
        status: 'SUCCEEDED',
        errors: [],
      }),
  ],
  [
    'POST /api/v1/document-libraries',
    'create a library',
    async () =>
      expect(await send('POST /api/v1/document-libraries', 201, { name: 'A library' })).toMatchObject({
        name: 'A library',
        document_set_count: 0,
      }),
  ],
  [
    'GET /api/v1/document-libraries',
    'list libraries',
    async () => {
      await library();
      expect((await send('GET /api/v1/document-libraries?limit=1', 200))['items']).toHaveLength(1);
    },
  ],
  [
    'GET /api/v1/document-libraries/{library_id}',
    'get a library',
    async () => {
      const id = await library();
      expect(await send(`GET /api/v1/document-libraries/${id}`, 200)).toMatchObject({ library_id: id });
    },
  ],
  [
    'PATCH /api/v1/document-libraries/{library_id}',
    'update a library',
    async () =>
      expect(await send(`PATCH /api/v1/document-libraries/${await library()}`, 200, { purpose: 'x' })).toMatchObject({
        purpose: 'x',
      }),
  ],
  [
    'DELETE /api/v1/document-libraries/{library_id}',
    'delete a library',
    async () => {
      const id = await library();
      await send(`DELETE /api/v1/document-libraries/${id}`, 204);
      await send(`GET /api/v1/document-libraries/${id}`, 404);
    },
  ],
  [
    'PUT /api/v1/document-libraries/{library_id}/document-sets',
    'add a document set to a library',
    async () => {
      const [id, member] = [await library(), await set()];
      await send(`PUT /api/v1/document-libraries/${id}/document-sets`, 204, { document_set_ids: [member] });
      const again = await send(`PUT /api/v1/document-libraries/${id}/document-sets`, 200, {
        document_set_ids: [member],
      });
      expect(again).toMatchObject({ library_id: id, document_set_count: 1 });
      expect(await send(`GET /api/v1/document-libraries/${id}`, 200)).toMatchObject({ document_set_count: 1 });
    },
  ],
  [
    'DELETE /api/v1/document-libraries/{library_id}/document-sets',
    'remove a document set from a library',
    async () => {
      const [id, member] = [await library(), await set()];
      const sets = `/api/v1/document-libraries/${id}/document-sets`;
      await send(`PUT ${sets}?document_sets_ids=${member}`, 204);
      await send(`DELETE ${sets}?document_sets_ids=${member}`, 204);
      expect(await send(`GET ${sets}`, 200)).toMatchObject({ document_sets: [], total: 0 });
      await send(`GET /api/v1/document-sets/${member}`, 200);
    },
  ],
  [
    'GET /api/v1/document-libraries/{library_id}/document-sets',
    "list the library's document sets",
    async () => {
      const [id, member] = [await library(), await set()];
      await send(`PUT /api/v1/document-libraries/${id}/document-sets?document_sets_ids=${member}`, 204);
      expect(await send(`GET /api/v1/document-libraries/${id}/document-sets`, 200)).toMatchObject({
        document_sets: [{ id: member }],
        total: 1,
      });
    },
  ],
  [
    'POST /api/v1/document-sets',
    'create a document set',
    async () =>
      expect(await send('POST /api/v1/document-sets', 201, { name: 'A_set-1' })).toMatchObject({ name: 'A_set-1' }),
  ],
  [
    'GET /api/v1/document-sets',
    'list document sets',
    async () => {
      await set();
      expect((await send('GET /api/v1/document-sets?limit=1', 200))['items']).toHaveLength(1);
    },
  ],
  [
    'GET /api/v1/document-sets/{set_id}',
    'get a document set',
    async () => {
      const id = await set();
      expect(await send(`GET /api/v1/document-sets/${id}`, 200)).toMatchObject({ id, total_documents: 0 });
    },
  ],
  [
    'PATCH /api/v1/document-sets/{set_id}',
    'update a document set',
    async () =>
      expect(await send(`PATCH /api/v1/document-sets/${await set()}`, 200, { description: 'x' })).toMatchObject({
        description: 'x',
      }),
  ],
  [
    'DELETE /api/v1/document-sets/{set_id}',
    'delete a document set',
    async () => {
      const id = await set();
      await send(`DELETE /api/v1/document-sets/${id}`, 204);
      await send(`GET /api/v1/document-sets/${id}`, 404);
    },
  ],
  [
    'GET /api/v1/document-sets/{set_id}/preview',
    'preview document set data: the rows that the user may read',
    async () => {
      const id = await set();
      const origin = { jobId: 'j', runId: 'r', operator: 'o', startedAt: new Date().toISOString() };
      await services.documentSets.write(id, origin, [
        { id: 'mine', name: 'a', path: 'a', allowed_users: ['alice'] },
        { id: 'theirs', name: 'b', path: 'b', allowed_users: ['bob'] },
        { id: 'nobodys', name: 'c', path: 'c', allowed_users: [] },
      ]);
      expect(await send(`GET /api/v1/document-sets/${id}/preview`, 200)).toMatchObject({
        data: [{ id: 'mine' }],
        total_rows: 1,
      });
    },
  ],
  [
    'GET /api/v1/documents/{document_id}',
    'the document when the user is in its allowed_users; else 404, identical for a missing one',
    async () => {
      expect(await send('GET /api/v1/documents/of-alice', 200)).toMatchObject({ id: 'of-alice' });
      const told = async (id: string, as: typeof bob) => ({
        ...((await send(`GET /api/v1/documents/${id}`, 404, undefined, as)) as object),
        trace: '',
      });
      expect(await told('of-alice', bob)).toEqual(await told('missing', carol));
    },
  ],
  [
    'POST /api/v1/documents/search',
    'results match both the criteria and the access rule; an empty body object is valid',
    async () =>
      expect(await send('POST /api/v1/documents/search', 200, {}, bob)).toMatchObject({
        documents: [{ id: 'of-bob' }],
        total: 1,
      }),
  ],
];

test.each(rows)('%s: %s', async (_endpoint, _purpose, check) => {
  expect.hasAssertions();
  await check();
});

test('the rows are routes, and every route of /api/v1 that the specification has is a row', () => {
  const ours = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  for (const [endpoint] of rows) expect(ours).toContain(endpoint);
  expect(rows).toHaveLength(5 + 7 + 7 + 7 + 6 + 4 + 14 + 2);
});
