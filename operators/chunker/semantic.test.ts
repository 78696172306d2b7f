import type { Row } from '../../model/flow/row';
import { createEmbedder } from '../../services/embedding/embedder';
import { contextFor } from '../../test/support/operators/operator-test-support';
import { createModelServer, type ModelServer } from '../../test/support/servers/model-server';
import { run } from './run';

let server: ModelServer;
let embedder: ReturnType<typeof createEmbedder>;
beforeAll(async () => {
  server = await createModelServer();
  embedder = createEmbedder({
    DOCLOOM_ALLOWED_HOSTS: ['127.0.0.1'],
    LOCALMODEL_HOST: server.url,
    HOSTEDMODEL_API_BASE_URL: server.url,
    DOCLOOM_HOSTEDMODEL_TOKEN_URL: server.tokenUrl,
  });
});
beforeEach(() => server.reset());
afterAll(async () => {
  embedder.close();
  await server.stop();
});

const context = (signal = new AbortController().signal) => contextFor({ embedder }, { signal });
const row = (id: string, content: string): Row => ({
  id,
  name: `${id}.md`,
  path: '',
  content,
  allowed_users: ['anna'],
});
const animals =
  'cats purr at night. cats climb trees. cats nap all day. ships sail far. ships sink deep. ships rust soon.';
const semantic = (more: object = {}) => ({ chunk_type: 'semantic' as const, sentence_buffer: 0, ...more });
const local = { semantic_embeddings_model: 'embedder', provider_config: { max_retries: 0 } };

describe('semantic chunks', () => {
  test.each([
    ['a local model', local],
    ['the address of a host', { ...local, provider_config: { host: 'URL', max_retries: 0 } }],
    ['a local api', { embeddings: { type: 'local_api', provider_config: { model_id: 'm', api_base: 'URL/v1' } } }],
    ['a gateway', { embeddings: { type: 'gateway', provider_config: { model_id: 'm', api_base: 'URL/v1' } } }],
    [
      'a hosted vendor',
      { embeddings: { type: 'hosted', provider_config: { model_id: 'm', api_key: 'k', container_id: 'p' } } },
    ],
  ])('end where the vectors of %s change', async (_name, input) => {
    const more = JSON.parse(JSON.stringify(input).replaceAll('URL', server.url)) as object;
    server.vector = (text) => (text.includes('cats') ? [1, 0, 0.1] : [0, 1, 0.1]);
    const { rows, metrics } = await run([row('a', animals)], semantic(more), context());
    expect(rows.map(({ content }) => content)).toEqual([animals.slice(0, 55), animals.slice(56)]);
    expect(rows[1]).toMatchObject({
      id: 'a_1',
      document_id: 'a',
      chunk_index: 1,
      start_index: 56,
      allowed_users: ['anna'],
    });
    expect(metrics).toMatchObject({ total_chunks: 2, model_requests: 1 });
  });

  test('the hashing embedder makes them without a model', async () => {
    const text = `${'The cat purrs and the cat naps. '.repeat(4)}${'Ships sail and ships sink. '.repeat(4)}`.trim();
    const config = semantic({ embeddings: { type: 'hashing' }, breakpoint_threshold_amount: 80 });
    const { rows } = await run([row('a', text)], config, context());
    expect(rows.map(({ content }) => content?.slice(0, 5))).toEqual(['The c', 'Ships']);
  });

  test('one sentence sends no request, and a document without text is skipped', async () => {
    const { rows, skipped } = await run([row('a', 'Only one.'), row('b', ' ')], semantic(local), context());
    expect(rows.map(({ content }) => content)).toEqual(['Only one.']);
    expect(skipped).toMatchObject([{ id: 'b' }]);
    expect(server.asked).toEqual([]);
  });

  test('a host that has no embeddings, lacks the model or is unavailable fails the operator with its code', async () => {
    const ask = (more: object) => run([row('a', animals)], semantic(more), context());
    server.fault = () => ({ status: 501, body: 'this model does not support embeddings' });
    await expect(ask(local)).rejects.toMatchObject({ code: 'LOCALMODEL_MODEL_NOT_FOUND' });
    server.reset();
    server.models = ['another'];
    await expect(ask(local)).rejects.toMatchObject({ code: 'LOCALMODEL_MODEL_NOT_FOUND' });
    const away = { ...local, provider_config: { host: 'http://127.0.0.1:2', max_retries: 0 } };
    await expect(ask(away)).rejects.toMatchObject({
      code: 'LOCALMODEL_CONNECTION_FAILED',
      details: { isFinal: true },
    });
    server.fault = () => ({ body: '<html>' });
    await expect(ask(local)).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
  });

  test('a text that the host rejects fails its document alone', async () => {
    server.fault = (ask) => (ask.texts.some((text) => text.includes('bad')) ? { status: 400, body: 'no' } : undefined);
    const { rows, failed } = await run(
      [row('a', 'bad one. bad two.'), row('b', 'Good. Fine.')],
      semantic(local),
      context(),
    );
    expect(failed).toMatchObject([{ id: 'a', code: 'EMBEDDING_REFUSED' }]);
    expect(rows.every(({ document_id }) => document_id === 'b')).toBe(true);
  });

  test('a cancellation ends a request under way', async () => {
    const controller = new AbortController();
    server.fault = () => {
      controller.abort(new Error('cancelled'));
      return 'hang';
    };
    await expect(run([row('a', animals)], semantic(local), context(controller.signal))).rejects.toThrow('cancelled');
  });
});
