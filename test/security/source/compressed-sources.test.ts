import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { AppError } from '../../../model/errors';
import type { SourceProvider } from '../../../model/source/list';
import { createAddressGuard } from '../../../services/net/address-guard';
import { createSources } from '../../../services/source/sources';
import { startConfluence } from '../../support/doubles/confluence';
import type { DoubleAnswer, DoubleRequest, DoubleServer } from '../../support/doubles/double-server';
import { startGoogleDrive } from '../../support/doubles/google-drive';
import { startGraph } from '../../support/doubles/graph';
import { confluenceConfig } from '../../support/sources/confluence';
import { withParams } from '../../support/sources/fixture';
import { googleDriveConfig } from '../../support/sources/google-drive';
import { useLyingServer } from '../../support/sources/lying-server';
import { graphConfig } from '../../support/sources/sharepoint';

/** Servers of sources whose answers are compressed wrongly, break off, or become large when they are decompressed. */
const { signal } = new AbortController();
const sources = createSources({ roots: [], guard: createAddressGuard(['127.0.0.1']) });
const lying = useLyingServer();

const megabyte = 1024 * 1024;
const text = Buffer.from('a text that is compressed '.repeat(2_000));
const packed = gzipSync(text);
/** Answers that cannot be decompressed. */
const broken: Record<string, DoubleAnswer> = {
  'is no gzip': { headers: { 'content-encoding': 'gzip' }, body: 'plain text' },
  'has wrong bytes': {
    headers: { 'content-encoding': 'gzip' },
    body: Buffer.concat([packed.subarray(0, 20), Buffer.alloc(60, 0xff), packed.subarray(80)]),
  },
  'is gzip but claims Brotli': { headers: { 'content-encoding': 'br' }, body: packed },
  'is compressed once but claims twice': { headers: { 'content-encoding': 'gzip, gzip' }, body: packed },
};
const bomb: DoubleAnswer = {
  headers: { 'content-encoding': 'br' },
  body: brotliCompressSync(Buffer.alloc(130 * megabyte, ' ')),
};

const list = async (provider: SourceProvider, config: Record<string, unknown>) => {
  const paths: string[] = [];
  for await (const { path } of sources.list(provider, config, signal)) paths.push(path);
  return paths;
};
const findCode = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    ({ code, name, message }: AppError) => code ?? `${name}: ${message}`,
  );

const openers = { sharepoint: startGraph, google_drive: startGoogleDrive, confluence: startConfluence } as const;
const configs = { sharepoint: graphConfig, google_drive: googleDriveConfig, confluence: confluenceConfig } as const;
type Item = keyof typeof openers;
const isContent = ({ url }: DoubleRequest) =>
  url.pathname.endsWith('/content') || url.searchParams.get('alt') === 'media' || url.pathname.endsWith('/download');
const isListing = ({ url }: DoubleRequest) =>
  /\/(?:children|attachments)$/.test(url.pathname) || url.pathname === '/drive/v3/files';

describe.each(['sharepoint', 'google_drive', 'confluence'] as const)('%s', (name: Item) => {
  let double: { server: DoubleServer; put(key: string, text: string): unknown; stop(): Promise<void> };
  let config: Record<string, unknown>;
  beforeEach(async () => {
    double = await openers[name]();
    config = withParams(configs[name](double as never), name === 'confluence' ? { exclude_filter: 'html' } : {});
    double.put('a.md', 'text');
  });
  afterEach(() => double.stop());
  const readAfter = async (answer: DoubleAnswer) => {
    const [file = ''] = await list(name, config);
    double.server.override((request) => (isContent(request) ? answer : undefined));
    return findCode(sources.read(name, file, withParams(config, { max_file_size_mb: 1 }), signal));
  };
  const listAfter = (answer: DoubleAnswer) => {
    double.server.override((request) => (isListing(request) ? answer : undefined));
    return findCode(list(name, config));
  };

  test.each(Object.entries(broken))('an answer that %s has a code', async (_what, answer) => {
    expect(await readAfter(answer)).toBe('SOURCE_UNREADABLE');
    expect(await listAfter(answer)).toBe('INVALID_RESPONSE');
  });

  test('a small answer that becomes 130 MB ends at the limit', async () => {
    expect(await readAfter(bomb)).toBe('SOURCE_TOO_LARGE');
    expect(await listAfter(bomb)).toBe('INVALID_RESPONSE');
  });
});

describe.each([
  [
    'azure',
    (): object => ({ container_url: `${lying.origin}/account/box` }),
    (): string => `${lying.origin}/account/box/a.md`,
  ],
  ['gcs', (): object => ({ bucket: 'box', endpoint_url: lying.origin }), (): string => 'gs://box/a.md'],
  ['webdav', (): object => ({ folder_url: `${lying.origin}/dav` }), (): string => `${lying.origin}/dav/a.md`],
  ['http', (): object => ({ urls: [`${lying.origin}/a.md`] }), (): string => `${lying.origin}/a.md`],
] as const)('%s', (name, getParams, getPath) => {
  const answerWith = ({ headers = {}, body = '' }: DoubleAnswer) => {
    lying.answer = ({ url }, response) =>
      void (url === '/robots.txt'
        ? response.writeHead(404).end()
        : response.writeHead(200, headers).end(body as string | Uint8Array));
  };
  const read = () => {
    const config = { connection_params: { ...getParams(), max_file_size_mb: 1 } };
    return findCode(sources.read(name, getPath(), config, signal));
  };

  test.each(Object.entries(broken))('a document that %s has a code', async (_what, answer) => {
    answerWith(answer);
    expect(await read()).toBe('SOURCE_UNREADABLE');
  });

  test('only the document whose answer breaks off every time fails', async () => {
    lying.answer = ({ url }, response) => {
      if (url === '/robots.txt') return void response.writeHead(404).end();
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half', () => response.destroy());
    };
    expect(await read()).toBe('SOURCE_UNREADABLE');
  });

  test('a small document that becomes 130 MB ends at the limit', async () => {
    answerWith(bomb);
    expect(await read()).toBe('SOURCE_TOO_LARGE');
  });
});
