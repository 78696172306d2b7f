import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findChecksum, download } from './download';

const bytes = Buffer.from('a release archive');
const sha256 = createHash('sha256').update(bytes).digest('hex');
const sha512 = createHash('sha512').update(bytes).digest('hex');

let server: Server;
let base: string;
let folder: string;
const requested: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'docloom-download-'));
  const pages: Record<string, string | Buffer> = {
    '/good.tar.gz': bytes,
    '/checksums.txt': `${'0'.repeat(64)}  other.tar.gz\n${sha256}  good.tar.gz\n`,
    '/good.tar.gz.sha512': `${sha512}\n`,
  };
  server = createServer((request, response) => {
    requested.push(request.url ?? '');
    const page = pages[request.url ?? ''];
    response.writeHead(page === undefined ? 404 : 200).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const target = (): string => path.join(folder, 'file');
const quiet = (): void => undefined;

test('a file whose hash is in the published list is accepted', async () => {
  const file = { url: `${base}/good.tar.gz`, algorithm: 'sha256', checksumUrl: `${base}/checksums.txt` } as const;
  expect(await download('Server', file, target(), { log: quiet })).toBe(bytes.length);
  expect(readFileSync(target())).toEqual(bytes);
});

test('a checksum file with one bare hash is accepted', async () => {
  const file = { url: `${base}/good.tar.gz`, algorithm: 'sha512', checksumUrl: `${base}/good.tar.gz.sha512` } as const;
  await expect(download('Server', file, target(), { log: quiet })).resolves.toBe(bytes.length);
});

test('a file with a different hash is rejected with both hashes in the message', async () => {
  const file = { url: `${base}/good.tar.gz`, algorithm: 'sha256', checksum: 'f'.repeat(64) } as const;
  await expect(download('Server', file, target(), { log: quiet })).rejects.toMatchObject({
    code: 'EMBEDDED_SERVER_FAILED',
    message: expect.stringMatching(new RegExp(`${sha256}.*${'f'.repeat(64)}`)),
  });
});

test('a file without a known checksum is not requested at all', async () => {
  const before = requested.length;
  await expect(
    download('Server', { url: `${base}/good.tar.gz`, algorithm: 'sha256' }, target(), { log: quiet }),
  ).rejects.toThrow(/no checksum of/);
  expect(requested.length).toBe(before);
});

test('a checksum list without the file is an error', async () => {
  const file = { url: `${base}/absent.tar.gz`, algorithm: 'sha256', checksumUrl: `${base}/checksums.txt` } as const;
  await expect(download('Server', file, target(), { log: quiet })).rejects.toThrow(/does not name the file/);
});

test('a host that does not answer is given up after the connect timeout and not tried again', async () => {
  let connections = 0;
  const silent = createTcpServer(() => (connections += 1));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/x.tar.gz`;
  const file = { url, algorithm: 'sha256', checksum: sha256 } as const;
  await expect(download('Server', file, target(), { log: quiet, connectMs: 200 })).rejects.toThrow(
    /cannot be reached \(no answer within 0.2 s\)/,
  );
  await expect(download('Server', file, target(), { log: quiet, connectMs: 60_000 })).rejects.toThrow(
    /cannot be reached/,
  );
  expect(connections).toBe(1);
  silent.close();
});

test('the hash in a list is found by the file name, with or without a star or a folder', () => {
  expect(findChecksum(`${sha256} *./dist/a.zip\n`, 'a.zip')).toBe(sha256);
  expect(findChecksum(`${sha256}  ab.zip\n`, 'b.zip')).toBeUndefined();
  expect(findChecksum('<html>not found</html>', 'a.zip')).toBeUndefined();
});
