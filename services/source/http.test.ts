import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { compareText } from '../../model/compare-text';
import { createAddressGuard } from '../net/address-guard';
import { readSitemap } from './sitemap';
import type { SourceEntry } from './sources';
import { createSources } from './sources';

const { signal } = new AbortController();
const sources = createSources({ roots: [], guard: createAddressGuard(['localhost']) });
let server: Server;
let base: string;
const questions: string[] = [];
type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const pages: Record<string, Answer> = {};
const text =
  (body: string | Buffer, headers: Record<string, string> = {}): Answer =>
  (request, response) =>
    response
      .writeHead(200, { 'content-length': String(Buffer.byteLength(body)), ...headers })
      .end(request.method === 'HEAD' ? undefined : body);

beforeAll(async () => {
  server = createServer((request, response) => {
    questions.push(`${request.method} ${request.url}`);
    const answer = pages[request.url ?? ''];
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const time = 'Wed, 01 Jan 2025 10:00:00 GMT';
  pages['/a.html'] = text('<h1>A</h1>', {
    'content-type': 'text/html; charset=utf-8',
    etag: '"1"',
    'last-modified': time,
  });
  pages['/dir/b.pdf?x=1'] = text('%PDF', { 'content-type': 'application/pdf', 'last-modified': time });
  pages['/plain'] = text('nothing is told of it');
  pages['/gone'] = (_, response) => response.writeHead(410).end();
  pages['/broken'] = (_, response) => response.writeHead(500).end();
  pages['/no-head'] = (request, response) =>
    request.method === 'HEAD' ? response.writeHead(405).end() : text('got', { etag: 'W/"7"' })(request, response);
  let busy = 0;
  pages['/busy'] = (request, response) => {
    busy += 1;
    if (busy === 1) response.writeHead(503, { 'retry-after': '0.01' }).end();
    else text('ready')(request, response);
  };
  pages['/moved'] = (_, response) => response.writeHead(302, { location: '/a.html' }).end();
  pages['/inside'] = (_, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
  pages['/secret'] = (request, response) =>
    request.headers['x-token'] === 't' ? text('known')(request, response) : response.writeHead(403).end();
  pages['/sitemap.xml'] = (request, response) =>
    text(
      `<?xml version="1.0"?><!-- ours --><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>${base}/pages.xml.gz</loc></sitemap><sitemap><loc>${base}/sitemap.xml</loc></sitemap></sitemapindex>`,
    )(request, response);
  pages['/pages.xml.gz'] = (request, response) =>
    text(
      gzipSync(
        `<urlset><url><loc> ${base}/a.html#top </loc><lastmod>2025-01-01</lastmod></url><url><loc><![CDATA[${base}/dir/b.pdf?x=1]]></loc></url><url><loc>${base}/a.html</loc></url></urlset>`,
      ),
    )(request, response);
  pages['/not-a-sitemap'] = text('<html><body>Not found</body></html>');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function list(params: Record<string, unknown>, from = sources, after?: string): Promise<SourceEntry[]> {
  const entries: SourceEntry[] = [];
  for await (const entry of from.list('http', { connection_params: params }, signal, { after })) entries.push(entry);
  return entries;
}

test('addresses are listed in order with the properties that the server reports', async () => {
  const entries = await list({
    urls: [`${base}/a.html`, `${base}/dir/b.pdf?x=1`, `${base}/plain`],
  });
  expect(entries[0]).toMatchObject({
    source: `http:${base}`,
    relativePath: '/a.html',
    path: `${base}/a.html`,
    name: 'a.html',
    mimetype: 'text/html',
    size: 10,
    modifiedTime: '2025-01-01T10:00:00.000Z',
    version: '"1"',
  });
  expect(entries[1]).toMatchObject({ relativePath: '/dir/b.pdf?x=1', name: 'b.pdf', mimetype: 'application/pdf' });
  expect(entries[1]).not.toHaveProperty('version');
  expect(entries[2]?.modifiedTime).toBe('');
});

test('pages that are gone are not listed, and unreadable pages fail individually', async () => {
  const entries = await list({
    urls: [
      `${base}/gone`,
      `${base}/none`,
      `${base}/broken`,
      'http://127.0.0.1:2/away',
      'http://127.0.0.1:9/blocked',
      `${base}/a.html`,
    ],
  });
  expect(entries.map(({ relativePath, failure }) => `${relativePath} ${failure?.code ?? ''}`)).toEqual([
    '/broken SOURCE_UNREADABLE',
    '/away SOURCE_UNREADABLE',
    '/blocked ADDRESS_INVALID',
    '/a.html ',
  ]);
});

test('servers without HEAD, busy servers and redirects are handled', async () => {
  const entries = await list({ urls: [`${base}/no-head`, `${base}/busy`, `${base}/moved`] });
  expect(entries.map(({ failure }) => failure)).toEqual([undefined, undefined, undefined]);
  expect(entries.map(({ version }) => version)).toEqual(['W/"7"', undefined, '"1"']);
  expect(entries[2]?.path).toBe(`${base}/moved`);
});

test('no redirect or address leads to an internal server', async () => {
  expect((await list({ urls: [`${base}/inside`] }))[0]?.failure?.code).toBe('ADDRESS_NOT_ALLOWED');
  const strict = createSources({ roots: [] });
  const entries = await list(
    { urls: [`${base}/a.html`, 'http://localhost/x', 'http://[::1]/x', 'http://2130706433/'] },
    strict,
  );
  expect(entries.map(({ failure }) => failure?.code)).toEqual(Array.from({ length: 4 }, () => 'ADDRESS_NOT_ALLOWED'));
  await expect(strict.read('http', `${base}/a.html`, {}, signal)).rejects.toMatchObject({
    code: 'ADDRESS_NOT_ALLOWED',
  });
});

test('sitemaps are followed, including compressed and nested ones, each page once', async () => {
  const entries = await list({ sitemaps: [`${base}/sitemap.xml`] });
  expect(entries.map(({ relativePath }) => relativePath)).toEqual(['/a.html', '/dir/b.pdf?x=1']);
  expect(
    (await list({ sitemaps: `${base}/sitemap.xml`, exclude_patterns: ['dir'], include_filter: 'html' })).map(
      ({ name }) => name,
    ),
  ).toEqual(['a.html']);
});

test('a listing continues after each entry, also when pages have moved in the sitemaps since', async () => {
  const params = { urls: [`${base}/plain`, `${base}/a.html`], sitemaps: [`${base}/one.txt`, `${base}/two.txt`] };
  const found = ['/dir/b.pdf?x=1', '/dir/b.pdf?x=2', '/dir/b.pdf?x=3', '/dir/b.pdf?x=4'];
  const setSitemaps = (one: string[], two: string[]) => {
    pages['/one.txt'] = text(one.map((page) => base + page).join('\n'));
    pages['/two.txt'] = text([...two, '/plain'].map((page) => base + page).join('\n'));
  };
  setSitemaps(['/dir/b.pdf?x=4', '/dir/b.pdf?x=1'], ['/dir/b.pdf?x=3', '/dir/b.pdf?x=2']);
  for (const page of found) pages[page] = text(page);
  const getPaths = (entries: SourceEntry[]) => entries.map(({ relativePath }) => relativePath);
  const entries = await list(params);
  expect(getPaths(entries)).toEqual(['/plain', '/a.html', ...found]);
  setSitemaps(['/dir/b.pdf?x=2', '/dir/b.pdf?x=3'], ['/dir/b.pdf?x=1', '/dir/b.pdf?x=4']);
  for (const [at, { cursor }] of entries.entries())
    expect(getPaths(await list(params, sources, cursor))).toEqual(getPaths(entries).slice(at + 1));
  setSitemaps(['/dir/b.pdf?x=2'], ['/dir/b.pdf?x=4', '/a.html']);
  expect(getPaths(await list(params, sources, entries[4]?.cursor))).toEqual([found[3]]);
});

test('an unreadable sitemap ends the listing: it must not look like an empty one', async () => {
  await expect(list({ sitemaps: [`${base}/none.xml`] })).rejects.toMatchObject({ code: 'SOURCE_NOT_FOUND' });
  await expect(list({ sitemaps: [`${base}/not-a-sitemap`] })).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
  await expect(list({ urls: ['ftp://example.org/x'] })).rejects.toMatchObject({
    code: 'OPERATOR_CONFIGURATION_INVALID',
  });
});

describe('robots.txt', () => {
  const names = ({ relativePath, skip, failure }: SourceEntry) => `${relativePath} ${skip ?? failure?.code ?? 'taken'}`;
  const forbidden = (page: string) => `${page} The robots.txt of ${base} keeps '${base}${page}' from being read.`;
  afterEach(() => {
    delete pages['/robots.txt'];
  });

  test('pages of sitemaps that it forbids are skipped with the reason and not requested', async () => {
    pages['/robots.txt'] = text(
      'User-agent: *\nDisallow: /\n\nUser-agent: DocLoom\nDisallow: /dir/\nAllow: /dir/*?x=2$',
    );
    questions.length = 0;
    expect((await list({ sitemaps: [`${base}/sitemap.xml`] })).map(names)).toEqual([
      '/a.html taken',
      forbidden('/dir/b.pdf?x=1'),
    ]);
    expect(questions.filter((value) => value.includes('/dir/'))).toEqual([]);
    expect(questions.filter((value) => value.includes('/robots.txt'))).toEqual(['GET /robots.txt']);
  });

  test('addresses named in the flow are always requested, and all pages with respect_robots false', async () => {
    pages['/robots.txt'] = text('User-agent: *\nDisallow: /');
    const both = { urls: [`${base}/a.html`], sitemaps: [`${base}/sitemap.xml`] };
    expect((await list(both)).map(names)).toEqual(['/a.html taken', forbidden('/dir/b.pdf?x=1')]);
    questions.length = 0;
    expect((await list({ ...both, respect_robots: false })).map(names)).toEqual([
      '/a.html taken',
      '/dir/b.pdf?x=1 taken',
    ]);
    expect(questions.filter((value) => value.includes('/robots.txt'))).toEqual([]);
  });

  test.each<[string, Answer, string]>([
    ['is missing', (_, response) => response.writeHead(404).end(), 'taken'],
    ['is forbidden', (_, response) => response.writeHead(403).end(), 'taken'],
    ['moved', (_, response) => response.writeHead(301, { location: '/plain' }).end(), 'taken'],
    ['fails', (_, response) => response.writeHead(503).end(), 'SOURCE_UNREADABLE'],
    ['breaks off', (_, response) => void response.destroy(), 'SOURCE_UNREADABLE'],
    [
      'redirects in circles',
      (_, response) => response.writeHead(302, { location: '/robots.txt' }).end(),
      'SOURCE_UNREADABLE',
    ],
    [
      'leads inside',
      (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      'ADDRESS_NOT_ALLOWED',
    ],
    ['never comes', () => undefined, 'SOURCE_UNREADABLE'],
    [
      'is endless',
      (_, response) => {
        const more = () => {
          while (!response.destroyed && response.write('# '.repeat(10_000)));
        };
        response.on('drain', more);
        more();
      },
      'taken',
    ],
  ])('if it %s, pages are distinguished', async (_name, answer, outcome) => {
    pages['/robots.txt'] = answer;
    const entries = await list({ sitemaps: [`${base}/sitemap.xml`], timeout: 1 });
    expect(entries.map(({ failure }) => failure?.code ?? 'taken')).toEqual([outcome, outcome]);
  });

  test('requests identify their sender to sites unless the flow says otherwise', async () => {
    const agents: (string | undefined)[] = [];
    pages['/who'] = (request, response) => {
      agents.push(request.headers['user-agent']);
      text('you')(request, response);
    };
    await list({ urls: [`${base}/who`] });
    await list({ urls: [`${base}/who`], headers: { 'User-Agent': 'somebody' } });
    expect(agents).toEqual(['docloom', 'somebody']);
  });
});

test('headers of the flow go to the servers that it names, not to others that a sitemap lists', async () => {
  const seen: Record<string, string | undefined> = {};
  const elsewhere = createServer((request, response) => {
    seen[`${request.method} ${request.url}`] = request.headers['x-token'] as string | undefined;
    response.writeHead(200, { 'content-length': '5' }).end(request.method === 'HEAD' ? undefined : 'there');
  }).listen(0, '127.0.0.1');
  await once(elsewhere, 'listening');
  const foreign = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  pages['/two-servers.txt'] = text(`${base}/secret\n${foreign}/page\n`);
  try {
    const params = { sitemaps: [`${base}/two-servers.txt`], headers: { 'X-Token': 't' } };
    const entries = await list(params);
    expect(entries.map(({ path, failure }) => [path, failure])).toEqual(
      [`${base}/secret`, `${foreign}/page`].toSorted(compareText).map((page) => [page, undefined]),
    );
    for (const { path } of entries) await sources.read('http', path, { connection_params: params }, signal);
    expect(seen).toEqual({ 'GET /robots.txt': undefined, 'HEAD /page': undefined, 'GET /page': undefined });
  } finally {
    elsewhere.closeAllConnections();
    elsewhere.close();
  }
});

test('bytes are read up to the limit, with the headers of the flow', async () => {
  const config = { connection_params: { urls: [`${base}/secret`], headers: { 'X-Token': 't' } } };
  expect(Buffer.from(await sources.read('web', `${base}/secret`, config, signal)).toString()).toBe('known');
  await expect(sources.read('http', `${base}/secret`, {}, signal)).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
  const small = { connection_params: { max_file_size_mb: 3 / 1024 / 1024 } };
  await expect(sources.read('http', `${base}/a.html`, small, signal)).rejects.toMatchObject({
    code: 'SOURCE_TOO_LARGE',
  });
  expect(await sources.hash('http', `${base}/plain`, {}, signal)).toHaveLength(64);
});

test('a sitemap is read without resolving entities that it declares', () => {
  const bomb =
    '<!DOCTYPE x [<!ENTITY a "aaaa">]><urlset><url><loc>https://example.org/?a=1&amp;b=&a;</loc></url></urlset>';
  expect(() => readSitemap(bomb, 'x')).toThrow('not a sitemap');
  expect(readSitemap('<urlset><url><loc>https://example.org/?a=1&amp;b=&a;</loc></url></urlset>', 'x').pages).toEqual([
    'https://example.org/?a=1&b=&a;',
  ]);
  expect(readSitemap('https://a.example/1\nhttps://a.example/2\n', 'x').pages).toHaveLength(2);
});
