import { createAddressGuard } from '../../../services/net/address-guard';
import type { SourceEntry } from '../../../services/source/source';
import { createSources } from '../../../services/source/sources';
import { withParams } from '../../support/sources/fixture';
import { useLyingServer } from '../../support/sources/lying-server';
import { sftpFixture } from '../../support/sources/sftp';

/** Servers that lie about sizes, names and places, or that are busy. */
const { signal } = new AbortController();
const sources = createSources({ roots: [], guard: createAddressGuard(['127.0.0.1']) });
const lying = useLyingServer();

const credentials = { username: 'alice', password: 'right-password' };
const config = () => ({ connection_params: { folder_url: `${lying.origin}/dav` }, credentials });
async function list(): Promise<SourceEntry[]> {
  const entries: SourceEntry[] = [];
  for await (const entry of sources.list('webdav', config(), signal)) entries.push(entry);
  return entries;
}
const read = (path: string, more: object = {}) =>
  sources.read('webdav', path, withParams(config(), { ...more }), signal).then((bytes) => bytes.length);

const folder = '<d:resourcetype><d:collection/></d:resourcetype>';
const listing = (...hrefs: (string | [string, string])[]) =>
  `<d:multistatus xmlns:d="DAV:">${hrefs
    .map((href) => (typeof href === 'string' ? ([href, ''] as const) : href))
    .map(
      ([href, facts]) =>
        `<d:response><d:href>${href}</d:href><d:propstat><d:prop>${facts}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`,
    )
    .join('')}</d:multistatus>`;
const own: [string, string] = ['/dav/', folder];

test('names that lead out of their folder are not documents, and are not read', async () => {
  lying.answer = (_request, response) =>
    response
      .writeHead(207)
      .end(
        listing(
          own,
          '/dav/good.md',
          '/dav/../etc/passwd',
          '/dav/..%2f..%2fetc%2fpasswd',
          '/other/bad.md',
          '/dav/deep/bad.md',
          '/dav/good.md',
        ),
      );
  expect((await list()).map(({ relativePath }) => relativePath)).toEqual(['good.md']);
  const origin = lying.origin;
  for (const path of ['/etc/passwd', '/dav/..%2f..%2fetc%2fpasswd', '/dav/%2e%2e/x', '/davx/a.md', '/dav'])
    await expect(read(`${origin}${path}`)).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
});

test('a redirect to another server gets neither credentials nor a request', async () => {
  lying.answer = (_request, response) => response.writeHead(302, { location: `${lying.otherOrigin}/dav/a.md` }).end();
  await expect(read(`${lying.origin}/dav/a.md`)).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
  await expect(list()).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
  expect(lying.stolen).toHaveLength(0);
});

test('endlessly nested folders are an incomplete listing', async () => {
  lying.answer = ({ url = '', method }, response) => {
    if (method !== 'PROPFIND') return void response.writeHead(404).end();
    response.writeHead(207).end(listing([url, folder], [`${url.replace(/\/$/, '')}/again/`, folder]));
  };
  const entries = await list();
  expect(entries).toMatchObject([{ incomplete: true, failure: { code: 'SOURCE_UNREADABLE' } }]);
  expect(entries[0]?.failure?.message).toMatch(/more than 100 folders deep/);
});

test('a document is rejected as soon as it exceeds its declared size', async () => {
  lying.answer = (_request, response) => {
    response.writeHead(200, { 'transfer-encoding': 'chunked' });
    const send = () => void (response.writable && response.write(Buffer.alloc(64 * 1024), send));
    send();
  };
  await expect(read(`${lying.origin}/dav/a.md`, { max_file_size_mb: 1 })).rejects.toMatchObject({
    code: 'SOURCE_TOO_LARGE',
  });
});

test('entities and answers that are not XML end the listing instead of counting as an empty folder', async () => {
  for (const text of ['<!DOCTYPE d [<!ENTITY a "b">]><d>&a;</d>', '<html></html>', '{}', '<d:x>']) {
    lying.answer = (_request, response) => response.writeHead(207).end(text);
    await expect(list()).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
  }
});

test('the listing waits for a busy server; if Retry-After is longer, the run waits', async () => {
  let requests = 0;
  lying.answer = ({ method }, response) => {
    if (method !== 'PROPFIND') return void response.writeHead(404).end();
    requests += 1;
    if (requests === 1) response.writeHead(429, { 'retry-after': '0' }).end();
    else response.writeHead(207).end(listing(own, '/dav/a.md'));
  };
  expect(await list()).toHaveLength(1);
  expect(requests).toBe(2);
  lying.answer = (_request, response) => response.writeHead(429, { 'retry-after': '3600' }).end();
  await expect(list()).rejects.toMatchObject({ code: 'CONNECTION_ERROR', details: { retryAfterMs: 3_600_000 } });
});

test('a forbidden folder is an incomplete entry; a server that becomes unavailable ends the listing', async () => {
  lying.answer = ({ url }, response) => {
    if (url === '/dav/') response.writeHead(207).end(listing(own, ['/dav/closed/', folder], '/dav/open.md'));
    else response.writeHead(403).end();
  };
  expect((await list()).map(({ name, incomplete }) => [name, incomplete])).toEqual([
    ['closed', true],
    ['open.md', undefined],
  ]);
  lying.answer = ({ url }, response) => {
    if (url === '/dav/') response.writeHead(207).end(listing(own, ['/dav/closed/', folder]));
    else response.destroy();
  };
  await expect(list()).rejects.toMatchObject({ code: 'CONNECTION_ERROR' });
});

test('a password in the address is refused, and never repeated', async () => {
  const inAddress = { connection_params: { folder_url: 'http://alice:right-password@127.0.0.1/dav' } };
  const failure = await sources.read('webdav', 'x', inAddress, signal).catch((error: Error) => error);
  expect(failure).toMatchObject({ code: 'OPERATOR_CONFIGURATION_INVALID' });
  expect(String(failure)).not.toContain('right-password');
});

test('an SSH server with a changed key gets no password', async () => {
  const fixture = await sftpFixture();
  const other = withParams(fixture.config, { host_key: `SHA256:${'A'.repeat(43)}` });
  const rights = await fixture.sources.check({ ...other, provider: 'sftp' }, signal);
  expect(rights.find(({ right }) => right === 'reach')).toMatchObject({ outcome: 'denied', code: 'CONNECTION_ERROR' });
  expect(rights.find(({ right }) => right === 'sign_in')).toMatchObject({ outcome: 'unknown' });
  await fixture.close();
});

test('a bucket that is listed in a circle ends the listing; keys outside of the prefix are not documents', async () => {
  const object = (key: string) =>
    `<Contents><Key>${key}</Key><Size>1</Size><ETag>"1"</ETag><LastModified>2024-01-01T00:00:00.000Z</LastModified></Contents>`;
  let pages = 0;
  lying.answer = (request, response) => {
    if (!request.url?.includes('list-type=2')) return void response.writeHead(404).end();
    pages += 1;
    const next = `<IsTruncated>true</IsTruncated><NextContinuationToken>${pages % 3}</NextContinuationToken>`;
    response.setHeader('content-type', 'application/xml');
    response.end(`<ListBucketResult>${object(`in/${pages}.md`)}${object('elsewhere/x.md')}${next}</ListBucketResult>`);
  };
  const keys: string[] = [];
  const listed = async () => {
    const bucket = { bucket: 'b', prefix: 'in/', endpoint_url: lying.origin };
    for await (const { relativePath } of sources.list('s3', { connection_params: bucket }, signal))
      keys.push(relativePath);
  };
  await expect(listed()).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
  expect(keys).toEqual(['in/1.md', 'in/2.md', 'in/3.md', 'in/4.md']);
});
