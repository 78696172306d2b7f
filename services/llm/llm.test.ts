import type { ModelUsage } from '../../model/llm/model-host';
import { createModelServer, type Fault, type ModelServer } from '../../test/support/servers/model-server';
import { createLlm } from './llm';
import type { ChatRequest } from './ports';

let server: ModelServer;
let llm: ReturnType<typeof createLlm>;
const never = new AbortController().signal;

beforeAll(async () => {
  server = await createModelServer();
  llm = createLlm({
    DOCLOOM_ALLOWED_HOSTS: ['127.0.0.1'],
    LOCALMODEL_HOST: server.url,
    HOSTEDMODEL_API_BASE_URL: server.url,
    DOCLOOM_HOSTEDMODEL_TOKEN_URL: server.tokenUrl,
  });
});
beforeEach(() => server.reset());
afterAll(async () => {
  llm.close();
  await server.stop();
});

const hosted = { container_id: 'p1', api_key: 'key-12345678' };
const hosts: [string, Record<string, unknown>][] = [
  ['local_api', {}],
  ['local_api', { api_base: 'URL/v1' }],
  ['gateway', { api_base: 'URL/v1', api_key: 'k' }],
  ['hosted', hosted],
];
const settings = (type: string, more: Record<string, unknown> = {}) => ({
  type,
  provider_config: JSON.parse(
    JSON.stringify({ model_id: 'm1', max_retries: 1, ...more }).replaceAll('URL', server.url),
  ) as Record<string, unknown>,
});
const hello: ChatRequest = { messages: [{ role: 'user', content: 'Say hello to Anna' }] };
const schema = {
  name: 'greeting',
  schema: {
    type: 'object',
    properties: { word: { type: 'string' }, count: { type: 'integer' } },
    required: ['word', 'count'],
    additionalProperties: false,
  },
};
const good = { word: 'hello', count: 2 };

describe.each(hosts)('a chat with a host of the type %s %j', (type, more) => {
  const chat = (request = hello, own: Record<string, unknown> = {}, signal = never) =>
    llm.chat(request, settings(type, { ...more, ...own }), signal);

  test('returns the answer, usage and cost', async () => {
    server.answer = ({ messages }) => `Hello, ${messages[0]?.content.split(' ').at(-1)}!`;
    const used: ModelUsage[] = [];
    const config = settings(type, { ...more, input_price: 1_000_000, output_price: 10 });
    const answer = await llm.chat(hello, config, never, (usage) => used.push(usage));
    expect(answer).toMatchObject({ text: 'Hello, Anna!', isTruncated: false });
    expect(used).toEqual([{ requests: 1, inputTokens: 4, outputTokens: 2, cost: 4.00002, fromCache: 0 }]);
    expect(server.asked.at(-1)).toMatchObject({ purpose: 'chat', model: 'm1', messages: hello.messages });
  });

  test('returns a value that fits the schema, which is sent to the host', async () => {
    server.answer = () => good;
    await expect(chat({ ...hello, schema })).resolves.toMatchObject({ value: good });
    expect(server.asked.at(-1)?.schema).toEqual(schema.schema);
  });

  test('the schema is strict if the host supports strict mode, and absent members may be null', async () => {
    server.answer = () => ({ ...good, note: null });
    const { word, count } = schema.schema.properties;
    const free = { type: 'object', properties: { word, count, note: { type: 'string' } }, required: ['word', 'count'] };
    expect(await chat({ ...hello, schema: { name: 'free', schema: free } })).toMatchObject({ value: good });
    const lastRequest = server.asked.at(-1);
    const format = lastRequest?.body['response_format'] as { json_schema: object } | undefined;
    const note = { anyOf: [{ type: 'string' }, { type: 'null' }] };
    const strict = {
      ...free,
      properties: { word, count, note },
      required: ['word', 'count', 'note'],
      additionalProperties: false,
    };
    // The native protocol has no strict mode.
    expect(format?.json_schema ?? { name: 'free', strict: true, schema: strict }).toEqual({
      name: 'free',
      strict: true,
      schema: strict,
    });
    expect(lastRequest?.schema).toEqual(format ? strict : free);
  });

  test('puts the schema into words if the host rejects it, and remembers that', async () => {
    server.answer = ({ messages }) =>
      messages[0]?.content.includes('JSON Schema') ? `Sure: ${JSON.stringify(good)}` : 'no';
    server.fault = ({ schema: given }) => (given ? { status: 400, body: 'unknown field' } : undefined);
    const own = { model_id: `words-${type}` };
    await expect(chat({ ...hello, schema }, own)).resolves.toMatchObject({ value: good });
    await expect(chat({ ...hello, schema }, own)).resolves.toMatchObject({ value: good });
    expect(server.asked.filter(({ schema: given }) => given)).toHaveLength(1);
  });

  test('shows the model the problems of its answer, up to the configured number of times', async () => {
    server.answer = (ask) => (ask.messages.length === 1 ? { word: 'hello' } : good);
    await expect(chat({ ...hello, schema })).resolves.toMatchObject({ value: good });
    expect(server.asked.at(-1)?.messages).toEqual([
      ...hello.messages,
      { role: 'assistant', content: '{"word":"hello"}' },
      { role: 'user', content: expect.stringContaining("must have the member 'count'") },
    ]);
    server.reset();
    server.answer = () => 'I would rather not.';
    await expect(chat({ ...hello, schema, repairs: 1 })).rejects.toMatchObject({
      code: 'MODEL_ANSWER_INVALID',
      message: expect.stringMatching(/in 2 attempts.*no JSON.*I would rather not/),
    });
    expect(server.asked.filter(({ purpose }) => purpose === 'chat')).toHaveLength(2);
  });

  test.each<[string, Fault, string]>([
    ['HTML', { body: '<html>busy</html>' }, 'INVALID_RESPONSE'],
    ['prose', { body: 'hello there' }, 'INVALID_RESPONSE'],
    ['half a JSON', 'half', 'INVALID_RESPONSE'],
    ['another shape', { body: { hello: 1 } }, 'INVALID_RESPONSE'],
    ['a redirect', { status: 302, body: '', headers: { location: 'http://169.254.169.254/' } }, 'INVALID_RESPONSE'],
    ['a refusal of the key', { status: 401, body: 'no' }, 'HOSTEDMODEL_AUTH_FAILED'],
    ['a refusal of the question', { status: 400, body: 'too long' }, 'MODEL_REQUEST_REFUSED'],
    [
      'no such model',
      { status: 404, body: '' },
      type === 'local_api' ? 'LOCALMODEL_MODEL_NOT_FOUND' : 'HOSTEDMODEL_MODEL_NOT_FOUND',
    ],
    ['a closed connection', 'drop', type === 'local_api' ? 'LOCALMODEL_CONNECTION_FAILED' : 'CONNECTION_ERROR'],
    ['no answer in time', 'hang', type === 'local_api' ? 'LOCALMODEL_CONNECTION_FAILED' : 'CONNECTION_ERROR'],
    ['an internal error', { status: 500, body: '' }, 'EXTERNAL_SERVICE_ERROR'],
  ])('that answers %s is distinguished', async (_name, fault, code) => {
    server.fault = ({ purpose }) => (purpose === 'chat' ? fault : undefined);
    const timeout = fault === 'hang' ? 0.3 : 20;
    await expect(chat(hello, { max_retries: 0, timeout })).rejects.toMatchObject({ code });
  });

  test('429 is retried after Retry-After; a minute or more is left to the run', async () => {
    let nth = 0;
    server.fault = ({ purpose }) =>
      purpose === 'chat' && ++nth === 1 ? { status: 429, body: 'slow', headers: { 'retry-after': '0' } } : undefined;
    await expect(chat()).resolves.toMatchObject({ text: 'ok' });
    server.fault = ({ purpose }) =>
      purpose === 'chat' ? { status: 429, body: '', headers: { 'retry-after': '61' } } : undefined;
    await expect(chat()).rejects.toMatchObject({ details: { retryAfterMs: 61_000 } });
    const before = server.asked.filter(({ purpose }) => purpose === 'chat').length;
    server.fault = ({ purpose }) =>
      purpose === 'chat' ? { status: 429, body: '', headers: { 'retry-after': '1' } } : undefined;
    await expect(chat(hello, { max_wait: 0.5, max_retries: 9 })).rejects.toMatchObject({
      details: { retryAfterMs: 1_000 },
    });
    expect(server.asked.filter(({ purpose }) => purpose === 'chat')).toHaveLength(before + 1);
  });

  test('the key is in no message', async () => {
    server.fault = ({ purpose }) => (purpose === 'chat' ? { status: 403, body: 'key key-12345678 is bad' } : undefined);
    await expect(chat(hello, { api_key: 'key-12345678' })).rejects.toMatchObject({
      message: expect.not.stringContaining('12345678'),
    });
  });

  test('an abort ends a request under way with the reason of the signal', async () => {
    const controller = new AbortController();
    server.fault = () => {
      controller.abort(new Error('cancelled'));
      return 'hang';
    };
    await expect(chat(hello, {}, controller.signal)).rejects.toThrow('cancelled');
  });

  test('a private host that is not on the allow-list is rejected', async () => {
    const strict = createLlm({
      DOCLOOM_ALLOWED_HOSTS: ['127.0.0.1:2'],
      LOCALMODEL_HOST: 'http://127.0.0.1:2',
      HOSTEDMODEL_API_BASE_URL: 'http://127.0.0.1:2',
      DOCLOOM_HOSTEDMODEL_TOKEN_URL: server.tokenUrl,
    });
    await expect(
      strict.chat(hello, settings(type, { ...more, api_base: `${server.url}/v1` }), never),
    ).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
    expect(server.asked.filter(({ purpose }) => purpose === 'chat')).toHaveLength(0);
    strict.close();
  });
});

describe.each(hosts.filter(([type]) => type !== 'hosted'))('a stream from %s %j', (type, more) => {
  const chat = (request: ChatRequest, own: Record<string, unknown> = {}) =>
    llm.chat(request, settings(type, { ...more, max_retries: 0, ...own }), never);

  test('is passed on piece by piece, and its time limit restarts with every piece', async () => {
    server.answer = () => 'one two three four five six seven eight nine ten eleven twelve thirteen';
    server.pace = () => new Promise((resolve) => setTimeout(resolve, 100));
    const pieces: string[] = [];
    const answer = await chat({ ...hello, onText: (piece) => pieces.push(piece) }, { timeout: 1 });
    expect(answer).toMatchObject({
      text: 'one two three four five six seven eight nine ten eleven twelve thirteen',
      isTruncated: false,
    });
    expect(pieces.join('')).toBe(answer.text);
    expect(pieces.length).toBeGreaterThan(3);
    server.pace = () => new Promise(() => undefined);
    await expect(chat(hello, { timeout: 0.2, stream: true })).rejects.toMatchObject({
      message: expect.stringContaining('has not answered within 0.2 s'),
    });
  });

  test('that stops in the middle is an error', async () => {
    server.answer = () => 'one two three four';
    server.fault = () => 'cut';
    await expect(chat(hello, { stream: true })).rejects.toMatchObject({
      code: expect.stringMatching(/CONNECTION|INVALID_RESPONSE/),
    });
  });
});

describe('the hosted vendor', () => {
  const chat = (more: Record<string, unknown> = {}) =>
    llm.chat(hello, settings('hosted', { ...hosted, ...more }), never);

  test('receives the token that the key was exchanged for once, and the container', async () => {
    await chat({ api_key: 'key-once' });
    await chat({ api_key: 'key-once', container_kind: 'space', container_id: 's9' });
    expect(server.asked.map(({ purpose }) => purpose)).toEqual(['token', 'chat', 'chat']);
    expect(server.asked[0]?.body).toMatchObject({ apikey: 'key-once' });
    expect(server.asked[1]).toMatchObject({
      authorization: 'Bearer token-of-key-once',
      path: '/ml/v1/text/chat?version=2024-05-01',
      body: { model_id: 'm1', project_id: 'p1' },
    });
    expect(server.asked[2]?.body).toMatchObject({ space_id: 's9' });
    expect(server.asked[2]?.body).not.toHaveProperty('project_id');
  });

  test('a token that expired early is renewed once', async () => {
    await chat({ api_key: 'key-early' });
    server.asked = [];
    server.fault = ({ purpose }, nth) =>
      purpose === 'chat' && nth === 1 ? { status: 401, body: 'expired' } : undefined;
    await expect(chat({ api_key: 'key-early' })).resolves.toMatchObject({ text: 'ok' });
    expect(server.asked.map(({ purpose }) => purpose)).toEqual(['chat', 'token', 'chat']);
  });

  test('a key that the token service rejects causes HOSTEDMODEL_AUTH_FAILED, and is tried again next time', async () => {
    server.fault = ({ purpose }) => (purpose === 'token' ? { status: 400, body: 'no key key-wrong1' } : undefined);
    for (const _ of [1, 2]) {
      await expect(chat({ api_key: 'key-wrong1' })).rejects.toMatchObject({
        code: 'HOSTEDMODEL_AUTH_FAILED',
        message: expect.not.stringContaining('key-wrong1'),
      });
    }
    expect(server.asked.map(({ purpose }) => purpose)).toEqual(['token', 'token']);
  });
});

describe('settings', () => {
  test.each([
    [{ type: 'word2vec' }, 'local_api, gateway, hosted'],
    [{ type: 'local_api' }, 'model_id'],
    [{ type: 'gateway', provider_config: { model_id: 'm' } }, 'api_base'],
    [{ type: 'hosted', provider_config: { model_id: 'm', api_key: 'k' } }, 'container_id'],
    [{ type: 'hosted', provider_config: { model_id: 'm', container_id: 'c' } }, 'api_key'],
    [{ type: 'local_api', provider_config: { model_id: 'm', api_base: 'ftp://x' } }, 'http or https'],
    [
      { type: 'local_api', provider_config: { model_id: 'm', api_base: 'http://u:hidden@x/v1' } },
      'user name or password',
    ],
    [
      { type: 'local_api', provider_config: { model_id: 'm', api_base: 'http://u:hidden@x:99999/v1' } },
      'user name or password',
    ],
    [{ type: 'local_api', provider_config: { model_id: 'm', api_base: 'u:hidden@x/v1' } }, 'user name or password'],
    [{ type: 'local_api', provider_config: { model_id: 'm', temperature: 9 } }, '/temperature'],
  ])('%j is OPERATOR_CONFIGURATION_INVALID', async (config, message) => {
    await expect(llm.chat(hello, config, never)).rejects.toMatchObject({
      code: 'OPERATOR_CONFIGURATION_INVALID',
      message: expect.stringMatching(new RegExp(`^(?!.*hidden).*${message}`)),
    });
  });

  test.each([
    ['ollama', 'native'],
    ['litellm', 'openai'],
    ['watsonx', 'hosted'],
  ])('%s is another name', async (provider, protocol) => {
    const config = { ...hosted, model_id: 'm', ...(provider === 'litellm' ? { api_base: `${server.url}/v1` } : {}) };
    await llm.chat(hello, { provider, provider_config: config }, never);
    expect(server.asked.at(-1)).toMatchObject({ protocol });
  });

  test('a gateway that knows its model without the prefix openai/ is called that way from then on', async () => {
    server.models = ['short'];
    const config = settings('gateway', { api_base: 'URL/v1', model_id: 'openai/short' });
    await expect(llm.chat(hello, config, never)).resolves.toMatchObject({ text: 'ok' });
    await llm.chat(hello, config, never);
    expect(server.asked.map(({ model }) => model)).toEqual(['openai/short', 'short', 'short']);
    const other = settings('gateway', { api_base: 'URL/v1', model_id: 'openai/other' });
    await expect(llm.chat(hello, other, never)).rejects.toMatchObject({ code: 'HOSTEDMODEL_MODEL_NOT_FOUND' });
  });

  test('at most max_concurrent_requests requests are open, from any number of callers', async () => {
    server.answer = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return 'ok';
    };
    const config = settings('local_api', { model_id: 'busy', max_concurrent_requests: 2 });
    await Promise.all(Array.from({ length: 6 }, () => llm.chat(hello, config, never)));
    expect(server.maxOpen).toBe(2);
  });

  test('requests reveal nothing about the environment or the machine', async () => {
    const names = ['OPENAI_API_KEY', 'OPENAI_ORG_ID', 'OPENAI_PROJECT_ID', 'OPENAI_CUSTOM_HEADERS'];
    for (const name of names)
      process.env[name] = name === 'OPENAI_CUSTOM_HEADERS' ? 'x-own: secret-1\nauthorization: secret-2' : 'secret-3';
    try {
      await llm.chat(hello, settings('local_api', { api_base: 'URL/v1' }), never);
    } finally {
      for (const name of names) delete process.env[name];
    }
    expect(JSON.stringify(server.asked[0]?.headers)).not.toContain('secret');
    expect(Object.keys(server.asked[0]?.headers ?? {}).filter((name) => name.startsWith('x-'))).toEqual([]);
  });

  test('a truncated answer is reported as such, and no value is built from it', async () => {
    server.finish = 'length';
    server.answer = () => '{"word": "hello", "count": 2, "and';
    await expect(llm.chat(hello, settings('local_api'), never)).resolves.toMatchObject({ isTruncated: true });
    await expect(llm.chat({ ...hello, schema, repairs: 0 }, settings('local_api'), never)).rejects.toMatchObject({
      code: 'MODEL_ANSWER_INVALID',
      message: expect.stringContaining('cut off'),
    });
  });

  test('the configured hosts need not be on the allow-list', async () => {
    const strict = createLlm({
      DOCLOOM_ALLOWED_HOSTS: [],
      LOCALMODEL_HOST: server.url,
      HOSTEDMODEL_API_BASE_URL: server.url,
      DOCLOOM_HOSTEDMODEL_TOKEN_URL: server.tokenUrl,
    });
    await expect(strict.chat(hello, settings('local_api'), never)).resolves.toMatchObject({ text: 'ok' });
    await expect(strict.chat(hello, settings('hosted', hosted), never)).resolves.toMatchObject({ text: 'ok' });
    const spelled = { api_base: `${server.url.replace('127.0.0.1', 'localhost')}/v1` };
    await expect(strict.chat(hello, settings('gateway', spelled), never)).resolves.toMatchObject({ text: 'ok' });
    strict.close();
  });

  test('requests_per_minute makes the second request wait', async () => {
    const config = settings('local_api', { model_id: 'slow', requests_per_minute: 1 });
    await llm.chat(hello, config, never);
    const signal = AbortSignal.timeout(100);
    await expect(llm.chat(hello, config, signal)).rejects.toThrow(/time/i);
    expect(server.asked).toHaveLength(1);
  });
});
