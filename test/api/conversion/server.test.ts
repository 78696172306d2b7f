import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { conversionRoutes } from '../../../api/conversion';
import { AppError } from '../../../model/errors';
import { type ConversionApi, getFile, inline, startConversion } from '../../support/api/conversion-client';
import { startApi } from '../../support/api/server';

let service: ConversionApi;
beforeAll(async () => {
  service = await startConversion();
});
afterAll(() => service.close());
const filled = (path: string) => path.replaceAll(/\{\w+\}/g, '0b8c0f6e-0000-4000-8000-000000000000');
const json = { sources: [inline('a.md')] };

describe('keys', () => {
  const guarded = conversionRoutes.filter(({ needsKey }) => needsKey);
  const free = conversionRoutes.filter(({ needsKey }) => !needsKey);
  let locked: ConversionApi;
  beforeAll(async () => {
    locked = await startConversion({ apiKeys: ['first key', 'second'], managementEndpoints: true });
  });
  afterAll(() => locked.close());

  test('guard everything but health, readiness, version, documents and memory', () => {
    expect(free.map(({ path }) => path).sort()).toEqual([
      '/api',
      '/docs',
      '/livez',
      '/openapi-3.0.json',
      '/openapi.json',
      '/readyz',
      '/redoc',
      '/swagger',
      '/ui',
      '/v1/memory/counts',
      '/v1/memory/stats',
      '/version',
    ]);
  });

  test.each(guarded.map(({ method, path }) => [method, path] as const))('%s %s requires one', async (method, path) => {
    const wrong: Record<string, string>[] = [
      {},
      { 'X-Api-Key': 'wrong' },
      { 'X-Api-Key': '' },
      { Authorization: 'Bearer wrong' },
    ];
    for (const headers of wrong) {
      const { status, text, headers: answered } = await locked.send(method, filled(path), { headers });
      expect(status).toBe(401);
      expect(text).toBe('{"detail":"Unauthorized"}');
      expect(answered.get('WWW-Authenticate')).toBeNull();
    }
  });

  test.each(free.map(({ method, path }) => [method, path] as const))('%s %s requires none', async (method, path) => {
    expect((await locked.send(method, filled(path))).status).toBe(path === '/ui' ? 302 : 200);
  });

  test.each<Record<string, string>>([
    { 'X-Api-Key': 'first key' },
    { 'X-Api-Key': '  second ' },
    { 'x-api-key': 'second' },
    { Authorization: 'Bearer second' },
    { Authorization: 'bearer second' },
  ])('%j opens', async (headers) => {
    expect((await locked.send('POST', '/v1/convert/source', { json, headers })).status).toBe(200);
  });

  test('a key is checked before the body and after the address', async () => {
    expect((await locked.send('POST', '/v1/convert/source', { json: {} })).status).toBe(401);
    expect((await locked.send('GET', '/v1/nothing')).status).toBe(404);
    expect((await locked.send('PUT', '/v1/convert/source')).status).toBe(405);
  });
});

describe('addresses', () => {
  test('an unknown path is 404, other methods are 405 with Allow', async () => {
    expect((await service.send('GET', '/v1/nothing')).text).toBe('{"detail":"Not Found"}');
    const { status, text, headers } = await service.send('GET', '/v1/convert/source');
    expect([status, text, headers.get('Allow')]).toEqual([405, '{"detail":"Method Not Allowed"}', 'POST, OPTIONS']);
    expect((await service.send('GET', '/scalar')).status).toBe(404);
  });

  test('HEAD /openapi.json is 200', async () => {
    expect((await service.send('HEAD', '/openapi.json')).status).toBe(200);
  });

  test('OPTIONS lists the allowed methods', async () => {
    const { status, headers } = await service.send('OPTIONS', '/v1/tasks/1');
    expect([status, headers.get('Allow')]).toEqual([204, 'DELETE, OPTIONS']);
  });

  test('security headers and a transaction id are on every answer', async () => {
    for (const { method, path } of conversionRoutes) {
      const { headers } = await service.send(method, filled(path));
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'");
      expect(headers.get('X-Transaction-ID')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

describe('the server', () => {
  test('/health, /livez, /readyz and /api', async () => {
    for (const path of ['/health', '/livez', '/readyz', '/api']) {
      const answer = await service.send('GET', path);
      expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { status: 'ok' }]);
    }
    expect((await service.send('GET', '/ready')).status).toBe(200);
  });

  test('/readyz lists unavailable services', async () => {
    const api = await startApi({
      probes: {
        temporal: () => Promise.reject(new AppError('WORKFLOW_ENGINE_UNAVAILABLE', 'Temporal is unreachable.')),
      },
    });
    const response = await fetch(`${api.url}/readyz`);
    expect([response.status, await response.json()]).toEqual([503, { detail: 'temporal: Temporal is unreachable.' }]);
    await api.close();
  });

  test('/version has the member names that clients read, and can be disabled', async () => {
    const { body } = await service.send('GET', '/version');
    for (const name of ['docling-serve', 'docling-core', 'docling', 'python', 'plaform'])
      expect(body).toHaveProperty([name], expect.any(String));
    const quiet = await startConversion({ showVersions: false });
    expect(await quiet.send('GET', '/version')).toMatchObject({
      status: 403,
      body: { detail: 'Forbidden. The server is configured for not showing version details.' },
    });
    await quiet.close();
  });

  test('/v1/memory/stats and /counts are served when enabled', async () => {
    for (const path of ['/v1/memory/stats', '/v1/memory/counts'])
      expect(await service.send('GET', path)).toMatchObject({
        status: 403,
        body: { detail: 'Forbidden. The server is configured for not showing internal managament details.' },
      });
    const open = await startConversion({ managementEndpoints: true });
    expect((await open.send('GET', '/v1/memory/stats')).body).toMatchObject({
      rss: expect.any(Number),
      cgroup_total: expect.any(Number),
    });
    expect((await open.send('GET', '/v1/memory/counts')).body).toMatchObject({
      gc: { counts: expect.any(Array) },
      objects: { total: expect.any(Number) },
      top_types: expect.any(Array),
    });
    await open.close();
  });

  test.each(['/docs', '/swagger', '/redoc'])('%s loads assets of this server only', async (path) => {
    const { status, text, headers } = await service.send('GET', path);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    for (const [, address = ''] of text.matchAll(/(?:src|href|spec-url)="([^"]+)"/g)) {
      const asset = await fetch(`${service.url}${address}`);
      expect(asset.status).toBe(200);
      await asset.arrayBuffer();
    }
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)/);
  });
});

describe('the size of a body', () => {
  const megabyte = 1024 * 1024;
  let small: ConversionApi;
  beforeAll(async () => {
    small = await startConversion({ maxJsonBytes: megabyte, maxUploadBytes: 2 * megabyte });
  });
  afterAll(() => small.close());

  /** Declares a length, sends only a part of the body, and returns the answer in the meantime. */
  function announce(path: string, type: string, bytes: number): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const request = httpRequest(`${small.url}${path}`, {
        method: 'POST',
        headers: { 'Content-Type': type, 'Content-Length': String(bytes) },
      });
      request.on('error', reject);
      request.on('response', (response) => {
        let text = '';
        response.on('data', (part) => (text += String(part)));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, text });
          request.destroy();
        });
      });
      request.write('{"sources":');
    });
  }

  test('a declared body of 300 MB is rejected at once, not after reading it', async () => {
    const started = Date.now();
    expect(await announce('/v1/convert/file', 'multipart/form-data; boundary=b', 300 * megabyte)).toEqual({
      status: 413,
      text: '{"detail":"Payload too large. Maximum size is 2 MB."}',
    });
    expect(await announce('/v1/convert/source', 'application/json', 300 * megabyte)).toEqual({
      status: 413,
      text: expect.stringContaining('Payload too large. Maximum size is'),
    });
    expect(Date.now() - started).toBeLessThan(5_000);
  });

  test('a client that expects 100-continue gets 413 instead', async () => {
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest(`${small.url}/v1/convert/file`, {
        method: 'POST',
        headers: {
          'Content-Type': 'multipart/form-data; boundary=b',
          'Content-Length': String(300 * megabyte),
          Expect: '100-continue',
        },
      });
      request.on('continue', () => resolve('continue'));
      request.on('response', (response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      request.on('error', reject);
      request.flushHeaders();
    });
    expect(status).toBe(413);
  });

  test('a client that may send gets 100-continue', async () => {
    const body = JSON.stringify(json);
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest(`${small.url}/v1/convert/source`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Content-Length': body.length, Expect: '100-continue' },
      });
      request.on('continue', () => request.end(body));
      request.on('response', (response) => resolve(response.statusCode));
      request.on('error', reject);
      request.flushHeaders();
    });
    expect(status).toBe(200);
  });

  test('chunked bodies are counted as they arrive, and nothing is stored', async () => {
    const before = [small.memory.stored.size, small.memory.requests.length];
    const stream = (piece: string) =>
      new ReadableStream({
        pull(controller) {
          controller.enqueue(Buffer.from(piece));
        },
      });
    const send = (path: string, type: string, body: ReadableStream) =>
      fetch(`${small.url}${path}`, {
        method: 'POST',
        headers: { 'Content-Type': type },
        body,
        duplex: 'half',
      }).then((response) => response.status);
    let isFirst = true;
    const endlessJson = new ReadableStream({
      pull(controller) {
        controller.enqueue(
          Buffer.from(isFirst ? '{"sources":[{"kind":"file","base64_string":"' : 'QUJD'.repeat(10_000)),
        );
        isFirst = false;
      },
    });
    expect(await send('/v1/convert/source', 'application/json', endlessJson)).toBe(413);
    expect(await send('/v1/convert/source', 'application/json', stream(' '.repeat(65_536)))).toBe(413);
    let isFirstPart = true;
    const endlessForm = new ReadableStream({
      pull(controller) {
        const head = '--b\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\n';
        controller.enqueue(Buffer.from(isFirstPart ? head : 'x'.repeat(65_536)));
        isFirstPart = false;
      },
    });
    expect(await send('/v1/convert/file', 'multipart/form-data; boundary=b', endlessForm)).toBe(413);
    expect([small.memory.stored.size, small.memory.requests.length]).toEqual(before);
  });

  test.each(['convert', 'chunk/hybrid'])('%s: too many files are counted, and nothing is stored', async (value) => {
    const before = [small.memory.stored.size, small.memory.requests.length];
    const most = value === 'convert' ? 100 : 1_000;
    const form = new FormData();
    for (let index = 0; index <= most; index += 1) form.append('files', new Blob(['x']), `${index}.md`);
    const sources = Array.from({ length: most + 1 }, (_, index) => inline(`${index}.md`, 'x'));
    const answers = await Promise.all([
      fetch(`${small.url}/v1/${value}/file`, { method: 'POST', body: form }),
      fetch(`${small.url}/v1/${value}/source`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ sources }),
      }),
    ]);
    expect(await Promise.all(answers.map((answer) => answer.json()))).toEqual([
      { detail: `Too many files: ${most + 1} exceeds the maximum of ${most}.` },
      { detail: `Too many sources: ${most + 1} exceeds the maximum of ${most}.` },
    ]);
    expect([small.memory.stored.size, small.memory.requests.length]).toEqual(before);
  });

  test('packed bodies are unpacked, and counted unpacked', async () => {
    const send = (text: string) =>
      fetch(`${small.url}/v1/convert/source`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
        body: new Uint8Array(gzipSync(text)),
      }).then((response) => response.status);
    expect(await send(JSON.stringify(json))).toBe(200);
    expect(await send(JSON.stringify({ sources: [inline('a.md', 'x'.repeat(3 * megabyte))] }))).toBe(413);
  });

  test('a body within the limit passes, although it is larger than other paths accept', async () => {
    const { status } = await service.send('POST', '/v1/convert/file', {
      form: [['files', getFile('a.md', 'x'.repeat(8 * megabyte))]],
    });
    expect(status).toBe(200);
  });
});

test('/ui leads to the page of the console that converts', async () => {
  const { status, headers } = await service.send('GET', '/ui');
  expect([status, headers.get('Location')]).toEqual([302, '/console/convert']);
});
