import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createModelCatalogue, type ModelCatalogue } from './model-catalogue';

type Answers = Record<string, (body: { model?: string }, url: URL) => { status?: number; body: unknown }>;
let server: Server;
let base = '';
let answers: Answers = {};
let requests: string[] = [];
let now = 0;
const open: ModelCatalogue[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    void read(request).then((body) => {
      const url = new URL(request.url ?? '', base);
      requests.push(`${request.method} ${url.pathname}${body.model ? ` ${body.model}` : ''}`);
      const { status = 200, body: said } = answers[url.pathname]?.(body, url) ?? { status: 404, body: {} };
      response.statusCode = status;
      response.end(typeof said === 'string' ? said : JSON.stringify(said));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  requests = [];
  answers = {};
});
afterAll(async () => {
  for (const catalogue of open) catalogue.close();
  await new Promise((resolve) => server.close(resolve));
});

async function read(request: IncomingMessage): Promise<{ model?: string }> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  return parts.length === 0 ? {} : (JSON.parse(Buffer.concat(parts).toString()) as { model?: string });
}

function catalogue(settings: Partial<Parameters<typeof createModelCatalogue>[0]> = {}): ModelCatalogue {
  const modelCatalogue = createModelCatalogue(
    { DOCLOOM_ALLOWED_HOSTS: [], LOCALMODEL_HOST: base, HOSTEDMODEL_API_BASE_URL: base, ...settings },
    { clock: () => now },
  );
  open.push(modelCatalogue);
  return modelCatalogue;
}

const shown: Record<string, unknown> = {
  told: { capabilities: ['embedding'], model_info: { 'general.architecture': 'bert', 'bert.embedding_length': 384 } },
  silent: { capabilities: ['embedding'] },
  old: { model_info: { 'general.architecture': 'nomic-bert', 'nomic-bert.embedding_length': 768 } },
  writer: {
    capabilities: ['completion', 'tools'],
    model_info: { 'general.architecture': 'x', 'x.embedding_length': 9 },
  },
};
const local: Answers = {
  '/api/tags': () => ({
    body: {
      models: [
        { name: 'writer', digest: 'd1', details: { family: 'x', parameter_size: '8B', quantization_level: 'Q4_0' } },
        { name: 'told', digest: 'd2' },
        { name: 'silent', digest: 'd3' },
        { name: 'old', digest: 'd4' },
        { name: 'broken', digest: 'd5' },
      ],
    },
  }),
  '/api/show': ({ model = '' }) => (shown[model] ? { body: shown[model] } : { status: 500, body: {} }),
  '/api/embed': () => ({ body: { embeddings: [[1, 2, 3]] } }),
};

describe('the local host', () => {
  test('its models are listed with their abilities; an unknown dimension is probed', async () => {
    answers = local;
    expect(await catalogue().list('localmodel')).toEqual([
      { model_id: 'broken', description: null, functions: [], embedding_dimension: null },
      { model_id: 'old', description: null, functions: ['embedding'], embedding_dimension: 768 },
      { model_id: 'silent', description: null, functions: ['embedding'], embedding_dimension: 3 },
      { model_id: 'told', description: null, functions: ['embedding'], embedding_dimension: 384 },
      {
        model_id: 'writer',
        description: 'x, 8B, Q4_0',
        functions: ['text_generation', 'tools'],
        embedding_dimension: null,
      },
    ]);
    expect(requests.filter((line) => line.includes('/api/embed'))).toEqual(['POST /api/embed silent']);
  });

  test('concurrent callers share the request; after a minute only the list is requested again', async () => {
    answers = local;
    now = 0;
    const modelCatalogue = catalogue();
    await Promise.all([modelCatalogue.list('localmodel'), modelCatalogue.list('localmodel')]);
    expect(requests.filter((line) => line === 'GET /api/tags')).toHaveLength(1);
    requests = [];
    now = 59_000;
    await modelCatalogue.list('localmodel');
    expect(requests).toEqual([]);
    now = 61_000;
    await modelCatalogue.list('localmodel');
    expect(requests).toEqual(['GET /api/tags', 'POST /api/show broken']);
  });

  test('that is unavailable is LOCALMODEL_CONNECTION_FAILED, and is tried again the next time', async () => {
    const modelCatalogue = catalogue({ LOCALMODEL_HOST: 'http://127.0.0.1:1' });
    for (const _ of [1, 2])
      await expect(modelCatalogue.list('localmodel')).rejects.toMatchObject({ code: 'LOCALMODEL_CONNECTION_FAILED' });
  });

  test.each([
    ['no JSON', { body: 'hello' }],
    ['another shape', { body: { models: [{}] } }],
    ['an error', { status: 500, body: {} }],
    ['a redirect', { status: 302, body: {} }],
  ])('that answers %s is INVALID_RESPONSE', async (_name, answer) => {
    answers = { '/api/tags': () => answer };
    await expect(catalogue().list('localmodel')).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
  });
});

describe('the hosted vendor', () => {
  const specs = '/ml/v1/foundation_model_specs';

  test('all pages are read, only from the configured server', async () => {
    answers = {
      [specs]: (_body, url) =>
        url.searchParams.get('start') === 'two'
          ? {
              body: {
                resources: [
                  { model_id: 'b', functions: [{ id: 'embedding' }], model_limits: { embedding_dimension: 384 } },
                ],
              },
            }
          : {
              body: {
                resources: [{ model_id: 'c', short_description: 'Writes.', functions: [{ id: 'text_generation' }] }],
                next: { href: 'https://elsewhere.example/list?start=two' },
              },
            },
    };
    expect(await catalogue().list('hostedmodel')).toEqual([
      { model_id: 'b', description: null, functions: ['embedding'], embedding_dimension: 384 },
      { model_id: 'c', description: 'Writes.', functions: ['text_generation'], embedding_dimension: null },
    ]);
    expect(requests).toEqual([`GET ${specs}`, `GET ${specs}`]);
  });

  test.each([
    [401, 'HOSTEDMODEL_AUTH_FAILED'],
    [503, 'EXTERNAL_SERVICE_ERROR'],
    [404, 'INVALID_RESPONSE'],
  ])('an answer %i is %s', async (status, code) => {
    answers = { [specs]: () => ({ status, body: {} }) };
    await expect(catalogue().list('hostedmodel')).rejects.toMatchObject({ code });
  });

  test('without its setting it is MISSING_CONFIGURATION; unavailable it is CONNECTION_ERROR', async () => {
    const none = catalogue({ HOSTEDMODEL_API_BASE_URL: undefined });
    await expect(none.list('hostedmodel')).rejects.toMatchObject({ code: 'MISSING_CONFIGURATION' });
    const away = catalogue({ HOSTEDMODEL_API_BASE_URL: 'http://127.0.0.1:1' });
    await expect(away.list('hostedmodel')).rejects.toMatchObject({ code: 'CONNECTION_ERROR' });
  });

  test.each(['http://vendor.example', 'vendor', 'https://user:pass@vendor.example', 'file:///etc/passwd'])(
    'the address %s of a request is INVALID_API_BASE',
    async (address) => {
      await expect(catalogue().list('hostedmodel', address)).rejects.toMatchObject({ code: 'INVALID_API_BASE' });
    },
  );

  test('a private address in a request is rejected, even where the configured one is private', async () => {
    for (const address of ['https://127.0.0.1', 'https://169.254.169.254', 'https://[::1]:8443'])
      await expect(catalogue().list('hostedmodel', address)).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
  });
});
