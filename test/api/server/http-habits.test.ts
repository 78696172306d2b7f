import { connect } from 'node:net';
import { alice, startApi, type TestApi } from '../../support/api/server';

let api: TestApi;
let authorization: string;
beforeAll(async () => {
  api = await startApi();
  authorization = `Authorization: Bearer ${api.tokenOf(alice)}`;
});
afterAll(() => api.close());

/** Sends the lines as a request on a separate connection; returns the status, the head and the body of the answer. */
async function ask(
  lines: readonly string[],
  body: string | Buffer = '',
): Promise<{ status: number; head: string; body: string }> {
  const { port } = new URL(api.url);
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write([...lines, 'Connection: close', '', ''].join('\r\n'));
      socket.write(body);
    });
    const parts: Buffer[] = [];
    socket.on('data', (part) => parts.push(part));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(parts).toString()));
  });
  const end = text.indexOf('\r\n\r\n');
  return { status: Number(text.slice(9, 12)), head: text.slice(0, end), body: text.slice(end + 4) };
}

/** Posts bytes as they are. */
function post(path: string, body: string | Buffer, type = 'application/json') {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return ask([`POST ${path} HTTP/1.1`, 'Host: localhost', authorization, `Content-Type: ${type}`, length], body);
}

describe('a request for a protocol upgrade', () => {
  const h2c = ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__', 'Connection: Upgrade, HTTP2-Settings'];

  test('is answered as if it had not asked for it, such as the first request of Java clients', async () => {
    const answer = await ask(['GET /health HTTP/1.1', 'Host: localhost', ...h2c]);
    expect(answer).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  });

  test('is read with its body', async () => {
    const body = JSON.stringify({ username: 'alice', password: 'right' });
    const lines = ['POST /auth/login HTTP/1.1', 'Host: localhost', ...h2c, 'Content-Type: application/json'];
    const answer = await ask([...lines, `Content-Length: ${body.length}`], body);
    expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('access_token')]);
  });

  test('for a WebSocket on an ordinary route is rejected with the headers of every response', async () => {
    const lines = ['GET /api/v1/flows HTTP/1.1', 'Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket'];
    const { status, head } = await ask([
      ...lines,
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      'Sec-WebSocket-Version: 13',
    ]);
    expect(status).toBe(404);
    expect(head).toMatch(/^X-Content-Type-Options: nosniff\r?$/m);
  });
});

test('a request without a Host is rejected with the error body and the headers; HTTP/1.0 needs none', async () => {
  const refused = await ask(['GET /health HTTP/1.1']);
  expect([refused.status, JSON.parse(refused.body)]).toEqual([
    400,
    expect.objectContaining({ errors: [expect.objectContaining({ code: 'VALIDATION_ERROR' })] }),
  ]);
  expect(refused.head).toMatch(/^X-Frame-Options: DENY\r?$/m);
  expect(await ask(['GET /health HTTP/1.0'])).toMatchObject({ status: 200 });
});

test('an unknown expectation is ignored; a body that is too long is not requested', async () => {
  expect(await ask(['GET /health HTTP/1.1', 'Host: localhost', 'Expect: the-unexpected'])).toMatchObject({
    status: 200,
  });
  const lines = ['POST /api/v1/flows HTTP/1.1', 'Host: localhost', authorization, 'Content-Type: application/json'];
  const long = await ask([...lines, 'Expect: 100-continue', 'Content-Length: 99999999']);
  expect(long.status).toBe(413);
  const short = await ask([...lines, 'Expect: 100-continue', 'Content-Length: 2'], '{}');
  expect(short.status).toBe(100);
  expect(short.body).toMatch(/^HTTP\/1\.1 400 /);
});

describe('the text of a body', () => {
  const search = '/api/v1/documents/search';

  test.each([
    ['bytes that are not UTF-8', Buffer.from('{"query": "caf\u00e9"}', 'latin1')],
    ['half of a character', '{"query": "\\ud83d"}'],
    ['half of a character in a name', '{"filters": {"a\\udc00": 1}}'],
    ['halves in the wrong order', '{"query": "\\udc00\\ud83d"}'],
    ['a member that would change prototypes', '{"filters": {"__proto__": {"a": 1}}}'],
    ['the same, in another notation', '{"filters": {"\\u005f_proto__": {"a": 1}}}'],
    ['a number', '5'],
    ['null', 'null'],
    ['blanks only', '   '],
    ['65 levels', `{"filters": ${'['.repeat(64)}${']'.repeat(64)}}`],
  ])('with %s is rejected', async (_name, body) => {
    const answer = await post(search, body);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      422,
      expect.objectContaining({ errors: [expect.objectContaining({ code: 'VALIDATION_ERROR' })] }),
    ]);
  });

  test.each([
    ['characters beyond the first plane, written out or escaped', '{"query": "\u{1f600} \\ud83d\\ude00"}', undefined],
    ['a byte order mark', '\ufeff{}', undefined],
    ['its character set named', '{}', 'application/json; charset="UTF-8"'],
    ['no body at all', '', undefined],
  ])('may come with %s', async (_name, body, type) => {
    expect((await post(search, body, type)).status).toBe(200);
  });

  test.each(['utf-16', 'iso-8859-1', 'nonsense'])('in the character set %s is rejected', async (charset) => {
    expect((await post(search, '{}', `application/json; charset=${charset}`)).status).toBe(415);
  });
});

test('paths are distinguished by letter case', async () => {
  expect(await ask(['GET /Health HTTP/1.1', 'Host: localhost'])).toMatchObject({ status: 404 });
  expect(await ask(['GET /API/v1/flows HTTP/1.1', 'Host: localhost', authorization])).toMatchObject({ status: 404 });
});

test('TRACE, which would repeat the headers of a request, is not allowed anywhere', async () => {
  for (const path of ['/health', '/console/', '/api/v1/flows', '/v1/tasks', '/mcp']) {
    const answer = await ask([`TRACE ${path} HTTP/1.1`, 'Host: localhost', authorization, 'X-Repeated: canary']);
    expect([path, answer.status]).toEqual([path, 405]);
    expect(answer.head + answer.body).not.toContain('canary');
  }
});

test('responses make browsers insist on TLS where the public address is https, and only there', async () => {
  const secure = await startApi({}, { publicUrl: 'https://docs.example' });
  for (const path of ['/health', '/nothing', '/api/v1/flows', '/v1/tasks', '/console/']) {
    const get = async (server: TestApi) =>
      (await fetch(`${server.url}${path}`)).headers.get('Strict-Transport-Security');
    expect(await get(secure)).toBe('max-age=31536000; includeSubDomains');
    expect(await get(api)).toBeNull();
  }
  await secure.close();
});

test('a parameter that is given twice is rejected, not merged or chosen from', async () => {
  const get = (query: string) => ask([`GET /api/v1/flows?${query} HTTP/1.1`, 'Host: localhost', authorization]);
  expect(await get('limit=1')).toMatchObject({ status: 200 });
  expect(await get('limit=1&limit=2')).toMatchObject({
    status: 400,
    body: expect.stringContaining("Parameter 'limit' is given more than once."),
  });
  expect(await get('name=a&name=b')).toMatchObject({ status: 400 });
});

test('a bad value of a parameter that may be repeated is the problem, not the repetition', async () => {
  for (const query of ['tags=', 'tags=a&tags='])
    expect(await ask([`GET /api/v1/flows?${query} HTTP/1.1`, 'Host: localhost', authorization])).toMatchObject({
      status: 400,
      body: expect.stringMatching(/Parameter 'tags\.\d' must not be empty/),
    });
});

test('browsers and proxies keep no replies, whatever their status', async () => {
  for (const path of ['/health', '/nothing', '/auth/me', '/api/v1/flows', '/v1/tasks']) {
    const { headers } = await fetch(`${api.url}${path}`, {
      headers: { Authorization: `Bearer ${api.tokenOf(alice)}` },
    });
    expect([path, headers.get('Cache-Control')]).toEqual([path, expect.stringMatching(/\bno-store\b/)]);
  }
});
