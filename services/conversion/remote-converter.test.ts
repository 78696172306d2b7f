import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDocument } from '../../document/builder';
import { documentToJson } from '../../document/json/write';
import { createAddressGuard } from '../net/address-guard';
import { createRemoteConverter } from './remote-converter';

interface Ask {
  method: string;
  path: string;
  key: string | undefined;
  body: string;
}
type Reply = { status?: number; headers?: Record<string, string>; body: unknown } | 'drop' | 'hang';

const builder = createDocument('doc');
builder.page(1, 100, 100);
builder.page(2, 100, 100);
builder.heading(1, 'A Title');
builder.text('text', 'Some text.');
const json = JSON.parse(documentToJson(builder.document)) as object;

let server: Server;
let base = '';
let requests: Ask[] = [];
let reply: (ask: Ask, nth: number) => Reply | undefined = () => undefined;
const converter = createRemoteConverter(createAddressGuard(['127.0.0.1']));
const never = new AbortController().signal;

/** A service whose tasks are pending once, then started once, then done. */
const good = ({ path }: Ask, nth: number): Reply => {
  if (path === '/v1/convert/file/async') return { body: { task_id: 't 1', task_status: 'pending', task_position: 1 } };
  if (path.startsWith('/v1/status/poll/t%201'))
    return { body: { task_id: 't 1', task_status: nth < 3 ? 'started' : 'success' } };
  return { body: { document: { json_content: json, md_content: null }, status: 'success', errors: [] } };
};

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  requests = [];
  reply = () => undefined;
});
afterAll(async () => {
  converter.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  const ask = {
    method: request.method ?? '',
    path: request.url ?? '',
    key: request.headers['x-api-key'] as string | undefined,
    body: Buffer.concat(parts).toString('latin1'),
  };
  requests.push(ask);
  const input = reply(ask, requests.length) ?? good(ask, requests.length);
  if (input === 'hang') return;
  if (input === 'drop') return void request.socket.destroy();
  response.writeHead(input.status ?? 200, { 'content-type': 'application/json', ...input.headers });
  response.end(typeof input.body === 'string' ? input.body : JSON.stringify(input.body));
}

const convert = (settings: Record<string, unknown> = {}, more: { signal?: AbortSignal; timeoutMs?: number } = {}) =>
  converter.convert({
    bytes: new Uint8Array([0, 1, 255]),
    name: 'a "b".pdf',
    mimetype: 'application/pdf',
    settings: { base_url: base, poll_interval: 0.05, max_retries: 1, ...settings },
    timeoutMs: 5_000,
    signal: never,
    ...more,
  });

describe('a remote conversion service', () => {
  test('gets the file and its options, is polled for the state, and returns the document', async () => {
    const converted = await convert({
      api_key: 'k',
      do_ocr: false,
      ocr_languages: ['de', 'en'],
      include_ocr_words: true,
      table_mode: 'fast',
    });
    expect(converted).toMatchObject({
      markdown: '## A Title\n\nSome text.',
      title: 'A Title',
      pages: 2,
    });
    expect(JSON.parse(converted.documentJson)).toEqual(json);
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/convert/file/async',
      'GET /v1/status/poll/t%201?wait=0.05',
      'GET /v1/status/poll/t%201?wait=0.05',
      'GET /v1/result/t%201',
    ]);
    expect(requests.every(({ key }) => key === 'k')).toBe(true);
    const form = requests[0]?.body ?? '';
    for (const [name, value] of [
      ['to_formats', 'json'],
      ['ocr_lang', 'de'],
      ['ocr_lang', 'en'],
      ['do_ocr', 'false'],
      ['include_ocr_words', 'true'],
      ['table_mode', 'fast'],
    ])
      expect(form).toContain(`form-data; name="${name}"\r\n\r\n${value}\r\n`);
    expect(form).toContain(
      'name="files"; filename="a %22b%22.pdf"\r\ncontent-type: application/pdf\r\n\r\n\x00\x01\xff\r\n--',
    );
  });

  test.each<[string, (ask: Ask) => Reply | undefined, string]>([
    ['a refused key', () => ({ status: 401, body: { detail: 'no' } }), 'OPERATOR_CONFIGURATION_INVALID'],
    ['a refused file', () => ({ status: 422, body: { detail: [] } }), 'CONVERSION_FAILED'],
    ['a file too large', () => ({ status: 413, body: '' }), 'DOCUMENT_TOO_LARGE'],
    ['an internal error', () => ({ status: 500, body: 'oops' }), 'HTTP_ERROR'],
    ['HTML', () => ({ body: '<html>' }), 'INVALID_RESPONSE'],
    ['half a JSON', () => ({ body: '{"task_id": "t' }), 'INVALID_RESPONSE'],
    ['another shape', () => ({ body: { id: 1 } }), 'INVALID_RESPONSE'],
    ['a redirect', () => ({ status: 307, body: '', headers: { location: 'http://10.0.0.1/' } }), 'HTTP_ERROR'],
    ['a closed connection', () => 'drop', 'CONNECTION_ERROR'],
    ['an endless overload', () => ({ status: 503, body: '', headers: { 'retry-after': '0' } }), 'CONNECTION_ERROR'],
    [
      'a failed task',
      ({ path }) =>
        path.includes('poll')
          ? { body: { task_id: 't 1', task_status: 'failure', error_message: 'bad file' } }
          : undefined,
      'CONVERSION_FAILED',
    ],
    [
      'an unknown task',
      ({ path }) => (path.includes('poll') ? { status: 404, body: { detail: 'Task not found.' } } : undefined),
      'HTTP_ERROR',
    ],
    [
      'a failed document',
      ({ path }) =>
        path.includes('result') ? { body: { status: 'failure', errors: [{ error_message: 'no' }] } } : undefined,
      'CONVERSION_FAILED',
    ],
    [
      'a result without a document',
      ({ path }) =>
        path.includes('result') ? { body: { status: 'success', document: { json_content: null } } } : undefined,
      'INVALID_RESPONSE',
    ],
    [
      'an invalid document',
      ({ path }) =>
        path.includes('result') ? { body: { status: 'success', document: { json_content: { a: 1 } } } } : undefined,
      'INVALID_RESPONSE',
    ],
  ])('that returns %s is distinguished', async (_name, value, code) => {
    reply = value;
    await expect(convert()).rejects.toMatchObject({ code });
  });

  test('a short Retry-After is waited for, a long one is left to the run', async () => {
    reply = (_ask, nth) => (nth === 1 ? { status: 503, body: '', headers: { 'retry-after': '0' } } : undefined);
    // The state is counted from the first answer, so one poll fewer is pending.
    await expect(convert()).resolves.toMatchObject({ pages: 2 });
    reply = () => ({ status: 429, body: '', headers: { 'retry-after': '600' } });
    await expect(convert()).rejects.toMatchObject({ code: 'CONNECTION_ERROR', details: { retryAfterMs: 600_000 } });
  });

  test('a document over the time limit is CONVERSION_TIMEOUT; the settings take precedence over the operator', async () => {
    reply = ({ path }) => (path.includes('poll') ? { body: { task_id: 't 1', task_status: 'started' } } : undefined);
    await expect(convert({ timeout: 0.2 })).rejects.toMatchObject({
      code: 'CONVERSION_TIMEOUT',
      message: expect.stringContaining('0.2 seconds'),
    });
    reply = () => 'hang';
    await expect(convert({}, { timeoutMs: 100 })).rejects.toMatchObject({ code: 'CONVERSION_TIMEOUT' });
  });

  test('an abort ends it with the reason of the signal', async () => {
    const controller = new AbortController();
    reply = () => {
      controller.abort(new Error('cancelled'));
      return 'hang';
    };
    await expect(convert({}, { signal: controller.signal })).rejects.toThrow('cancelled');
  });

  test('private addresses need an entry, invalid settings are reported by name, and no message contains the key', async () => {
    const strict = createRemoteConverter(createAddressGuard([]));
    const input = { bytes: new Uint8Array(), name: 'a', timeoutMs: 1_000, signal: never };
    await expect(strict.convert({ ...input, settings: { base_url: base } })).rejects.toMatchObject({
      code: 'ADDRESS_NOT_ALLOWED',
    });
    strict.close();
    await expect(convert({ base_url: 'ftp://x' })).rejects.toMatchObject({ code: 'OPERATOR_CONFIGURATION_INVALID' });
    await expect(convert({ max_retries: -1 })).rejects.toMatchObject({
      message: expect.stringContaining('/max_retries'),
    });
    reply = () => ({ status: 403, body: 'bad key secret-key-1' });
    await expect(convert({ api_key: 'secret-key-1' })).rejects.toMatchObject({
      message: expect.not.stringContaining('secret-key-1'),
    });
  });
});
