import { createEmptyUsage, addUsage } from '../../model/llm/model-host';
import { createModelServer, type Fault, type ModelServer } from '../../test/support/servers/model-server';
import { createLlm } from '../llm/llm';
import { estimateTokens } from '../llm/tokens';
import { createEmbedder } from './embedder';
import type { EmbeddingCache } from './embedding-cache';
import { listPieces, averageVectors } from './pieces';

let server: ModelServer;
const never = new AbortController().signal;
beforeAll(async () => {
  server = await createModelServer();
});
beforeEach(() => server.reset());
afterAll(() => server.stop());

function createMemoryCache(): EmbeddingCache & { kept: Map<string, readonly number[]> } {
  const kept = new Map<string, readonly number[]>();
  return {
    kept,
    get: (keys) =>
      Promise.resolve(new Map(keys.flatMap((key) => (kept.has(key) ? [[key, [...(kept.get(key) ?? [])]]] : [])))),
    forget: () => Promise.resolve(0),
    put: (vectors) => Promise.resolve(vectors.forEach((vector, key) => kept.set(key, vector))),
  };
}
const settings = () => ({
  DOCLOOM_ALLOWED_HOSTS: ['127.0.0.1'],
  LOCALMODEL_HOST: server.url,
  HOSTEDMODEL_API_BASE_URL: server.url,
  DOCLOOM_HOSTEDMODEL_TOKEN_URL: server.tokenUrl,
});
const getEmbedder = (cache?: EmbeddingCache) => createEmbedder(settings(), { cache });
const texts = () => server.asked.filter(({ purpose }) => purpose === 'embed').map((ask) => ask.texts);

describe('every type of host', () => {
  test.each([
    ['local_api', 'native', {}],
    ['local_api', 'openai', { api_base: '/v1' }],
    ['gateway', 'openai', { api_base: '/v1' }],
    ['hosted', 'hosted', { api_key: 'key-embed', container_id: 'p' }],
  ])('%s speaking %s gives vectors in order', async (type, protocol, more: Record<string, string>) => {
    const embedder = getEmbedder();
    const provider = {
      model_id: 'm',
      batch_size: 2,
      ...more,
      ...(more['api_base'] ? { api_base: `${server.url}/v1` } : {}),
    };
    server.vector = (text) => [text.length, 1];
    const usage = createEmptyUsage();
    const vectors = await embedder.embed(
      ['a', 'bb', 'ccc'],
      { type, provider_config: { ...provider, input_price: 1_000_000 } },
      never,
      { onUsage: (used) => addUsage(usage, used) },
    );
    expect(vectors).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
    expect(usage).toEqual({ requests: 2, inputTokens: 3, outputTokens: 0, cost: 3, fromCache: 0 });
    expect(server.asked.filter(({ purpose }) => purpose === 'embed').every((ask) => ask.protocol === protocol)).toBe(
      true,
    );
    embedder.close();
  });

  const hosts = [
    ['local_api', {}, 'LOCALMODEL_CONNECTION_FAILED'],
    ['local_api', { api_base: '/v1' }, 'LOCALMODEL_CONNECTION_FAILED'],
    ['gateway', { api_base: '/v1' }, 'CONNECTION_ERROR'],
    ['hosted', { api_key: 'key-faults', container_id: 'p' }, 'CONNECTION_ERROR'],
  ] as const;
  const faults: [string, Fault, string][] = [
    ['HTML', { body: '<html>' }, 'INVALID_RESPONSE'],
    ['half a JSON', 'half', 'INVALID_RESPONSE'],
    ['another shape', { body: { embeddings: 'no', data: 5, results: null } }, 'INVALID_RESPONSE'],
    ['too few vectors', { body: { embeddings: [], data: [], results: [] } }, 'INVALID_RESPONSE'],
    ['a rejected key', { status: 401, body: '' }, 'HOSTEDMODEL_AUTH_FAILED'],
    ['a rejected text', { status: 413, body: '' }, 'EMBEDDING_REFUSED'],
    ['a closed connection', 'drop', 'away'],
    ['429 for a minute', { status: 429, body: '', headers: { 'retry-after': '60' } }, 'away'],
    ['no answer in time', 'hang', 'away'],
  ];
  test.each(hosts.flatMap(([type, more, away]) => faults.map((fault) => [type, more, away, ...fault] as const)))(
    '%s %j (%s) that answers %s is distinguished',
    async (type, more, away, _name, fault, code) => {
      const embedder = getEmbedder();
      server.fault = ({ purpose }) => (purpose === 'embed' ? fault : undefined);
      const timeout = fault === 'hang' ? 0.3 : 20;
      const base = 'api_base' in more ? { api_base: `${server.url}/v1` } : {};
      const config = { type, provider_config: { model_id: 'm', max_retries: 0, timeout, ...more, ...base } };
      await expect(embedder.embed(['a', 'b'], config, never)).rejects.toMatchObject({
        code: code === 'away' ? away : code,
      });
      embedder.close();
    },
  );

  test.each([
    ['local_api', 'LOCALMODEL_MODEL_NOT_FOUND', {}],
    ['gateway', 'HOSTEDMODEL_MODEL_NOT_FOUND', { api_base: '/v1' }],
  ])('a %s without embeddings is %s', async (type, code, more: Record<string, string>) => {
    const embedder = getEmbedder();
    const provider = { model_id: 'm', max_retries: 0, ...(more['api_base'] ? { api_base: `${server.url}/v1` } : {}) };
    for (const status of [404, 501]) {
      server.fault = () => ({ status, body: 'this model does not support embeddings' });
      await expect(embedder.embed(['a'], { type, provider_config: provider }, never)).rejects.toMatchObject({ code });
    }
    embedder.close();
  });
});

describe('requests', () => {
  const settings = (more: Record<string, unknown> = {}) => ({
    type: 'local_api',
    provider_config: { model_id: 'm', max_retries: 0, max_concurrent_requests: 1, ...more },
  });

  test('respect the token limit; a longer text is sent alone', async () => {
    const embedder = getEmbedder();
    const input = ['x'.repeat(30), 'y'.repeat(30), 'z'.repeat(90), 'w'];
    await embedder.embed(input, settings({ tokens_per_request: 20 }), never);
    expect(texts()).toEqual([input.slice(0, 2), [input[2]], [input[3]]]);
    embedder.close();
  });

  test('equal texts are sent once, and not at all the second time', async () => {
    const cache = createMemoryCache();
    const embedder = getEmbedder(cache);
    const first = await embedder.embed(['a', 'b', 'a'], settings(), never);
    expect(texts()).toEqual([['a', 'b']]);
    const usage = createEmptyUsage();
    const second = await embedder.embed(['a', 'b', 'a'], settings(), never, {
      onUsage: (used) => addUsage(usage, used),
    });
    expect(texts()).toHaveLength(1);
    expect(second).toEqual(first);
    expect(usage).toEqual({ ...createEmptyUsage(), fromCache: 3 });
    await embedder.embed(['a'], settings({ model_id: 'other' }), never);
    expect(texts()).toHaveLength(2);
    embedder.close();
  });

  test('texts that were embedded before a failure are not sent again', async () => {
    const embedder = getEmbedder(createMemoryCache());
    server.fault = (ask) => (ask.texts.includes('c') ? { status: 500, body: '' } : undefined);
    const config = settings({ batch_size: 1 });
    await expect(embedder.embed(['a', 'b', 'c'], config, never)).rejects.toMatchObject({
      code: 'EXTERNAL_SERVICE_ERROR',
    });
    server.asked = [];
    server.fault = () => undefined;
    await embedder.embed(['a', 'b', 'c'], config, never);
    expect(texts()).toEqual([['c']]);
    embedder.close();
  });

  test('vectors of a different length than the cached ones mean a different model: all are sent again', async () => {
    const embedder = getEmbedder(createMemoryCache());
    server.vector = () => [1, 2];
    await embedder.embed(['a', 'b'], settings(), never);
    server.vector = () => [1, 2, 3];
    await expect(embedder.embed(['a', 'b', 'c'], settings(), never)).resolves.toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
    embedder.close();
  });

  test('a text beyond token_limit is cut, and the vectors of its pieces are averaged', async () => {
    const embedder = getEmbedder();
    server.vector = (text) => (text.includes('left') ? [1, 0] : [0, 1]);
    const long = `${'left '.repeat(100)}\n\n${'right '.repeat(100)}`;
    const [vector] = await embedder.embed([long], { ...settings(), token_limit: 100, overlap_ratio: 0 }, never);
    expect(texts().flat().length).toBeGreaterThan(2);
    expect(Math.max(...texts().flat().map(estimateTokens))).toBeLessThanOrEqual(100);
    expect(vector?.every((value) => value > 0.5)).toBe(true);
    expect(Math.hypot(...(vector ?? []))).toBeCloseTo(1);
    embedder.close();
  });
});

test('an embedder uses the llm that it receives, and does not close it', async () => {
  const llm = createLlm(settings());
  const [one, other] = [createEmbedder(settings(), { llm }), createEmbedder(settings(), { llm })];
  const embed = (embedder: typeof one, text: string) =>
    embedder.embed([text], { type: 'local_api', provider_config: { model_id: 'm' } }, never);
  await embed(one, 'before');
  one.close();
  await embed(other, 'after');
  expect(texts()).toEqual([['before'], ['after']]);
  llm.close();
});

describe('pieces of a long text', () => {
  test.each([
    'word '.repeat(5_000),
    '漢字'.repeat(5_000),
    'x'.repeat(20_000),
    `${'a '.repeat(4_000)}${'漢'.repeat(4_000)}`,
  ])('each respects the limit in every script', (text) => {
    const pieces = listPieces(text, 128, 0.2);
    expect(Math.max(...pieces.map(estimateTokens))).toBeLessThanOrEqual(128);
    expect(pieces.length).toBeLessThan(1_000);
    expect(pieces.join('').length).toBeGreaterThanOrEqual(text.trim().length * 0.99 - pieces.length);
  });

  test('a short text is a single piece, and its vector is unchanged', () => {
    expect(listPieces('short', 16, 0.2)).toEqual(['short']);
    expect(averageVectors(['short'], [[3, 4]])).toEqual([3, 4]);
  });

  test('vectors that cancel out leave the first', () => {
    expect(
      averageVectors(
        ['aaa', 'bbb'],
        [
          [1, 0],
          [-1, 0],
        ],
      ),
    ).toEqual([1, 0]);
  });
});
