import type { LookupAddress, lookup as dnsLookup } from 'node:dns';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAddressGuard } from './address-guard';
import { createSourceFetcher, type SourceFetcher } from './source-fetch';

let server: Server;
let port: number;
let answer: RequestListener;
const fetchers: SourceFetcher[] = [];
const never = new AbortController().signal;

beforeAll(async () => {
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => new Promise((resolve) => server.closeAllConnections() ?? server.close(resolve)));
afterEach(() => {
  for (const fetcher of fetchers.splice(0)) fetcher.close();
});

/** Names that resolve to these addresses instead of the real ones; `allowed` may be private. */
function fetcher({
  allowed = ['docs.example'],
  names = {},
  maxBytes = 1_000,
  timeoutMs = 5_000,
}: { allowed?: string[]; names?: Record<string, string>; maxBytes?: number; timeoutMs?: number } = {}) {
  const known: Record<string, string> = { 'docs.example': '127.0.0.1', 'other.example': '127.0.0.1', ...names };
  const resolve = ((name: string, _: unknown, done: (error: Error | null, found: LookupAddress[]) => void) =>
    done(known[name] ? null : new Error(`getaddrinfo ENOTFOUND ${name}`), [
      { address: known[name] ?? '', family: 4 },
    ])) as unknown as typeof dnsLookup;
  const sourceFetcher = createSourceFetcher({ guard: createAddressGuard(allowed, resolve), maxBytes, timeoutMs });
  fetchers.push(sourceFetcher);
  return (path: string, headers = {}, host = 'docs.example') =>
    sourceFetcher.fetch({ url: path.includes('://') ? path : `http://${host}:${port}${path}`, headers }, never);
}

test('a document has its name and media type', async () => {
  answer = (_, response) => response.setHeader('content-type', 'text/markdown; charset=utf-8').end('# Hello');
  const fetched = await fetcher()('/folder/hello%20world.md?version=2');
  expect({ ...fetched, bytes: Buffer.from(fetched.bytes).toString() }).toEqual({
    bytes: '# Hello',
    filename: 'hello world.md',
    mimetype: 'text/markdown',
  });
  answer = (_, response) =>
    response.setHeader('content-disposition', `attachment; filename="../x.md"; filename*=UTF-8''%C3%BC.md`).end();
  expect((await fetcher()('/download')).filename).toBe('ü.md');
});

test.each([
  'http://127.0.0.1/a.md',
  'http://[::1]/a.md',
  'http://169.254.169.254/latest/meta-data',
  'http://0x7f.1/a.md',
  'http://2130706433/a.md',
  'http://rebound.example/a.md',
  'http://metadata.example/a.md',
  'file:///etc/passwd',
  'ftp://docs.example/a.md',
])('%s is rejected', async (url) => {
  const fetch = fetcher({ names: { 'rebound.example': '10.0.0.7', 'metadata.example': '169.254.169.254' } });
  await expect(fetch(url)).rejects.toMatchObject({
    code: 'ADDRESS_NOT_ALLOWED',
    message: expect.stringContaining(`URL is not allowed: ${url}`),
  });
});

test.each(['http://127.0.0.1:4711/', 'http://private.example/', 'file:///etc/passwd'])(
  'a redirect to %s is rejected',
  async (location) => {
    answer = (_, response) => response.writeHead(302, { location }).end();
    const fetch = fetcher({ names: { 'private.example': '192.168.0.1' } });
    const refused = expect.stringMatching(/^URL is not allowed: http:\S+\/a\.md \((?!URL)/);
    await expect(fetch('/a.md')).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED', message: refused });
  },
);

test('headers are sent to the first host only', async () => {
  const seen: Record<string, string | undefined> = {};
  answer = (request, response) => {
    seen[`${request.headers.host?.split(':')[0]}${request.url}`] = request.headers.authorization;
    if (request.url === '/one') response.writeHead(307, { location: '/two' }).end();
    else if (request.url === '/two') response.writeHead(302, { location: `http://other.example:${port}/three` }).end();
    else response.end('done');
  };
  await fetcher({ allowed: ['docs.example', 'other.example'] })('/one', { authorization: 'Bearer secret' });
  expect(seen).toEqual({
    'docs.example/one': 'Bearer secret',
    'docs.example/two': 'Bearer secret',
    'other.example/three': undefined,
  });
});

test('an endless body is cut at the limit, and one with a larger declared length is not read', async () => {
  answer = (_, response) => {
    const more = () => {
      while (response.write('x'.repeat(100)) && !response.destroyed);
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };
  await expect(fetcher()('/endless')).rejects.toMatchObject({ code: 'SOURCE_TOO_LARGE' });
  answer = (_, response) => response.writeHead(200, { 'content-length': '5000' }).write('x');
  await expect(fetcher()('/large')).rejects.toMatchObject({ code: 'SOURCE_TOO_LARGE' });
});

test('a server that never answers, endless redirects and a lasting error end with a reason', async () => {
  answer = () => undefined;
  await expect(fetcher({ timeoutMs: 100 })('/silent')).rejects.toMatchObject({
    code: 'SOURCE_FETCH_FAILED',
    message: expect.stringContaining('longer than 0.1 seconds'),
  });
  answer = (request, response) => response.writeHead(302, { location: `${request.url}x` }).end();
  await expect(fetcher()('/round')).rejects.toThrow(/more than 10 redirects/);
  answer = (_, response) => response.writeHead(404).end();
  await expect(fetcher()('/missing')).rejects.toThrow(/answered 404 Not Found/);
});

test('a server that is briefly busy is tried again', async () => {
  let requests = 0;
  answer = (_, response) => (requests++ === 0 ? response.writeHead(503).end() : response.end('there'));
  expect(Buffer.from((await fetcher()('/busy')).bytes).toString()).toBe('there');
  expect(requests).toBe(2);
});
