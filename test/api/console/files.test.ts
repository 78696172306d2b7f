import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { startApi, type TestApi } from '../../support/api/server';

let folder: string;
let api: TestApi;
const page = '<!doctype html><title>console</title>';
const script = 'export const one = 1;';

beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-console-'));
  mkdirSync(path.join(folder, 'assets'));
  writeFileSync(path.join(folder, 'index.html'), page);
  writeFileSync(path.join(folder, 'icon.svg'), '<svg/>');
  writeFileSync(path.join(folder, 'assets', 'index-abc.js'), script);
  writeFileSync(path.join(folder, 'assets', 'index-abc.js.br'), brotliCompressSync(script));
  api = await startApi({}, { consoleFolder: folder });
});
afterEach(async () => {
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

const get = (address: string, headers: Record<string, string> = {}) => fetch(`${api.url}${address}`, { headers });

describe('the console as files', () => {
  test('the page is served at every address of the console, and is revalidated each time', async () => {
    for (const address of ['/console', '/console/', '/console/runs/1', '/console/documents/a.pdf']) {
      const response = await get(address);
      expect([response.status, await response.text()]).toEqual([200, page]);
      expect(response.headers.get('Cache-Control')).toBe('no-cache');
      expect(response.headers.get('Content-Security-Policy')).toMatch(/^default-src 'self';/);
      expect(response.headers.get('Content-Security-Policy')).not.toContain('unsafe');
    }
    const etag = (await get('/console')).headers.get('ETag') ?? '';
    expect((await get('/console', { 'If-None-Match': etag })).status).toBe(304);
  });

  test('hashed files are cached forever and sent compressed to clients that accept it', async () => {
    const compressed = await get('/console/assets/index-abc.js', { 'Accept-Encoding': 'br, gzip' });
    expect(compressed.headers.get('Content-Encoding')).toBe('br');
    expect(await compressed.text()).toBe(script);
    expect(compressed.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
    const plain = await get('/console/assets/index-abc.js', { 'Accept-Encoding': 'identity' });
    expect([plain.headers.get('Content-Encoding'), await plain.text()]).toEqual([null, script]);
    expect(plain.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
  });

  test('/favicon.ico is the icon of the console, if there is one', async () => {
    expect((await get('/favicon.ico')).status).toBe(404);
    await api.close();
    writeFileSync(path.join(folder, 'assets', 'icon-abc.svg'), '<svg id="icon"/>');
    api = await startApi({}, { consoleFolder: folder });
    const response = await get('/favicon.ico');
    expect([response.status, await response.text()]).toEqual([200, '<svg id="icon"/>']);
    expect(response.headers.get('Content-Type')).toBe('image/svg+xml; charset=utf-8');
  });

  test('every text says that it is UTF-8', async () => {
    for (const [name, type] of [
      ['', 'text/html; charset=utf-8'],
      ['icon.svg', 'image/svg+xml; charset=utf-8'],
      ['assets/index-abc.js', 'text/javascript; charset=utf-8'],
    ] as const)
      expect((await get(`/console/${name}`)).headers.get('Content-Type')).toBe(type);
  });

  test('a missing file is 404, not the page; other folders are not reachable', async () => {
    expect((await get('/console/assets/old.js')).status).toBe(404);
    for (const address of ['/console/..%2f..%2fetc%2fpasswd', '/console/assets/%2e%2e/%2e%2e/secret', '/consoles'])
      expect(await (await get(address)).text()).not.toContain('root:');
    expect((await get('/consoles')).status).toBe(404);
  });

  test('only reading is allowed', async () => {
    const response = await fetch(`${api.url}/console`, { method: 'POST' });
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
    const head = await fetch(`${api.url}/console`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('a console that is not built explains how to build it, and is served once it is built', async () => {
    rmSync(path.join(folder, 'index.html'));
    const own = await startApi({}, { consoleFolder: folder });
    const missing = await fetch(`${own.url}/console`);
    expect([missing.status, await missing.text()]).toEqual([503, expect.stringContaining('npm run build:console')]);
    writeFileSync(path.join(folder, 'index.html'), page);
    expect((await fetch(`${own.url}/console`)).status).toBe(200);
    await own.close();
  });
});
