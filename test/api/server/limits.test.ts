import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { AppError } from '../../../model/errors';
import { alice, sampleFlow, startApi, type TestApi } from '../../support/api/server';

const limit = 5_242_880;
let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

/** A JSON body of exactly that many bytes, padded with blanks. */
const getBody = (bytes: number) => `{"query":""${' '.repeat(bytes - '{"query":""}'.length)}}`;

/** Sends without `fetch`, so that the length can be declared or omitted (chunked). */
function send(
  path: string,
  body: string | Buffer,
  headers: Record<string, string>,
): Promise<{ status: number; text: string; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${api.url}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${api.tokenOf(alice)}`, 'Content-Type': 'application/json', ...headers },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString(), headers: response.headers }),
      );
    });
    for (let from = 0; from < body.length; from += 65_536) request.write(body.slice(from, from + 65_536));
    request.end();
  });
}

describe('the size of a body', () => {
  const search = '/api/v1/documents/search';
  const chunked = { 'Transfer-Encoding': 'chunked' };
  const declared = (bytes: number) => ({ 'Content-Length': String(bytes) });

  test.each([
    ['declared', declared(limit)],
    ['chunked', chunked],
  ])('exactly 5,242,880 bytes pass when %s', async (_how, headers) => {
    expect((await send(search, getBody(limit), headers)).status).toBe(200);
  });

  test.each([
    ['one byte more, declared', limit + 1, declared(limit + 1)],
    ['one byte more, chunked', limit + 1, chunked],
    ['6 MB declared', 6 * 1024 * 1024, declared(6 * 1024 * 1024)],
    ['6 MB chunked', 6 * 1024 * 1024, chunked],
  ])('%s is rejected with 413, the error body and the headers', async (_name, bytes, headers) => {
    const response = await send(search, getBody(bytes), headers);
    expect(response.status).toBe(413);
    expect(JSON.parse(response.text)).toEqual({
      errors: [{ code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('5.0MB') }],
      trace: response.headers['x-transaction-id'],
      status_code: 413,
      detail: expect.stringContaining('Maximum size is 5.0MB'),
    });
    expect(response.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
  });

  test('a small body that unpacks to more than the limit is rejected with 413', async () => {
    const packed = gzipSync(getBody(20 * 1024 * 1024));
    expect(packed.length).toBeLessThan(100_000);
    const response = await send(search, packed, { 'Content-Encoding': 'gzip', ...declared(packed.length) });
    expect(response.status).toBe(413);
  });

  test('a body that does not match its Content-Encoding is rejected as invalid', async () => {
    expect((await send(search, '{}', { 'Content-Encoding': 'gzip', ...declared(2) })).status).toBe(422);
  });

  test('a declared length of 6 MB is rejected on any path, even without a token', async () => {
    for (const path of ['/auth/login', '/api/v1/flows', '/nothing']) {
      const response = await fetch(`${api.url}${path}`, { method: 'POST', body: 'x'.repeat(6 * 1024 * 1024) });
      expect(response.status).toBe(413);
    }
  });
});

test('an unexpected error returns only its trace id', async () => {
  const broken = await startApi({
    search: {
      get: () => Promise.reject(new Error('secret detail')),
      search: () => Promise.reject(new Error('secret detail')),
    },
  });
  const { status, body, headers } = await broken.call('GET', '/api/v1/documents/x', { user: alice });
  expect(status).toBe(500);
  expect(body).toEqual({
    errors: [{ code: 'INTERNAL_ERROR', message: 'An unexpected error occurred.' }],
    trace: headers.get('X-Transaction-ID'),
    status_code: 500,
  });
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  const line = broken.logs.find((entry) => entry.includes('request failed')) ?? '';
  expect(JSON.parse(line)).toMatchObject({ trace: headers.get('X-Transaction-ID'), err: { message: 'secret detail' } });
  await broken.close();
});

test('a coded error with status 500 keeps its code, not its message', async () => {
  const failing = () => Promise.reject(new AppError('SEARCH_INDEX_ERROR', 'index secret-index of cluster x'));
  const broken = await startApi({ search: { get: failing, search: failing } });
  const { body } = await broken.call('POST', '/api/v1/documents/search', { user: alice, body: {} });
  expect(body).toMatchObject({
    errors: [{ code: 'SEARCH_INDEX_ERROR', message: 'An index operation failed.' }],
    status_code: 500,
  });
  await broken.close();
});

test('an unavailable service is reported by code and message', async () => {
  const away = () => Promise.reject(new AppError('SEARCH_CONNECTION_FAILED', 'OpenSearch at x does not answer.'));
  const broken = await startApi({ search: { get: away, search: away } });
  const { status, body } = await broken.call('POST', '/api/v1/documents/search', { user: alice, body: {} });
  expect(status).toBe(503);
  expect(body).toMatchObject({
    errors: [{ code: 'SEARCH_CONNECTION_FAILED', message: 'OpenSearch at x does not answer.' }],
  });
  await broken.close();
});

test('a request over its time limit ends with 503, and its work is cancelled', async () => {
  let stopped = false;
  const slow = await startApi(
    {
      runsStore: new Proxy({} as never, {
        get: () => () =>
          new Promise((resolve) => {
            setTimeout(resolve, 5_000).unref();
            stopped = true;
          }),
      }),
    },
    { requestTimeoutMs: 50 },
  );
  const { status, body } = await slow.call('GET', '/api/v1/job_runs', { user: alice });
  expect(status).toBe(503);
  expect(body).toMatchObject({ errors: [{ code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('0.05 s') }] });
  expect(stopped).toBe(true);
  await slow.close();
});

test('codes are sent in lower case if configured, in the spelling that clients know', async () => {
  const lower = await startApi({}, { codeCase: 'lower' });
  expect((await lower.call('GET', '/api/v1/documents/x', { user: alice })).body).toMatchObject({
    errors: [{ code: 'not_found' }],
  });
  expect((await lower.call('GET', '/api/v1/flows')).body).toMatchObject({ errors: [{ code: 'unauthorized' }] });
  const verdict = await lower.call('POST', '/api/v1/validation/validate_flow', {
    user: alice,
    body: { flow_name: 'x', flow: [{ type: 'no', name: 'n' }] },
  });
  expect(verdict.body).toMatchObject({ errors: [{ code: 'flow_validation_failed' }] });
  await lower.close();
});

describe('the transaction id', () => {
  test('is the one from the caller, in header, error and log', async () => {
    const { headers, body } = await api.call('GET', '/nothing', {
      headers: { 'X-Global-Transaction-Id': 'order-4711' },
    });
    expect(headers.get('X-Transaction-ID')).toBe('order-4711');
    expect(body).toMatchObject({ trace: 'order-4711' });
    expect(api.logs.some((line) => (JSON.parse(line) as { trace?: string }).trace === 'order-4711')).toBe(true);
  });

  test.each([['x'.repeat(129)], ['a b'], ['ümlaut']])('%s is replaced by a new one', async (value) => {
    const { headers } = await api.call('GET', '/health', {
      headers: { 'X-Global-Transaction-Id': Buffer.from(value).toString('latin1') },
    });
    expect(headers.get('X-Transaction-ID')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

test('a header X-Docling-Log-… becomes a member of the log line, and cannot replace a built-in member', async () => {
  const api = await startApi();
  const headers = { 'X-Docling-Log-Order': 'a-17', 'X-Docling-Log-Status': '999', 'X-Docling-Log-Level': 'fatal' };
  await api.call('GET', '/health', { headers });
  const line = JSON.parse(api.logs.find((entry) => entry.includes('a-17')) ?? '{}') as Record<string, unknown>;
  expect(line).toMatchObject({ order: 'a-17', status: 200, path: '/health' });
  expect(line['level']).not.toBe('fatal');
  await api.close();
});

test('the log line of a refused token has the address of its client, which only a trusted proxy may state', async () => {
  for (const [trustedProxies, client] of [
    [[], '127.0.0.1'],
    [['127.0.0.1'], '203.0.113.9'],
  ] as const) {
    const api = await startApi({}, { trustedProxies });
    const headers = {
      Authorization: 'Bearer forged',
      'X-Forwarded-For': '203.0.113.9',
      'X-Docling-Log-Client': 'none',
    };
    expect((await api.call('GET', '/api/v1/flows', { headers })).status).toBe(401);
    await api.close();
    const lines = api.logs.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ msg }) => msg === 'request')).toEqual([expect.objectContaining({ client, status: 401 })]);
  }
});

test('no log line contains a token, a password, a query string or a body', async () => {
  const token = api.tokenOf(alice);
  await api.call('POST', '/auth/login', { body: { username: 'alice', password: 'very-private' } });
  await api.call('GET', '/api/v1/flows?name=private-name', { user: alice });
  await api.call('POST', '/api/v1/flows', { user: alice, body: '{"flow_name": "private-body' });
  await api.call('POST', '/api/v1/flows', { user: alice, body: sampleFlow('logged') });
  const text = api.logs.join('\n');
  expect(api.logs.length).toBeGreaterThan(3);
  for (const hidden of [token.slice(-20), 'very-private', 'private-name', 'private-body'])
    expect(text).not.toContain(hidden);
});

test('input that is not HTTP gets the error body and the headers', async () => {
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
    let answer = '';
    socket.on('data', (part) => (answer += part.toString()));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toMatch(/X-Content-Type-Options: nosniff\r\n/);
  expect(text).toMatch(/Content-Security-Policy: /);
  expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({
    errors: [{ code: 'VALIDATION_ERROR' }],
    status_code: 400,
  });
});

test('a malformed Host is rejected, not an internal error', async () => {
  const response = await send('/api/v1/documents/search', '{}', { Host: 'a b[', 'Content-Length': '2' });
  expect(response.status).toBe(421);
});

describe('browsers', () => {
  const origin = 'http://localhost:3000';
  let withOrigins: TestApi;
  beforeAll(async () => {
    withOrigins = await startApi({}, { corsOrigins: [origin] });
  });
  afterAll(() => withOrigins.close());

  test('of an allowed origin may call, even for error replies', async () => {
    for (const path of ['/health', '/nothing', '/api/v1/flows']) {
      const { headers } = await withOrigins.call('GET', path, { headers: { Origin: origin } });
      expect(headers.get('Access-Control-Allow-Origin')).toBe(origin);
      expect(headers.get('Access-Control-Expose-Headers')).toContain('X-Transaction-ID');
      expect(headers.get('Access-Control-Allow-Credentials')).toBeNull();
    }
  });

  test('of another origin are not allowed', async () => {
    const { headers } = await withOrigins.call('GET', '/health', { headers: { Origin: 'http://evil.example' } });
    expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
    expect(headers.get('Vary')).toContain('Origin');
  });

  test('get an answer to a preflight request without a token', async () => {
    const { status, headers } = await withOrigins.call('OPTIONS', '/api/v1/flows', {
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization',
      },
    });
    expect(status).toBe(204);
    expect(headers.get('Access-Control-Allow-Methods')).toContain('POST');
    expect(headers.get('Access-Control-Allow-Headers')).toContain('Authorization');
    expect(headers.get('X-Frame-Options')).toBe('DENY');
  });
});
