import type { VisionEndpoint } from '../../model/page/vision';
import { createModelServer, type Fault, type ModelServer } from '../../test/support/servers/model-server';
import { createVision, type Vision } from './vision';

let server: ModelServer;
let vision: Vision;
const never = new AbortController().signal;
const image = { bytes: Buffer.from('89504e470d0a1a0a', 'hex'), mimetype: 'image/png' };

beforeAll(async () => {
  server = await createModelServer();
  vision = createVision({ allowed: ['127.0.0.1'], own: [] }, 1);
});
beforeEach(() => server.reset());
afterAll(async () => {
  vision.close();
  await server.stop();
});

const endpoint = (more: Partial<VisionEndpoint> = {}): VisionEndpoint => ({
  url: `${server.url}/v1/chat/completions`,
  headers: {},
  params: { model: 'seer' },
  timeoutMs: 5_000,
  concurrency: 1,
  isConfigured: false,
  ...more,
});
const ask = (more: Partial<VisionEndpoint> = {}) => vision.ask(endpoint(more), { prompt: 'What is it?', image }, never);
const problem = (asking: Promise<unknown>) =>
  asking.then(
    () => undefined,
    (error: { code: string; message: string }) => ({ code: error.code, message: error.message }),
  );

test('a question is sent with image, prompt, parameters and headers', async () => {
  server.answer = () => 'a cat';
  const params = { model: 'seer', max_tokens: 50, temperature: 0.2 };
  const headers = { Authorization: 'Bearer key-12345', 'X-Team': 'blue', Host: 'elsewhere', 'Content-Length': '3' };
  expect(await ask({ params, headers })).toEqual({ text: 'a cat', isTruncated: false });
  const [sent] = server.asked;
  expect(sent?.messages).toEqual([{ role: 'user', content: 'What is it?' }]);
  expect(sent?.images).toEqual([image]);
  expect(sent?.body).toMatchObject(params);
  expect(sent?.headers).toMatchObject({ authorization: 'Bearer key-12345', 'x-team': 'blue' });
  expect(sent?.headers['host']).not.toBe('elsewhere');
});

test('answers in several parts, after a <think> block, or cut off are read', async () => {
  const choice = (message: object, more = {}) => ({ body: { choices: [{ message, ...more }] } });
  const answers: [Fault, object][] = [
    [
      choice({
        content: [
          { type: 'text', text: 'a ' },
          { type: 'text', text: 'dog' },
        ],
      }),
      { text: 'a dog' },
    ],
    [choice({ content: '<think>hm</think>\n a bird' }), { text: 'a bird' }],
    [choice({ content: null }), { text: '' }],
    [choice({ content: 'a f' }, { finish_reason: 'length' }), { text: 'a f', isTruncated: true }],
  ];
  for (const [fault, expected] of answers) {
    server.fault = () => fault;
    expect(await ask()).toMatchObject(expected);
  }
});

test('an overloaded host is called again after its Retry-After', async () => {
  server.fault = (_ask, nth) =>
    nth < 3 ? { status: nth === 1 ? 429 : 503, headers: { 'retry-after': '0.01' }, body: 'busy' } : undefined;
  const patient = createVision({ allowed: ['127.0.0.1'], own: [] });
  expect((await patient.ask(endpoint(), { prompt: 'x' }, never)).text).toBe('ok');
  expect(server.asked).toHaveLength(3);
  patient.close();
});

test.each<[string, Fault, string, number]>([
  [
    'a wait that is too long',
    { status: 429, headers: { 'retry-after': '3600' }, body: 'quota' },
    'CONNECTION_ERROR',
    1,
  ],
  ['refused credentials', { status: 401, body: 'no' }, 'HOSTEDMODEL_AUTH_FAILED', 1],
  ['an unknown model', { status: 404, body: 'no model' }, 'HOSTEDMODEL_MODEL_NOT_FOUND', 1],
  ['a refused image', { status: 400, body: 'too large' }, 'MODEL_REQUEST_REFUSED', 1],
  ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' }, 'INVALID_RESPONSE', 1],
  ['half an answer', 'half', 'INVALID_RESPONSE', 1],
  ['HTML', { body: '<html>welcome</html>' }, 'INVALID_RESPONSE', 1],
  ['another shape', { body: { choices: [] } }, 'INVALID_RESPONSE', 1],
])('%s', async (_name, fault, code, requests) => {
  server.fault = () => fault;
  expect(await problem(ask())).toMatchObject({ code });
  expect(server.asked).toHaveLength(requests);
});

test('a host that does not answer in time is unavailable', async () => {
  server.fault = () => 'hang';
  expect(await problem(ask({ timeoutMs: 50 }))).toMatchObject({ code: 'CONNECTION_ERROR' });
  expect(server.asked).toHaveLength(2);
});

test('private addresses need an allowlist entry, except those from the settings', async () => {
  const strict = createVision({ allowed: [], own: [] });
  const question = { prompt: 'x' };
  expect(await problem(strict.ask(endpoint(), question, never))).toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
  expect(server.asked).toEqual([]);
  expect((await strict.ask(endpoint({ isConfigured: true }), question, never)).text).toBe('ok');
  strict.close();
});

test('no message contains a key', async () => {
  const url = `${server.url.replace('http://', 'http://user:pass-word-1@')}/v1/chat/completions?key=query-secret-2`;
  const headers = { Authorization: 'Bearer bearer-secret-3', 'X-Odd': 'odd-secret-4' };
  const echo = 'you sent bearer-secret-3 and odd-secret-4 and query-secret-2 and pass-word-1';
  const faults: Fault[] = [
    { status: 401, body: echo },
    { status: 400, body: echo },
    { body: 'nonsense' },
    { status: 500, body: echo },
  ];
  for (const fault of faults) {
    server.fault = () => fault;
    const found = await problem(ask({ url, headers }));
    expect(found?.message).toContain('/v1/chat/completions');
    expect(found?.message).not.toMatch(/secret-\d|pass-word-1/);
  }
  expect(server.asked[0]?.path).toBe('/v1/chat/completions?key=query-secret-2');
  const broken = await problem(ask({ headers: { 'X-Key': 'line\nbreak-secret-9' } }));
  expect(broken).toEqual({
    code: 'OPERATOR_CONFIGURATION_INVALID',
    message: "The header 'X-Key' of the model has a name or value that cannot be sent.",
  });
});
