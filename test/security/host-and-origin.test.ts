import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type ClientOptions, WebSocket } from 'ws';
import { type ConversionApi, getFile, inline, startConversion } from '../support/api/conversion-client';
import { alice } from '../support/api/server';

// A page whose name resolves to this server (DNS rebinding), and pages that open WebSockets.
let open: ConversionApi;
let named: ConversionApi;
beforeAll(async () => {
  open = await startConversion();
  named = await startConversion({}, { hostNames: ['Docs.Example', '0.0.0.0'], corsOrigins: ['https://app.example'] });
});
afterAll(() => Promise.all([open.close(), named.close()]));

async function ask(service: ConversionApi, path: string, host: string, method = 'GET') {
  const { port } = new URL(service.url);
  const asking = request({ port, host: '127.0.0.1', path, method, headers: { host } }).end();
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  let text = '';
  for await (const part of response) text += String(part);
  return { status: response.statusCode, text };
}

describe('a foreign Host', () => {
  test.each([
    'evil.example',
    'evil.example:8080',
    'EVIL.EXAMPLE.',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'localhost@evil.example',
    '127.0.0.1/evil.example',
    'docs.example.evil.example',
    'xdocs.example',
  ])('%s gets nothing but probes', async (host) => {
    for (const service of [open, named])
      for (const [method, path] of [
        ['GET', '/v1/tasks'],
        ['POST', '/v1/convert/source'],
        ['GET', '/api/v1/operators'],
        ['GET', '/openapi.json'],
        ['GET', '/metrics'],
        ['GET', '/'],
        ['OPTIONS', '/v1/convert/source'],
      ] as const) {
        const { status, text } = await ask(service, path, host, method);
        expect([path, status]).toEqual([path, 421]);
        expect(JSON.parse(text)).toMatchObject({ errors: [{ code: 'HOST_NOT_ALLOWED' }], status_code: 421 });
      }
    expect(await ask(open, '/health', host)).toMatchObject({ status: 200 });
    expect((await ask(open, '/ready', host)).status).not.toBe(421);
  });

  test.each(['127.0.0.1:1', '127.0.0.1', '[::1]:8080', '192.168.7.7', 'localhost', 'LOCALHOST:8080', 'localhost.'])(
    '%s is none',
    async (host) => expect((await ask(open, '/openapi.json', host)).status).toBe(200),
  );

  test('a configured name is not foreign, with any port', async () => {
    for (const host of ['docs.example', 'docs.example:8443', 'DOCS.example.'])
      expect((await ask(named, '/openapi.json', host)).status).toBe(200);
    expect((await ask(open, '/openapi.json', 'docs.example')).status).toBe(421);
  });

  test('that is malformed gets nothing at all', async () => {
    for (const path of ['/v1/tasks', '/api/v1/operators']) expect((await ask(open, path, 'a b[')).status).toBe(421);
  });

  test('a star allows every name', async () => {
    const all = await startConversion({}, { hostNames: ['*'] });
    expect((await ask(all, '/openapi.json', 'whatever.example')).status).toBe(200);
    await all.close();
  });
});

describe('a WebSocket', () => {
  async function connect(service: ConversionApi, options: ClientOptions) {
    const { body } = await service.send('POST', '/v1/convert/source/async', { json: { sources: [inline('a.md')] } });
    const { task_id } = body as { task_id: string };
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/v1/status/ws/${task_id}`, options);
    return await new Promise<number>((resolve, reject) => {
      socket.once('open', () => {
        socket.close();
        resolve(101);
      });
      socket.once('unexpected-response', (_, response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      socket.once('error', reject);
    });
  }

  test.each(['https://evil.example', 'http://localhost.evil.example', 'null', 'http://127.0.0.1:1', 'file://', 'x'])(
    'is not opened by a page of %s',
    async (origin) => {
      for (const service of [open, named]) expect(await connect(service, { origin })).toBe(403);
    },
  );

  test('is opened by pages of the server itself and of listed origins, and by clients that are not browsers', async () => {
    expect(await connect(open, {})).toBe(101);
    expect(await connect(open, { origin: open.url })).toBe(101);
    expect(await connect(named, { origin: 'https://app.example' })).toBe(101);
    expect(await connect(open, { origin: 'https://app.example' })).toBe(403);
  });

  test('is not opened under a foreign name, even by a page of that name', async () => {
    const { port } = new URL(open.url);
    const headers = { host: `evil.example:${port}` };
    expect(await connect(open, { headers, origin: `http://evil.example:${port}` })).toBe(421);
    expect(await connect(open, { headers })).toBe(421);
  });
});

describe('a form that a page of another origin sends to a service without keys', () => {
  const send = (service: ConversionApi, headers: Record<string, string>) =>
    service.send('POST', '/v1/convert/file/async', { form: [['files', getFile('a.md')]], headers });
  const evil = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };

  test.each([
    ['of another site', evil],
    ['of another port of the same host', { Origin: 'http://localhost:1', 'Sec-Fetch-Site': 'same-site' }],
    ['in a sandbox', { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' }],
    ['without an origin', { 'Sec-Fetch-Site': 'cross-site' }],
    ['in a browser that states the origin only', { Origin: 'https://evil.example' }],
  ])('is not converted: a page %s', async (_name, headers: Record<string, string>) => {
    for (const service of [open, named]) expect((await send(service, headers)).status).toBe(403);
  });

  test('is converted for pages of the server itself, listed origins, programs, and callers with a token', async () => {
    expect((await send(open, { Origin: open.url, 'Sec-Fetch-Site': 'same-origin' })).status).toBe(200);
    expect((await send(open, { Origin: open.url })).status).toBe(200);
    expect((await send(open, { 'Sec-Fetch-Site': 'none' })).status).toBe(200);
    expect((await send(open, {})).status).toBe(200);
    expect((await send(named, { ...evil, Origin: 'https://app.example' })).status).toBe(200);
    expect((await send(open, { ...evil, Authorization: `Bearer ${open.api.tokenOf(alice)}` })).status).toBe(200);
  });

  test('deletes no task either', async () => {
    const { body } = await send(open, {});
    const { task_id } = body as { task_id: string };
    expect((await open.send('DELETE', `/v1/tasks/${task_id}`, { headers: evil })).status).toBe(403);
    expect((await open.send('GET', `/v1/status/poll/${task_id}`)).status).toBe(200);
  });
});
