import type { SourceProvider } from '../../../model/source/list';
import { createAddressGuard } from '../../../services/net/address-guard';
import type { SourceEntry } from '../../../services/source/source';
import { createSources } from '../../../services/source/sources';
import { startConfluence } from '../../support/doubles/confluence';
import {
  type DoubleAnswer,
  type DoubleRequest,
  type DoubleServer,
  startDouble,
} from '../../support/doubles/double-server';
import { startGoogleDrive } from '../../support/doubles/google-drive';
import { startGraph } from '../../support/doubles/graph';
import { confluenceConfig } from '../../support/sources/confluence';
import { withParams } from '../../support/sources/fixture';
import { googleDriveConfig } from '../../support/sources/google-drive';
import { graphConfig } from '../../support/sources/sharepoint';

/**
 * Servers of SharePoint, Google Drive and Confluence that report wrong addresses, sizes, names and ends, or that are
 * busy.
 */
const { signal } = new AbortController();
const sources = createSources({ roots: [], guard: createAddressGuard(['127.0.0.1']) });
type Name = 'sharepoint' | 'google_drive' | 'confluence';

interface Case {
  config: Record<string, unknown>;
  server: DoubleServer;
  put(key: string, text: string): unknown;
  stop(): Promise<void>;
}
const openers: Record<Name, () => Promise<Case>> = {
  async sharepoint() {
    const double = await startGraph();
    return { ...double, config: graphConfig(double) };
  },
  async google_drive() {
    const double = await startGoogleDrive();
    return { ...double, config: googleDriveConfig(double) };
  },
  async confluence() {
    const double = await startConfluence();
    return { ...double, config: withParams(confluenceConfig(double), { exclude_filter: 'html' }) };
  },
};
/** Requests for the items of a folder, or the attachments of a page. */
const isListing: Record<Name, (request: DoubleRequest) => boolean> = {
  sharepoint: ({ url }) => url.pathname.endsWith('/children'),
  google_drive: ({ url }) => url.pathname === '/drive/v3/files',
  confluence: ({ url }) => url.pathname.endsWith('/attachments'),
};
const page: Record<Name, (ids: readonly string[], next?: string) => object> = {
  sharepoint: (ids, next) => ({
    value: ids.map((id) => ({ id, name: `${id}.md`, size: 4, file: {} })),
    ...(next === undefined ? {} : { '@odata.nextLink': next }),
  }),
  google_drive: (ids, next) => ({
    files: ids.map((id) => ({ id, name: `${id}.md`, size: '4', mimeType: 'text/markdown' })),
    ...(next === undefined ? {} : { nextPageToken: next }),
  }),
  confluence: (ids, next) => ({
    results: ids.map((id) => ({ id, title: `${id}.md`, fileSize: 4 })),
    ...(next === undefined ? {} : { _links: { next } }),
  }),
};
const isContent = ({ url }: DoubleRequest) =>
  url.pathname.endsWith('/content') || url.searchParams.get('alt') === 'media' || url.pathname.endsWith('/download');

describe.each(['sharepoint', 'google_drive', 'confluence'] as const)('%s', (name) => {
  let used: Case;
  let thief: DoubleServer;
  beforeEach(async () => {
    used = await openers[name]();
    thief = await startDouble(() => ({ body: 'stolen' }));
  });
  afterEach(async () => {
    await used.stop();
    await thief.stop();
  });
  async function list(config = used.config): Promise<SourceEntry[]> {
    const found: SourceEntry[] = [];
    for await (const entry of sources.list(name satisfies SourceProvider, config, signal)) found.push(entry);
    return found;
  }
  const answerListings = (answer: (request: DoubleRequest) => DoubleAnswer | undefined) =>
    used.server.override((request) => (isListing[name](request) ? answer(request) : undefined));
  const readFirst = async (more: Record<string, unknown> = {}) => {
    const [entry] = await list();
    return await sources.read(name, entry?.path ?? '', withParams(used.config, more), signal);
  };

  test('a page on another server gets neither a request nor credentials', async () => {
    answerListings(() => ({ body: page[name](['1a'], `${thief.origin}/page?cursor=2&pageToken=2`) }));
    await expect(list()).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
    expect(thief.asked).toHaveLength(0);
  });

  test('a redirect of a listing to another server is not followed', async () => {
    answerListings(() => ({ status: 302, headers: { location: `${thief.origin}/items` } }));
    // For a folder within the source, the listing would be incomplete.
    const failed = await list().then(
      (entries) => entries.find(({ incomplete }) => incomplete)?.failure?.code,
      (error: { code: string }) => error.code,
    );
    expect(failed).toBe('SOURCE_UNREADABLE');
    expect(thief.asked).toHaveLength(0);
  });

  test('bytes may be on another server, which gets no credentials, and must be allowed by name', async () => {
    used.put('a.md', 'text');
    used.server.override((request) =>
      isContent(request) ? { status: 302, headers: { location: `${thief.origin}/bytes` } } : undefined,
    );
    expect(String(await readFirst())).toBe('stolen');
    expect(thief.asked.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    used.server.override((request) =>
      isContent(request)
        ? { status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data/' } }
        : undefined,
    );
    await expect(readFirst()).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
    used.server.override((request) =>
      isContent(request) ? { status: 302, headers: { location: 'http://user:pass@127.0.0.1/x' } } : undefined,
    );
    await expect(readFirst()).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
  });

  test('a listing that repeats a page, or sends empty pages without end, ends with an error', async () => {
    const again =
      name === 'sharepoint' ? `${used.server.origin}/v1.0/drives/b!drive-1/items/x/children?n=` : 'again?cursor=';
    let count = 0;
    answerListings(() => ({ body: page[name]([`${(count += 1)}a`], `${again}1`) }));
    await expect(list()).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
    expect(count).toBeLessThan(4);
    answerListings(() => ({ body: page[name]([], `${again}${(count += 1)}`) }));
    await expect(list()).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
    expect(count).toBeLessThan(1_100);
  });

  test('an answer that is not a listing is an error, not an empty listing', async () => {
    for (const body of ['', '{}]', '<html></html>', '[]', '{}', '"x"', 'null']) {
      answerListings(() => ({ body }));
      await expect(list()).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
    }
  });

  test('ids that lead elsewhere are never requested', async () => {
    answerListings(() => ({ body: page[name](['../../me', '..', 'a/b', 'a?x=1', 'a#b', ''], undefined) }));
    await expect(list()).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
    const requests = used.server.asked.map(({ url }) => decodeURIComponent(url.pathname));
    expect(requests.filter((at) => /\.\.|a\/b|a\?x|a#b|\/me\b/.test(at))).toEqual([]);
  });

  test('a document is refused as soon as it exceeds its declared size', async () => {
    used.put('a.md', 'text');
    used.server.override((request) => (isContent(request) ? { body: 'x'.repeat(3 * 1024 * 1024) } : undefined));
    await expect(readFirst({ max_file_size_mb: 1 })).rejects.toMatchObject({ code: 'SOURCE_TOO_LARGE' });
  });

  test('only the document that may not be read fails; a refused sign-in has another code', async () => {
    used.put('a.md', 'text');
    used.server.override((request) => (isContent(request) ? { status: 403 } : undefined));
    await expect(readFirst()).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
    used.server.override((request) => (isContent(request) ? { status: 401 } : undefined));
    await expect(readFirst()).rejects.toMatchObject({ code: 'SOURCE_SIGN_IN_FAILED' });
  });

  test('the listing waits for a busy server; if the server asks for a longer delay, the run waits', async () => {
    used.put('a.md', 'text');
    let requests = 0;
    answerListings(() => ((requests += 1) === 1 ? { status: 429, headers: { 'retry-after': '0' } } : undefined));
    expect(await list()).toHaveLength(1);
    expect(requests).toBeGreaterThan(1);
    answerListings(() => ({ status: 503, headers: { 'retry-after': '3600' } }));
    await expect(list()).rejects.toMatchObject({ code: 'CONNECTION_ERROR', details: { retryAfterMs: 3_600_000 } });
  });

  test("the server's reason for a refusal is repeated only if it is a single word", async () => {
    const text = 'the token was secret-token';
    answerListings(() => ({
      status: 400,
      body: { error: { code: text, message: text, errors: [{ reason: text }] }, message: text },
    }));
    await expect(list()).rejects.toMatchObject({
      code: 'EXTERNAL_SERVICE_ERROR',
      message: expect.not.stringContaining('secret-token') as string,
    });
  });

  test('names with slashes and dots stay within one part of the path', async () => {
    const items: Record<Name, object> = {
      sharepoint: { value: [{ id: '1a', name: '../../etc/passwd', size: -5, file: {} }] },
      google_drive: { files: [{ id: '1a', name: '../../etc/passwd', size: 'many', mimeType: 'text/plain' }] },
      confluence: { results: [{ id: '1a', title: '../../etc/passwd', fileSize: -1 }] },
    };
    answerListings(() => ({ body: items[name] }));
    const [entry] = await list(withParams(used.config, { ignore_hidden_files: false }));
    expect(entry).toMatchObject({ name: '../../etc/passwd', size: 0 });
    expect(String(entry?.metadata['relative_path'])).toMatch(/^(?:Home\/)?\.\.%2F\.\.%2Fetc%2Fpasswd$/);
    expect(entry?.path).not.toContain('/etc/');
  });
});

test('a rate limit that Google reports as a refusal makes the run wait', async () => {
  const drive = await startGoogleDrive();
  try {
    drive.server.override(({ url }) =>
      url.pathname.startsWith('/drive/')
        ? { status: 403, body: { error: { errors: [{ reason: 'userRateLimitExceeded' }] } } }
        : undefined,
    );
    const entries = sources.list('google_drive', googleDriveConfig(drive), signal)[Symbol.asyncIterator]();
    await expect(entries.next()).rejects.toMatchObject({ code: 'CONNECTION_ERROR', details: { retryAfterMs: 60_000 } });
  } finally {
    await drive.stop();
  }
});

test('folders of Graph that lead out of the drive are refused before any request', async () => {
  const graph = await startGraph();
  try {
    for (const more of [
      { folder: '../../users' },
      { folder: 'a/../..' },
      { site: undefined, drive_id: '..' },
      { site: undefined, user: '..' },
    ]) {
      const entries = sources.list('sharepoint', withParams(graphConfig(graph), more), signal)[Symbol.asyncIterator]();
      await expect(entries.next()).rejects.toMatchObject({ code: 'OPERATOR_CONFIGURATION_INVALID' });
    }
    expect(graph.server.asked).toHaveLength(0);
  } finally {
    await graph.stop();
  }
});
