import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CreateBucketCommand, DeleteBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { openAzureContainer } from '../../../services/cloud/azure-container';
import type { CloudStore } from '../../../services/cloud/cloud-store';
import { openGoogleBucket } from '../../../services/cloud/google-bucket';
import { readGoogleKey } from '../../../services/cloud/google-key';
import { createGoogleTokens } from '../../../services/cloud/google-token';
import { createRowExport } from '../../../services/document-set/document-set-export';
import { createExportClaims } from '../../../services/export/claims';
import { connectExports } from '../../../services/export/connect';
import { type ExportFile, type Exports, omitFolders } from '../../../services/export/exports';
import type { FileTarget } from '../../../services/export/place';
import { createAddressGuard } from '../../../services/net/address-guard';
import { connectMongo, type Mongo } from '../../../services/storage/mongo';
import { openBucket } from '../../../services/storage/s3-bucket';
import { createDuckdb } from '../../../services/table/duckdb';
import { azuriteAccount, startAzurite } from '../../support/servers/azurite';
import { startGoogleStorage } from '../../support/servers/google-storage';
import { createContainer } from '../../support/sources/azure';
import { createGoogleBucket } from '../../support/sources/gcs';

const endpoint = process.env['DOCLOOM_S3_ENDPOINT'] ?? 'http://127.0.0.1:9000';
const keys = {
  accessKey: process.env['DOCLOOM_S3_ACCESS_KEY'] ?? '',
  secretKey: process.env['DOCLOOM_S3_SECRET_KEY'] ?? '',
};
const bucket = `exports-${randomUUID()}`;
const client = new S3Client({
  endpoint,
  region: 'us-east-1',
  forcePathStyle: true,
  credentials: { accessKeyId: keys.accessKey, secretAccessKey: keys.secretKey },
});
let mongo: Mongo;
let root: string;
let exports: Exports;
let clouds: Awaited<ReturnType<typeof startClouds>>;

async function startClouds() {
  const azurite = await startAzurite();
  const google = await startGoogleStorage();
  const container = { containerUrl: await createContainer(azurite.url), accountKey: azuriteAccount.key };
  const keyText = JSON.stringify(google.key);
  const bucket = { bucket: await createGoogleBucket(google), endpoint: google.endpoint, keyText };
  const tokens = createGoogleTokens();
  const azure = openAzureContainer(container, guard);
  const gcs = openGoogleBucket({ ...bucket, key: readGoogleKey(keyText) }, 'read_write', { guard, tokens });
  return {
    azurite,
    google,
    container,
    bucket,
    azure,
    gcs,
    async stop() {
      azure.close();
      gcs.close();
      await azurite.stop();
      await google.stop();
    },
  };
}

beforeAll(async () => {
  clouds = await startClouds();
  const url = new URL(process.env['MONGODB_URL'] ?? '');
  url.pathname = `/exports-${randomUUID().slice(0, 8)}`;
  mongo = connectMongo(url.toString());
  root = mkdtempSync(path.join(tmpdir(), 'docloom-exports-'));
  mkdirSync(path.join(root, 'closed'));
  exports = connectExports(mongo, createAddressGuard(['127.0.0.1']), {
    limits: { roots: [root], closed: [path.join(root, 'closed')] },
    rows: createRowExport(createDuckdb()),
  }).exports;
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
}, 15 * 60_000);
afterAll(async () => {
  await clouds.stop();
  await mongo.close();
  rmSync(root, { recursive: true, force: true });
  await client.send(new DeleteBucketCommand({ Bucket: bucket }));
  client.destroy();
});

interface Place {
  target: (folder: string) => FileTarget;
  files: (folder: string) => Promise<Record<string, string>>;
  plant: (folder: string, name: string, text: string) => Promise<void>;
  drop: (folder: string, name: string) => Promise<void>;
}
const opened = () =>
  openBucket(
    {
      endpoint,
      verify_ssl: false,
      bucket,
      region: 'us-east-1',
      access_key: keys.accessKey,
      secret_key: keys.secretKey,
    },
    createAddressGuard(['127.0.0.1']),
  );
const { signal } = new AbortController();
const guard = createAddressGuard(['127.0.0.1']);

/** A container or bucket, which the test reads and changes with the same client. */
function inCloud(target: (prefix: string) => FileTarget, openStore: () => CloudStore): Place {
  return {
    target: (folder) => target(`${folder}/`),
    async files(folder) {
      const found: Record<string, string> = {};
      for await (const { key } of openStore().list({ prefix: `${folder}/`, recursive: true }, signal)) {
        const parts: Uint8Array[] = [];
        for await (const part of (await openStore().get(key, signal))?.parts ?? []) parts.push(part);
        found[key.slice(folder.length + 1)] = Buffer.concat(parts).toString();
      }
      return found;
    },
    plant: async (folder, name, text) =>
      void (await openStore().put(`${folder}/${name}`, Buffer.from(text), { mediaType: 'text/plain' }, signal)),
    drop: (folder, name) => openStore().remove(`${folder}/${name}`, signal),
  };
}

const places: Record<string, Place> = {
  azure: inCloud(
    (prefix) => ({ kind: 'azure', container: clouds.container, prefix }),
    () => clouds.azure,
  ),
  gcs: inCloud(
    (prefix) => ({ kind: 'gcs', ...clouds.bucket, prefix }),
    () => clouds.gcs,
  ),
  folder: {
    target: (folder) => ({ kind: 'folder', path: path.join(root, folder) }),
    files: async (folder) => {
      const base = path.join(root, folder);
      const names = existsSync(base) ? (readdirSync(base, { recursive: true }) as string[]) : [];
      const own = names.filter((name) => statSync(path.join(base, name)).isFile());
      return Object.fromEntries(own.toSorted().map((name) => [name, readFileSync(path.join(base, name), 'utf8')]));
    },
    plant: async (folder, name, text) => {
      mkdirSync(path.join(root, folder), { recursive: true });
      writeFileSync(path.join(root, folder, name), text);
    },
    drop: async (folder, name) => rmSync(path.join(root, folder, name)),
  },
  s3: {
    target: (folder) => ({ kind: 's3', bucket, prefix: `${folder}/`, endpoint, region: 'us-east-1', ...keys }),
    files: async (folder) => {
      const store = opened();
      const found: Record<string, string> = {};
      for await (const { key } of store.list(`${folder}/`))
        found[key.slice(folder.length + 1)] = Buffer.from(await store.get(key)).toString();
      store.close();
      return found;
    },
    plant: async (folder, name, text) => opened().put(`${folder}/${name}`, Buffer.from(text), 'text/plain'),
    drop: async (folder, name) => opened().remove(`${folder}/${name}`),
  },
};

const file = (documentId: string, name: string, content = `text of ${documentId}`): ExportFile => ({
  documentId,
  format: 'md',
  name,
  mediaType: 'text/markdown',
  content,
});
const origin = (runId: string, jobId = 'job') => ({ jobId, runId, operator: 'export' });

describe.each(Object.entries(places))('%s', (kind, place) => {
  const open = (folder: string) => exports.open(place.target(`${kind}-${folder}`));
  const files = (folder: string) => place.files(`${kind}-${folder}`);

  test('concurrent attempts and a later run write one file, and a changed document replaces its own', async () => {
    const store = await open('once');
    const names = await Promise.all(Array.from({ length: 8 }, () => store.write(file('a', 'in/a.md'), origin('run1'))));
    expect(new Set(names)).toEqual(new Set(['in/a.md']));
    expect(await files('once')).toEqual({ 'in/a.md': 'text of a' });
    await store.write(file('a', 'in/a.md', 'changed'), origin('run2'));
    expect(await files('once')).toEqual({ 'in/a.md': 'changed' });
    expect(await store.remove({ jobId: 'job', documentIds: ['a'], keepRunId: 'run2' })).toBe(0);
    expect(await store.remove({ jobId: 'job', documentIds: ['a'] })).toBe(1);
    expect(await files('once')).toEqual({});
    expect(await store.remove({ jobId: 'job', documentIds: ['a'] })).toBe(0);
  });

  test('two documents, two flows and names that differ in case never share a file, in any order', async () => {
    const store = await open('shared');
    const write = async (id: string, name: string, job = 'shared') => store.write(file(id, name), origin('run', job));
    expect(await write('a', 'x.md')).toBe('x.md');
    const second = await write('b', 'X.md');
    expect(second).toMatch(/^X-[0-9a-f]{8}\.md$/);
    const other = await write('a', 'x.md', 'other-flow');
    expect(other).toMatch(/^x-[0-9a-f]{8}\.md$/);
    expect(await write('b', 'X.md')).toBe(second);
    expect(await write('a', 'x.md')).toBe('x.md');
    expect(Object.keys(await files('shared'))).toHaveLength(3);
    expect(await store.remove({ jobId: 'other-flow', documentIds: ['a', 'b'] })).toBe(1);
    expect(Object.keys(await files('shared'))).toHaveLength(2);
    await store.remove({ jobId: 'shared', documentIds: ['a', 'b'] });
  });

  test('a file that was not exported is neither overwritten nor removed', async () => {
    await place.plant(`${kind}-foreign`, 'a.md', 'by hand');
    const store = await open('foreign');
    const name = await store.write(file('a', 'a.md'), origin('run'));
    expect(name).not.toBe('a.md');
    expect(await store.write(file('a', 'a.md'), origin('run2'))).toBe(name);
    await store.remove({ jobId: 'job', documentIds: ['a'] });
    expect(await files('foreign')).toEqual({ 'a.md': 'by hand' });
    await place.drop(`${kind}-foreign`, 'a.md');
  });

  test('a file whose writer died before recording it belongs to its document, changed or not', async () => {
    const store = await open('died');
    const claims = createExportClaims(mongo);
    const owner = { place: store.key, job_id: 'job', operator: 'export', document_id: 'a', format: 'md' };
    await claims.claim(owner, 'a.md', 'run1');
    const { createHash } = await import('node:crypto');
    await claims.note(store.key, 'a.md', createHash('sha256').update('first').digest('hex'));
    await place.plant(`${kind}-died`, 'a.md', 'first');
    expect(await store.write(file('a', 'a.md', 'second'), origin('run2'))).toBe('a.md');
    expect(await files('died')).toEqual({ 'a.md': 'second' });
    await store.remove({ jobId: 'job', documentIds: ['a'] });
  });

  test('a changed template moves the file; files that a run no longer writes are removed when it ends', async () => {
    const store = await open('moved');
    await store.write(file('a', 'old/a.md'), origin('run1'));
    await store.write({ ...file('a', 'old/a.json'), format: 'json' }, origin('run1'));
    await store.write(file('a', 'new/a.md'), origin('run2'));
    expect(Object.keys(await files('moved')).toSorted()).toEqual(['new/a.md', 'old/a.json']);
    await store.remove({ jobId: 'job', documentIds: ['a'], keepRunId: 'run2' });
    expect(Object.keys(await files('moved'))).toEqual(['new/a.md']);
    await store.remove({ jobId: 'job', documentIds: ['a'] });
  });

  test('rows become a Parquet file, the same bytes every time', async () => {
    const store = await open('rows');
    const rows = [0, 1].map((index) => ({ id: `a${index}`, name: 'a', path: '/a', content: `chunk ${index}` }));
    const parquet: ExportFile = {
      ...file('a', 'a.parquet'),
      format: 'parquet',
      content: { rows, columns: ['id', 'content'], format: 'parquet' },
    };
    await store.write(parquet, origin('run1'));
    const first = await files('rows');
    await store.write(parquet, origin('run2'));
    expect(await files('rows')).toEqual(first);
    expect(first['a.parquet']?.startsWith('PAR1')).toBe(true);
    await store.remove({ jobId: 'job', documentIds: ['a'] });
  });
});

describe('forbidden in a flow', () => {
  const folder = (name: string): FileTarget => ({ kind: 'folder', path: name });

  test.each([
    ['outside every root', () => tmpdir()],
    ['beside the root', () => `${root}-else`],
    ['up and out', () => path.join(root, '..', 'x')],
    ['hidden', () => path.join(root, '.git')],
    ['closed', () => path.join(root, 'closed', 'deep')],
    ['the system', () => '/proc/self'],
  ])('a folder that is %s is rejected', async (_, value) => {
    await expect(exports.open(folder(value()))).rejects.toMatchObject({ code: 'EXPORT_NOT_ALLOWED' });
  });

  test('links lead neither out of the root nor into closed folders', async () => {
    const outside = mkdtempSync(path.join(tmpdir(), 'docloom-outside-'));
    symlinkSync(outside, path.join(root, 'out'));
    symlinkSync(path.join(root, 'closed'), path.join(root, 'in'));
    await expect(exports.open(folder(path.join(root, 'out')))).rejects.toMatchObject({ code: 'EXPORT_NOT_ALLOWED' });
    await expect(exports.open(folder(path.join(root, 'in')))).rejects.toMatchObject({ code: 'EXPORT_NOT_ALLOWED' });
    const store = await exports.open(folder(path.join(root, 'links')));
    symlinkSync(outside, path.join(root, 'links', 'sub'));
    await expect(store.write(file('c', 'sub/deep/a.md'), origin('run'))).rejects.toMatchObject({
      code: 'EXPORT_NOT_ALLOWED',
    });
    await expect(store.write(file('a', 'sub/a.md'), origin('run'))).rejects.toMatchObject({
      code: 'EXPORT_NOT_ALLOWED',
    });
    // A link in the place of a file is replaced at most, never followed.
    writeFileSync(path.join(outside, 'victim.md'), 'untouched');
    symlinkSync(path.join(outside, 'victim.md'), path.join(root, 'links', 'b.md'));
    await store.write(file('b', 'b.md'), origin('run')).catch(() => undefined);
    expect(readdirSync(outside)).toEqual(['victim.md']);
    expect(readFileSync(path.join(outside, 'victim.md'), 'utf8')).toBe('untouched');
    rmSync(outside, { recursive: true });
  });

  test('files are for the worker and its group only', async () => {
    const store = await exports.open(folder(path.join(root, 'modes')));
    await store.write(file('a', 'x/a.md'), origin('run'));
    expect(statSync(path.join(root, 'modes', 'x', 'a.md')).mode & 0o007).toBe(0);
    expect(statSync(path.join(root, 'modes', 'x')).mode & 0o007).toBe(0);
  });

  test('a private address needs an entry, keys must be valid, and a run without the role gets no folder', async () => {
    const s3 = places['s3']?.target('x') as Extract<FileTarget, { kind: 's3' }>;
    const write = async (target: FileTarget, from = exports) =>
      (await from.open(target)).write(file('z', 'z.md'), origin('r'));
    await expect(write({ ...s3, endpoint: 'http://127.0.0.2:9' })).rejects.toMatchObject({
      code: 'ADDRESS_NOT_ALLOWED',
    });
    await expect(write({ ...s3, endpoint: 'http://2130706434:9' })).rejects.toMatchObject({
      code: 'ADDRESS_NOT_ALLOWED',
    });
    await expect(write({ ...s3, secretKey: 'wrong' })).rejects.toMatchObject({ code: 'EXPORT_NOT_ALLOWED' });
    await expect(write({ ...s3, bucket: `none-${bucket}` })).rejects.toMatchObject({ code: 'EXPORT_NOT_ALLOWED' });
    await expect(write({ ...s3, endpoint: 'http://127.0.0.1:9' })).rejects.toMatchObject({ code: 'CONNECTION_ERROR' });
    const { container, google } = clouds;
    const azure: FileTarget = { kind: 'azure', container, prefix: 'x/' };
    const wrong = { ...container, accountKey: Buffer.from('wrong').toString('base64') };
    await expect(write({ ...azure, container: wrong })).rejects.toMatchObject({ code: 'EXPORT_NOT_ALLOWED' });
    const elsewhere = { ...container, containerUrl: 'http://127.0.0.2:9999/account/box' };
    await expect(write({ ...azure, container: elsewhere })).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
    const gcs: FileTarget = { kind: 'gcs', ...clouds.bucket, prefix: 'x/' };
    const keyText = JSON.stringify(google.wrongKey);
    await expect(write({ ...gcs, keyText })).rejects.toMatchObject({ code: 'EXPORT_NOT_ALLOWED' });
    await expect(write({ ...gcs, bucket: 'none-at-all' })).rejects.toMatchObject({ code: 'EXPORT_NOT_ALLOWED' });
    await expect(write({ ...gcs, endpoint: 'http://127.0.0.2:9999' })).rejects.toMatchObject({
      code: 'ADDRESS_NOT_ALLOWED',
    });
    await expect(write(folder(path.join(root, 'role')), omitFolders(exports))).rejects.toMatchObject({
      code: 'EXPORT_NOT_ALLOWED',
    });
  });
});
