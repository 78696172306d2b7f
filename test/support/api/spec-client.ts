import { routes } from '../../../api/routes';
import { alice, bob, emptyState, memoryServices, sampleFlow, startApi, type TestApi } from './server';

type Body = Record<string, never>;
/** A row of the specification's tables of endpoints and fixed addresses, with a test of its purpose. */
export type EndpointRow = [endpoint: string, purpose: string, check: () => Promise<void>];

/** Tests each row, and that its endpoint is a route. `count` is the number of endpoints of the subject in the specification. */
export function testEndpoints(rows: readonly EndpointRow[], count: number): void {
  test.each(rows)('%s: %s', async (_endpoint, _purpose, check) => {
    expect.hasAssertions();
    await check();
  });

  test('every endpoint of the specification has a row, and every row a route', () => {
    const known = new Set(routes.map(({ method, path }) => `${method} ${path}`));
    for (const [endpoint] of rows) expect(known).toContain(endpoint);
    expect(rows).toHaveLength(count);
  });
}

/** An api in memory, started before the tests of the file, with functions that create resources of alice. */
export function createSpecClient() {
  const state = emptyState();
  const services = memoryServices(state);
  let api: TestApi;
  beforeAll(async () => {
    api = await startSpecApi(services);
  });
  afterAll(() => api.close());

  let counter = 0;
  const makeUnique = (name: string) => `${name}${(counter += 1)}`;
  /** The body of the reply to a request of alice, which must have the status. Paths start at the root. */
  async function send(request: string, status: number, body?: unknown, user = alice): Promise<Body> {
    const [method = '', path = ''] = request.split(' ');
    const reply = await api.call(method, path, { user, body });
    expect({ request, status: reply.status, ...(reply.status === status ? {} : { body: reply.body }) }).toEqual({
      request,
      status,
    });
    return reply.body;
  }
  const create = async (path: string, body: object, idName: string) =>
    String((await send(`POST /api/v1/${path}`, 201, body))[idName]);
  const createFlow = (more = {}) => create('flows', { ...sampleFlow(makeUnique('f')), ...more }, 'flow_id');
  const createRun = async () =>
    create('job_runs', { entity: { job: { asset_ref: await createFlow() } } }, 'job_run_id');
  return {
    state,
    services,
    makeUnique,
    send,
    /** Sends a request without a token. */
    sendAnonymously: (path: string, init: RequestInit = {}) => fetch(`${api.url}${path}`, init),
    createFlow,
    createRun,
    createProject: () => create('projects', { name: makeUnique('p') }, 'project_id'),
    createLibrary: () => create('document-libraries', { name: makeUnique('Library') }, 'library_id'),
    createSet: () => create('document-sets', { name: makeUnique('set') }, 'id'),
    createEndedRun: async () => {
      const id = await createRun();
      await services.runsStore.update(id, { status: 'COMPLETED' });
      return id;
    },
  };
}

function startSpecApi(services: ReturnType<typeof memoryServices>): Promise<TestApi> {
  const provider = { name: 'generic', display_name: 'Example' };
  const oidc = {
    listProviders: () => [provider],
    resolve: () => 'generic',
    readMetadata: async () => ({ issuer: 'https://login.example' }),
    buildAuthorizeAddress: async ({ state: secret }: { state: string }) => `https://login.example/?state=${secret}`,
    finish: async () => bob,
  };
  const models = { list: async () => [{ model_id: 'm', description: null, functions: [], embedding_dimension: 3 }] };
  const documentClasses = () => [{ document_type: 'invoice' }] as never;
  return startApi({ ...services, oidc, models, documentClasses });
}
