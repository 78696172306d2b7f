import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { readConfig } from '../../../model/config';
import type { Row } from '../../../model/flow/row';
import { createFiles } from '../../../services/storage/files';
import { createObjectStore } from '../../../services/storage/object-store';
import type { ObjectStore } from '../../../services/storage/object-store-port';
import { createDuckdb } from '../../../services/table/duckdb';
import { createTables } from '../../../services/table/tables';

const bucket = `stores-${randomUUID()}`;
const folder = path.join(tmpdir(), `docloom-stores-${randomUUID()}`);
const s3 = { DOCLOOM_STORAGE: 's3', DOCLOOM_S3_BUCKET: bucket };
const config = (settings: Record<string, string>) => readConfig({ ...process.env, DOCLOOM_DATA: folder, ...settings });

const duckdb = createDuckdb();
afterAll(async () => {
  duckdb.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each([
  { name: 'a folder', settings: { DOCLOOM_STORAGE: 'folder' } },
  { name: 'S3', settings: s3 },
  { name: 'S3 below a prefix', settings: { ...s3, DOCLOOM_S3_PREFIX: 'one/installation' } },
])('the stores on $name', ({ settings }) => {
  let store: ObjectStore;
  let files: ReturnType<typeof createFiles>;
  let tables: ReturnType<typeof createTables>;
  beforeAll(() => {
    store = createObjectStore(config(settings));
    files = createFiles({ store });
    tables = createTables({ store, duckdb });
  });
  afterAll(async () => {
    for (const prefix of ['documents/', 'run/', 'big/']) await store.removePrefix(prefix);
    store.close();
  });
  const text = async (key: string) => Buffer.from(await files.get(key)).toString();
  const keys = async (prefix: string) => {
    const found: string[] = [];
    for await (const key of store.list(prefix)) found.push(key);
    return found.toSorted();
  };

  test('nothing is stored before the first write', async () => {
    expect(await files.exists('documents/job/none.json')).toBe(false);
    await expect(files.get('documents/job/none.json')).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND' });
    await files.removePrefix('documents/job/');
    expect(await keys('documents/')).toEqual([]);
  });

  test('a file that another process wrote is stored as a whole, and the rest is removed', async () => {
    const [kept, left] = await store.withScratch(async (scratch) => {
      const writtenFiles = ['documents/job/kept', 'documents/job/left'].map((key) => scratch.getFile(key));
      for (const file of writtenFiles) {
        await mkdir(path.dirname(file), { recursive: true });
        await writeFile(file, path.basename(file));
      }
      expect(scratch.getFile('documents/job/kept')).toBe(writtenFiles[0]);
      expect(await keys('documents/job/')).toEqual([]);
      await scratch.keep('documents/job/kept');
      await expect(scratch.keep('documents/job/never-written')).rejects.toThrow(/never-written/);
      return writtenFiles as [string, string];
    });
    expect(await text('documents/job/kept')).toBe(path.basename(kept));
    expect(await keys('documents/job/')).toEqual(['documents/job/kept']);
    expect([kept, left].filter((file) => existsSync(file))).toEqual([]);
    await store.removePrefix('documents/job/');
  });

  test('bytes survive a round trip, and a second write replaces them', async () => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
    await files.put('documents/job/ä b.bin', bytes);
    expect(Buffer.compare(await files.get('documents/job/ä b.bin'), bytes)).toBe(0);
    await files.put('documents/job/ä b.bin', Buffer.from('short'));
    expect(await text('documents/job/ä b.bin')).toBe('short');
    expect(await files.exists('documents/job/ä b.bin')).toBe(true);
    await files.put('documents/job/empty', new Uint8Array());
    expect(await text('documents/job/empty')).toBe('');
  });

  test('the size of each file is reported', async () => {
    const sizes = { 'documents/sizes/a': 0, 'documents/sizes/b/c': 70_000 };
    for (const [key, bytes] of Object.entries(sizes)) await store.put(key, Buffer.alloc(bytes));
    const found: Record<string, number> = {};
    for await (const { key, bytes } of store.listSizes('documents/sizes/')) found[key] = bytes;
    expect(found).toEqual(sizes);
    await store.removePrefix('documents/sizes/');
  });

  test('streams are stored completely, even those longer than one part', async () => {
    const block = Buffer.alloc(1_000_003, 'abcdefg');
    for (const blocks of [0, 1, 9, 25]) {
      await files.put(`big/${blocks}`, Readable.from(Array.from({ length: blocks }, () => block)));
      const read = await files.get(`big/${blocks}`);
      expect(read.length).toBe(blocks * block.length);
      expect(Buffer.compare(read, Buffer.concat(Array.from({ length: blocks }, () => block)))).toBe(0);
    }
  });

  test('a stream that fails does not change the stored object', async () => {
    await files.put('documents/job/kept', Buffer.from('old'));
    const breaking = Readable.from(
      (async function* () {
        for (let index = 0; index < 20; index += 1) yield Buffer.alloc(1_000_000);
        throw new Error('the disk was pulled out');
      })(),
    );
    await expect(files.put('documents/job/kept', breaking)).rejects.toMatchObject({ code: 'STORAGE_ERROR' });
    expect(await text('documents/job/kept')).toBe('old');
  });

  test('partial files of a killed process are removed once they are old enough, and never before', async () => {
    const endless = new PassThrough();
    const written = store.put('documents/job/unfinished', endless).then(
      () => 'stored',
      () => 'refused',
    );
    for (let mb = 0; mb < 20; mb += 1) endless.write(Buffer.alloc(1_000_000));
    const soon = new Date(Date.now() + 3_600_000);
    let removed = 0;
    // Until the first bytes have arrived.
    for (; removed === 0; await delay(20)) {
      expect(await store.removeUnfinished(new Date(Date.now() - 60_000))).toBe(0);
      removed = await store.removeUnfinished(soon);
    }
    expect(removed).toBe(1);
    endless.destroy(new Error('killed'));
    expect(await written).toBe('refused');
    expect(await keys('documents/job/unfinished')).toEqual([]);
    expect(await store.removeUnfinished(soon)).toBe(0);
  });

  test('a prefix removes keys that begin with it and nothing else', async () => {
    for (const key of ['documents/p/a', 'documents/p/b/c', 'documents/pq', 'documents/q'])
      await files.put(key, Buffer.from('x'));
    await files.removePrefix('documents/p/');
    expect(await keys('documents/p')).toEqual(['documents/pq']);
    await files.put('documents/p/a', Buffer.from('x'));
    await files.removePrefix('documents/p');
    expect(await keys('documents/q')).toEqual(['documents/q']);
    expect(await keys('documents/p')).toEqual([]);
  });

  test.each(['', '/a', 'a/', 'a//b', '../a', 'a/../b', 'a/./b', 'a\\b', 'a\0b', 'x'.repeat(300)])(
    'the key %j is rejected',
    async (key) => {
      await expect(Promise.resolve().then(() => files.put(key, Buffer.from('x')))).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
      await expect(Promise.resolve().then(() => files.get(key))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    },
  );

  test.each(['', '/', '../', 'a/../'])('the prefix %j is rejected', async (prefix) => {
    await expect(Promise.resolve().then(() => files.removePrefix(prefix))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  test('a table is returned whole, in part and counted, until its run is removed', async () => {
    const rows: Row[] = Array.from({ length: 25_000 }, (_, index) => ({
      id: `d${index}`,
      name: 'n',
      path: '/n',
      size: index,
      metadata: { index },
    }));
    const key = { runId: `run-${randomUUID()}`, operator: 'Ingest: all', part: 'p00000' };
    expect(await tables.exists(key)).toBe(false);
    await expect(tables.read(key)).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND' });
    await tables.write(key, rows);
    expect(await tables.exists(key)).toBe(true);
    expect(await tables.count(key)).toBe(25_000);
    expect(await tables.read(key)).toEqual(rows);
    expect(await tables.read(key, { from: 12_000, to: 12_003 })).toEqual(rows.slice(12_000, 12_003));
    expect(await tables.read(key, { from: 24_999 })).toEqual(rows.slice(24_999));
    expect(await tables.read(key, { from: 30_000, to: 30_010 })).toEqual([]);
    await tables.removeRun(key.runId);
    await tables.removeRun(key.runId);
    expect(await tables.exists(key)).toBe(false);
    await expect(tables.count(key)).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND' });
  });

  test('readers never see half a table while it is written again', async () => {
    const key = { runId: `run-${randomUUID()}`, operator: 'o', part: 'p00000' };
    const version = (name: string): Row[] =>
      Array.from({ length: 500 }, (_, index) => ({ id: String(index), name, path: '/p' }));
    await tables.write(key, version('0'));
    const writing = (async () => {
      for (let round = 1; round <= 8; round += 1) await tables.write(key, version(String(round)));
    })();
    const seen: number[] = [];
    for (let round = 0; round < 12; round += 1) {
      const read = await tables.read(key);
      seen.push(read.length);
      expect(new Set(read.map(({ name }) => name)).size).toBe(1);
    }
    await writing;
    expect(new Set(seen)).toEqual(new Set([500]));
    expect((await tables.read(key))[0]?.name).toBe('8');
  });
});

test('two workers with two folders share tables through one bucket', async () => {
  const objectStore = createObjectStore(config({ ...s3, DOCLOOM_DATA: path.join(folder, 'one') }));
  const two = createObjectStore(config({ ...s3, DOCLOOM_DATA: path.join(folder, 'two') }));
  const key = { runId: 'shared', operator: 'o', part: 'p00000' };
  const rows: Row[] = [{ id: '1', name: 'n', path: '/n', content: 'x' }];
  await createTables({ store: objectStore, duckdb }).write(key, rows);
  expect(await createTables({ store: two, duckdb }).read(key)).toEqual(rows);
  await two.removePrefix('run/');
  objectStore.close();
  two.close();
});

test('an unavailable S3 server is an outage', async () => {
  const store = createObjectStore(config({ ...s3, DOCLOOM_S3_ENDPOINT: 'http://127.0.0.1:9' }));
  await expect(store.get('a')).rejects.toMatchObject({ code: 'STORAGE_ERROR' });
  store.close();
});

test('wrong S3 keys are an error of the store, not a missing table', async () => {
  const store = createObjectStore(config({ ...s3, DOCLOOM_S3_SECRET_KEY: 'wrong' }));
  await expect(store.get('a')).rejects.toMatchObject({ code: 'STORAGE_ERROR' });
  store.close();
});
