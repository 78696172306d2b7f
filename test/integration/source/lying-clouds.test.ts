import type { IncomingMessage } from 'node:http';
import { createAddressGuard } from '../../../services/net/address-guard';
import type { SourceEntry } from '../../../services/source/source';
import { createSources } from '../../../services/source/sources';
import { withParams } from '../../support/sources/fixture';
import { type Answer, useLyingServer } from '../../support/sources/lying-server';

/** Cloud stores that report wrong sizes, names and addresses, or that are busy. */
const { signal } = new AbortController();
const sources = createSources({ roots: [], guard: createAddressGuard(['127.0.0.1']) });
const lying = useLyingServer();

type Name = 'azure' | 'gcs';
const getConfig = (name: Name): Record<string, unknown> =>
  name === 'azure'
    ? {
        connection_params: { container_url: `${lying.origin}/account/box` },
        credentials: { account_key: Buffer.from('account-secret').toString('base64') },
      }
    : { connection_params: { bucket: 'box', endpoint_url: lying.origin } };
const getPath = (name: Name, key: string) =>
  name === 'azure' ? `${lying.origin}/account/box/${key}` : `gs://box/${key}`;
const read = (name: Name, key: string, more: object = {}) =>
  sources.read(name, getPath(name, key), withParams(getConfig(name), { ...more }), signal);
async function list(name: Name, more: object = {}): Promise<SourceEntry[]> {
  const entries: SourceEntry[] = [];
  for await (const entry of sources.list(name, withParams(getConfig(name), { ...more }), signal)) entries.push(entry);
  return entries;
}

/** A page of a listing. The names are inserted into the XML unescaped. */
const page: Record<Name, (names: readonly string[], next?: string) => string> = {
  azure: (names, next = '') =>
    `<EnumerationResults><Blobs>${names
      .map(
        (name) =>
          `<Blob>${name.startsWith('<') ? name : `<Name>${name}</Name>`}<Properties><Content-Length>4</Content-Length></Properties></Blob>`,
      )
      .join('')}</Blobs><NextMarker>${next}</NextMarker></EnumerationResults>`,
  gcs: (names, next = '') =>
    JSON.stringify({ items: names.map((name) => ({ name, size: '4' })), ...(next ? { nextPageToken: next } : {}) }),
};
const isListing = ({ url = '' }: IncomingMessage) => url.includes('comp=list') || /\/o\?/.test(url);
const listing =
  (name: Name, names: readonly string[]): Answer =>
  (request, response) =>
    void (isListing(request) ? response.end(page[name](names)) : response.writeHead(404).end());

describe.each(['azure', 'gcs'] as const)('%s', (name) => {
  test('names that lead elsewhere are listed as failed and are not requested', async () => {
    const requests: string[] = [];
    lying.answer = (request, response) => {
      requests.push(request.url ?? '');
      listing(name, ['a.md', 'in/../../../etc/passwd', 'in/./b.md', 'x\u007f.md', '..'])(request, response);
    };
    const entries = await list(name, { ignore_hidden_files: false });
    expect(entries.map(({ relativePath, failure }) => [relativePath, failure?.code])).toEqual([
      ['a.md', undefined],
      ['in/../../../etc/passwd', 'SOURCE_UNREADABLE'],
      ['in/./b.md', 'SOURCE_UNREADABLE'],
      ['x\u007f.md', 'SOURCE_UNREADABLE'],
      ['..', 'SOURCE_UNREADABLE'],
    ]);
    for (const key of ['in/../../../etc/passwd', '..', '.', '%2e%2e/a.md'])
      await expect(read(name, key)).rejects.toMatchObject({
        code: expect.stringMatching(/^SOURCE_(?:UNREADABLE|GONE)$/),
      });
    expect(requests.filter((url) => /passwd|\.\.|%2e%2e\/|%2E%2E\//i.test(url.replace('%252e%252e', '')))).toEqual([]);
  });

  test('objects without the requested prefix are ignored', async () => {
    lying.answer = listing(name, ['in/a.md', 'other/b.md']);
    expect((await list(name, { prefix: 'in/' })).map(({ relativePath }) => relativePath)).toEqual(['in/a.md']);
  });

  test('a listing that repeats its marker, or sends empty pages without end, ends with an error', async () => {
    let count = 0;
    lying.answer = (request, response) =>
      void (isListing(request)
        ? response.end(page[name]([`${(count += 1)}.md`], 'again'))
        : response.writeHead(404).end());
    await expect(list(name)).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
    expect(count).toBe(2);
    lying.answer = (_request, response) => void response.end(page[name]([], `page-${(count += 1)}`));
    await expect(list(name)).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
  });

  test('a response that is not a listing is an error, not an empty listing', async () => {
    for (const text of ['', '{}]', '<html></html>', '[]', '<EnumerationResults></EnumerationResults>', '"x"']) {
      lying.answer = (_request, response) => void response.end(text);
      await expect(list(name)).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
    }
  });

  test('a redirect to another server gets neither credentials nor a request', async () => {
    lying.answer = (_request, response) => response.writeHead(307, { location: `${lying.otherOrigin}/a.md` }).end();
    await expect(list(name)).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
    await expect(read(name, 'a.md')).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
    expect(lying.stolen).toHaveLength(0);
  });

  test('an object is rejected as soon as it exceeds the size that the server reported', async () => {
    lying.answer = (_request, response) => {
      response.writeHead(200, { 'transfer-encoding': 'chunked' });
      const send = () => void (response.writable && response.write(Buffer.alloc(64 * 1024), send));
      send();
    };
    await expect(read(name, 'a.md', { max_file_size_mb: 1 })).rejects.toMatchObject({ code: 'SOURCE_TOO_LARGE' });
  });

  test('an object that may not be read has another code than a rejected sign-in', async () => {
    lying.answer = (_request, response) => response.writeHead(403).end();
    await expect(read(name, 'a.md')).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
    lying.answer = (_request, response) => response.writeHead(401).end();
    await expect(read(name, 'a.md')).rejects.toMatchObject({ code: 'SOURCE_SIGN_IN_FAILED' });
  });

  test('the listing waits for a busy server; if the server asks for a longer delay, the run waits', async () => {
    let requests = 0;
    lying.answer = (request, response) => {
      if (isListing(request)) requests += 1;
      if (requests === 1) response.writeHead(503, { 'retry-after': '0' }).end();
      else listing(name, ['a.md'])(request, response);
    };
    expect(await list(name)).toHaveLength(1);
    expect(requests).toBe(2);
    lying.answer = (_request, response) => response.writeHead(429, { 'retry-after': '3600' }).end();
    await expect(list(name)).rejects.toMatchObject({ code: 'CONNECTION_ERROR', details: { retryAfterMs: 3_600_000 } });
  });

  test("the server's reason for a refusal is repeated only if it is a single word", async () => {
    const secret = 'account-secret in your request';
    lying.answer = (_request, response) =>
      response
        .writeHead(403, { 'x-ms-error-code': secret })
        .end(JSON.stringify({ error: { errors: [{ reason: secret }], message: secret } }));
    await expect(list(name)).rejects.toMatchObject({
      code: 'SOURCE_NOT_ALLOWED',
      message: expect.not.stringContaining('account-secret'),
    });
  });

  test('an access list that cannot be read grants access to nobody', async () => {
    lying.answer = (request, response) => {
      if (isListing(request)) response.end(page[name](['a.md']));
      else response.writeHead(403).end();
    };
    expect(await list(name)).toMatchObject([{ failure: { code: 'ACCESS_LIST_INVALID' } }]);
  });
});

test('names that XML cannot contain arrive encoded from Azure', async () => {
  lying.answer = listing('azure', [
    '<Name Encoded="true">a%EF%BF%BF%20b.md</Name>',
    '<Name Encoded="true">50%.md</Name>',
  ]);
  expect((await list('azure')).map(({ relativePath }) => relativePath)).toEqual(['a\uffff b.md', '50%.md']);
});

test('a rate limit that Google reports as a refusal makes the run wait', async () => {
  lying.answer = (_request, response) =>
    response.writeHead(403).end(JSON.stringify({ error: { errors: [{ reason: 'userRateLimitExceeded' }] } }));
  await expect(list('gcs')).rejects.toMatchObject({ code: 'CONNECTION_ERROR', details: { retryAfterMs: 60_000 } });
});
