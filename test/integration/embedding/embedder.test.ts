import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEmbedder } from '../../../services/embedding/embedder';
import { hashText } from '../../../services/embedding/hashing';

interface Ask {
  path: string;
  authorization: string | undefined;
  model: string;
  input: string[];
  dimensions?: number;
}
type Reply = { status: number; body: unknown; headers?: Record<string, string> } | 'hang' | 'drop';

/** A model host with scripted answers; it records the requests. */
let reply: (ask: Ask, nth: number) => Reply | Promise<Reply>;
let questions: Ask[];
let open: number;
let maxOpen: number;
let server: Server;
let base: string;

const embedder = createEmbedder({ DOCLOOM_ALLOWED_HOSTS: ['127.0.0.1'], LOCALMODEL_HOST: 'http://127.0.0.1:2' });
const never = new AbortController().signal;
const vector = (text: string, length = 3) => Array.from({ length }, (_, index) => text.length + index);
const good = (ask: Ask): Reply => ({
  status: 200,
  body: {
    object: 'list',
    model: ask.model,
    data: ask.input.map((text, index) => ({ object: 'embedding', index, embedding: vector(text) })),
  },
});

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
beforeEach(() => {
  questions = [];
  open = 0;
  maxOpen = 0;
  reply = good;
});
afterAll(async () => {
  embedder.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  maxOpen = Math.max(maxOpen, ++open);
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  const ask = {
    ...(JSON.parse(Buffer.concat(parts).toString()) as Ask),
    path: request.url ?? '',
    authorization: request.headers.authorization,
  };
  questions.push(ask);
  const input = await reply(ask, questions.length);
  open--;
  if (input === 'hang') return;
  if (input === 'drop') return void request.socket.destroy();
  const body = typeof input.body === 'string' ? input.body : JSON.stringify(input.body);
  response.writeHead(input.status, { 'content-type': 'application/json', ...input.headers }).end(body);
}

function embed(
  texts: string[],
  provider: Record<string, unknown> = {},
  signal = never,
  progress?: (done: number) => void,
) {
  return embedder.embed(
    texts,
    { type: 'local_api', provider_config: { api_base: base, model_id: 'm1', ...provider } },
    signal,
    { progress },
  );
}

describe('the OpenAI-compatible embedder', () => {
  test('texts are sent in batches and vectors have the order of the texts', async () => {
    const texts = Array.from({ length: 10 }, (_, index) => 'x'.repeat(index + 1));
    const done: number[] = [];
    const vectors = await embed(texts, { batch_size: 4, api_key: 'k' }, never, (count) => done.push(count));
    expect(vectors).toEqual(texts.map((text) => vector(text)));
    expect(questions.map(({ input }) => input.length).toSorted((a, b) => a - b)).toEqual([2, 4, 4]);
    expect(questions[0]).toMatchObject({ path: '/v1/embeddings', model: 'm1', authorization: 'Bearer k' });
    expect(questions[0]).not.toHaveProperty('dimensions');
    expect(done.at(-1)).toBe(10);
  });

  test('no more requests are open than max_concurrent_requests', async () => {
    reply = async (ask) => {
      await new Promise((resolve) => setImmediate(resolve));
      return good(ask);
    };
    await embed(
      Array.from({ length: 40 }, (_, index) => `text ${index}`),
      { batch_size: 2, max_concurrent_requests: 3 },
    );
    expect(questions).toHaveLength(20);
    expect(maxOpen).toBeLessThanOrEqual(3);
  });

  test('the index of the answer decides, not its order', async () => {
    reply = (ask) => {
      const { body } = good(ask) as { body: { data: unknown[] } };
      return { status: 200, body: { ...body, data: body.data.toReversed() } };
    };
    await expect(embed(['a', 'bb', 'ccc'])).resolves.toEqual([vector('a'), vector('bb'), vector('ccc')]);
  });

  test('a text of white space is sent as a placeholder, since hosts reject empty inputs', async () => {
    await embed(['a', '  ', '']);
    expect(questions[0]?.input).toEqual(['a', '(empty)']);
  });

  test('an api_base that ends with /embeddings is not lengthened, and no key means no header', async () => {
    await embed(['a'], { api_base: `${base}/embeddings/` });
    expect(questions[0]).toMatchObject({ path: '/v1/embeddings', authorization: undefined });
  });

  test('no texts send no request', async () => {
    await expect(embed([])).resolves.toEqual([]);
    expect(questions).toHaveLength(0);
  });

  test.each(['1', () => new Date(Date.now() + 2_000).toUTCString()])(
    '429 is tried again after the time that Retry-After names (%s)',
    async (header) => {
      const times: number[] = [];
      reply = (ask, nth) => {
        times.push(Date.now());
        return nth === 1
          ? {
              status: 429,
              body: 'slow down',
              headers: { 'retry-after': typeof header === 'string' ? header : header() },
            }
          : good(ask);
      };
      await expect(embed(['a'])).resolves.toEqual([vector('a')]);
      // A date has whole seconds, so up to one of the two is cut off.
      expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(950);
    },
  );

  test('a delay beyond the limit ends the request, and the error contains it', async () => {
    reply = () => ({ status: 429, body: '', headers: { 'retry-after': '3600' } });
    await expect(embed(['a'])).rejects.toMatchObject({
      code: 'LOCALMODEL_CONNECTION_FAILED',
      details: { retryAfterMs: 3_600_000 },
    });
    expect(questions).toHaveLength(1);
  });

  test.each([500, 502, 503, 504])('%i is tried again', async (status) => {
    reply = (ask, nth) => (nth === 1 ? { status, body: 'oops', headers: { 'retry-after': '0' } } : good(ask));
    await expect(embed(['a'])).resolves.toEqual([vector('a')]);
    expect(questions).toHaveLength(2);
  });

  test('a dropped connection is tried again', async () => {
    reply = (ask, nth) => (nth === 1 ? 'drop' : good(ask));
    await expect(embed(['a'])).resolves.toEqual([vector('a')]);
  });

  test('the number of attempts is limited', async () => {
    reply = () => ({ status: 503, body: 'busy', headers: { 'retry-after': '0' } });
    await expect(embed(['a'], { max_retries: 2 })).rejects.toMatchObject({
      code: 'LOCALMODEL_CONNECTION_FAILED',
      message: expect.stringContaining('503: busy'),
    });
    expect(questions).toHaveLength(3);
  });

  test.each([
    [401, 'HOSTEDMODEL_AUTH_FAILED', 'credentials'],
    [403, 'HOSTEDMODEL_AUTH_FAILED', 'credentials'],
    [404, 'LOCALMODEL_MODEL_NOT_FOUND', "no model 'm1'"],
    [400, 'EMBEDDING_REFUSED', '400: too long'],
    [413, 'EMBEDDING_REFUSED', '413: too long'],
    [302, 'INVALID_RESPONSE', '302'],
  ])('%i is %s and is not tried again', async (status, code, message) => {
    reply = () => ({ status, body: 'too long', headers: { location: '/elsewhere' } });
    await expect(embed(['a'])).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    expect(questions).toHaveLength(1);
  });

  test('a key that the host repeats is not in the message', async () => {
    reply = () => ({ status: 401, body: 'Incorrect API key provided: sk-abcdef123456.' });
    await expect(embed(['a'], { api_key: 'sk-abcdef123456' })).rejects.toMatchObject({
      message: expect.not.stringContaining('abcdef'),
    });
  });

  test.each([
    ['no JSON', '<html>'],
    ['another shape', { vectors: [] }],
    ['too few vectors', { data: [{ index: 0, embedding: [1] }] }],
    [
      'an index twice',
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 0, embedding: [2] },
        ],
      },
    ],
    [
      'an index out of range',
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 2, embedding: [2] },
        ],
      },
    ],
    [
      'a negative index',
      {
        data: [
          { index: 0, embedding: [1] },
          { index: -1, embedding: [2] },
        ],
      },
    ],
    [
      'texts for numbers',
      {
        data: [
          { index: 0, embedding: ['1'] },
          { index: 1, embedding: [2] },
        ],
      },
    ],
    [
      'an empty vector',
      {
        data: [
          { index: 0, embedding: [] },
          { index: 1, embedding: [2] },
        ],
      },
    ],
  ])('%s is INVALID_RESPONSE', async (_, body) => {
    reply = () => ({ status: 200, body });
    await expect(embed(['a', 'b'])).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
  });

  test('vectors of unequal length are EMBEDDING_DIMENSION_MISMATCH, across requests too', async () => {
    reply = (ask) => ({
      status: 200,
      body: { data: [{ index: 0, embedding: vector('v', ask.input[0] === 'a' ? 3 : 4) }] },
    });
    await expect(embed(['a', 'b'], { batch_size: 1 })).rejects.toMatchObject({
      code: 'EMBEDDING_DIMENSION_MISMATCH',
      message: expect.stringMatching(/3.*4|4.*3/),
    });
  });

  test('dimensions is sent to the host and checked in its answer', async () => {
    await expect(embed(['a'], { dimensions: 3 })).resolves.toEqual([vector('a')]);
    expect(questions[0]?.dimensions).toBe(3);
    await expect(embed(['a'], { dimensions: 5 })).rejects.toMatchObject({
      code: 'EMBEDDING_DIMENSION_MISMATCH',
      message: expect.stringMatching(/3 dimensions.*5/),
    });
  });

  test('a host that does not answer in time is LOCALMODEL_CONNECTION_FAILED', async () => {
    reply = () => 'hang';
    await expect(embed(['a'], { timeout: 0.1, max_retries: 0 })).rejects.toMatchObject({
      code: 'LOCALMODEL_CONNECTION_FAILED',
      message: expect.stringContaining('has not answered within 0.1 s'),
    });
  });

  test('an unreachable host is LOCALMODEL_CONNECTION_FAILED, including the default host', async () => {
    await expect(embed(['a'], { api_base: 'http://127.0.0.1:2/v1', max_retries: 0 })).rejects.toMatchObject({
      code: 'LOCALMODEL_CONNECTION_FAILED',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    await expect(embed(['a'], { api_base: undefined, max_retries: 0 })).rejects.toMatchObject({
      code: 'LOCALMODEL_CONNECTION_FAILED',
      message: expect.stringContaining('http://127.0.0.1:2 '),
    });
  });

  test('an abort ends a request that is under way with the reason of the signal', async () => {
    const controller = new AbortController();
    reply = () => {
      controller.abort(new Error('cancelled'));
      return 'hang';
    };
    await expect(embed(['a'], {}, controller.signal)).rejects.toThrow('cancelled');
  });

  test('an abort ends a wait between attempts', async () => {
    const controller = new AbortController();
    reply = () => {
      setImmediate(() => controller.abort(new Error('cancelled')));
      return { status: 429, body: '', headers: { 'retry-after': '50' } };
    };
    await expect(embed(['a'], {}, controller.signal)).rejects.toThrow('cancelled');
  });

  test('one failed request cancels the others', async () => {
    reply = (ask) => (ask.input[0] === 'bad' ? { status: 401, body: '' } : 'hang');
    await expect(embed(['a', 'b', 'bad'], { batch_size: 1, timeout: 30 })).rejects.toMatchObject({
      code: 'HOSTEDMODEL_AUTH_FAILED',
    });
  });

  test('private hosts that are not on the allowlist are rejected, by address and by name', async () => {
    const strict = createEmbedder({ DOCLOOM_ALLOWED_HOSTS: [], LOCALMODEL_HOST: 'http://127.0.0.1:2' });
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433', '169.254.169.254']) {
      const config = {
        type: 'local_api',
        provider_config: { api_base: base.replace('127.0.0.1', host), model_id: 'm' },
      };
      await expect(strict.embed(['a'], config, never)).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
    }
    expect(questions).toHaveLength(0);
    strict.close();
  });

  test.each(['ollama', 'openai'])('%s is another name of it, and provider of type', async (name) => {
    await expect(
      embedder.embed(['a'], { provider: name, provider_config: { api_base: base, model_id: 'm1' } }, never),
    ).resolves.toEqual([vector('a')]);
  });

  test.each([
    [{ type: 'local_api', provider_config: {} }, 'model_id'],
    [{ type: 'local_api', provider_config: { model_id: 'm', api_base: 'ftp://x' } }, 'api_base'],
    [{ type: 'local_api', provider_config: { model_id: 'm', api_base: 'nonsense' } }, 'api_base'],
    [{ type: 'local_api', provider_config: { model_id: 'm', batch_size: 0 } }, '/batch_size'],
    [{ type: 'gateway', provider_config: { model_id: 'm' } }, 'api_base'],
    [{ type: 'watsonx', provider_config: { model_id: 'm', container_id: 'c' } }, 'api_key'],
    [{ type: 'onnx', provider_config: { model_id: 'm' } }, 'DOCLOOM_MODELS_FOLDER'],
    [{ type: 'word2vec' }, 'word2vec'],
  ])('%j is OPERATOR_CONFIGURATION_INVALID', async (config, message) => {
    await expect(embedder.embed(['a'], config, never)).rejects.toMatchObject({
      code: 'OPERATOR_CONFIGURATION_INVALID',
      message: expect.stringContaining(message),
    });
  });
});

describe('the hashing embedder', () => {
  test('is the default, with 384 dimensions, and calls no host', async () => {
    const [first] = await embedder.embed(['some words'], {}, never);
    expect(first).toEqual(hashText('some words', 384));
    await expect(
      embedder.embed(['some words'], { type: 'hashing', provider_config: { dimensions: 64 } }, never),
    ).resolves.toEqual([hashText('some words', 64)]);
  });
});
