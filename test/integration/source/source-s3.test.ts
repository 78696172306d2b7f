import { createHash, randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { createAddressGuard } from '../../../services/net/address-guard';
import { createS3Source } from '../../../services/source/s3';
import type { SourceEntry } from '../../../services/source/sources';
import { createSources } from '../../../services/source/sources';

const endpoint = process.env['DOCLOOM_S3_ENDPOINT'] ?? 'http://127.0.0.1:9000';
const credentials = {
  access_key: process.env['DOCLOOM_S3_ACCESS_KEY'] ?? '',
  secret_key: process.env['DOCLOOM_S3_SECRET_KEY'] ?? '',
};
const bucket = `source-${randomUUID()}`;
const client = new S3Client({
  endpoint,
  region: 'us-east-1',
  forcePathStyle: true,
  credentials: { accessKeyId: credentials.access_key, secretAccessKey: credentials.secret_key },
});
const { signal } = new AbortController();
const sources = createSources({ roots: [], guard: createAddressGuard(['localhost', '127.0.0.1']) });

const put = (key: string, body: string) => client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
async function empty(name: string): Promise<void> {
  for (;;) {
    const { Contents: objects = [] } = await client.send(new ListObjectsV2Command({ Bucket: name }));
    if (objects.length === 0) return;
    await client.send(
      new DeleteObjectsCommand({ Bucket: name, Delete: { Objects: objects.map(({ Key }) => ({ Key })) } }),
    );
  }
}
const config = (params: Record<string, unknown> = {}) => ({
  connection_params: { bucket, endpoint_url: endpoint, ...params },
  credentials,
});
async function list(params: Record<string, unknown> = {}, from = sources): Promise<SourceEntry[]> {
  const entries: SourceEntry[] = [];
  for await (const entry of from.list('s3', config(params), signal)) entries.push(entry);
  return entries;
}
const names = (entries: readonly SourceEntry[]) => entries.map(({ relativePath }) => relativePath);

beforeAll(async () => {
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  await put('docs/a.md', '# A');
  await put('docs/b.txt', 'B');
  await client.send(
    new PutObjectCommand({ Bucket: bucket, Key: 'docs/empty.txt', Body: new Uint8Array(), ContentLength: 0 }),
  );
  await put('docs/.hidden.md', 'hidden');
  await put('docs/deep/c.md', 'C');
  await put('docs/deep/.acl.json', JSON.stringify({ allowed_users: ['bob'], files: { 'c.md': ['carol'] } }));
  await put('docs/secret/d.md', 'D');
  await put('docs/secret/.acl.json', '{ "allowed_userz": [] }');
  await put('other/e.md', 'E');
});
afterAll(async () => {
  await empty(bucket);
  await client.send(new DeleteBucketCommand({ Bucket: bucket }));
  client.destroy();
});

test('objects are listed in the order of their keys, with size, time, version and identity', async () => {
  const entries = await list({ prefix: 'docs/' });
  expect(names(entries)).toEqual(['docs/a.md', 'docs/b.txt', 'docs/deep/c.md', 'docs/empty.txt', 'docs/secret/d.md']);
  expect(entries[0]).toMatchObject({
    source: `s3:${new URL(endpoint).host}/${bucket}`,
    path: `s3://${bucket}/docs/a.md`,
    name: 'a.md',
    mimetype: 'text/markdown',
    size: 3,
    modifiedTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    version: expect.stringMatching(/./),
    metadata: { relative_path: 'a.md', extension: 'md', key: 'docs/a.md', bucket },
  });
  expect(entries.find(({ name }) => name === 'empty.txt')?.skip).toBe('The object is empty');
});

test('filters, the depth of folders and the maximum size come from the flow', async () => {
  expect(names(await list({ include_filter: 'md', exclude_patterns: ['de*'] }))).toEqual([
    'docs/a.md',
    'docs/secret/d.md',
    'other/e.md',
  ]);
  expect(names(await list({ prefix: 'docs/', recursive: false, skip_empty_files: false }))).toEqual([
    'docs/a.md',
    'docs/b.txt',
    'docs/empty.txt',
  ]);
  expect(names(await list({ prefix: 'docs/', ignore_hidden_files: false, include_filter: '.h*' }))).toEqual([
    'docs/.hidden.md',
  ]);
  const [large] = await list({ prefix: 'docs/a', max_file_size_mb: 2 / 1024 / 1024 });
  expect(large?.failure?.code).toBe('SOURCE_TOO_LARGE');
});

test('access lists come from the nearest .acl.json; an invalid one grants access to nobody', async () => {
  const entries = await list({ prefix: 'docs/', allowed_users: ['alice'] });
  const users = Object.fromEntries(entries.map(({ name, allowedUsers }) => [name, allowedUsers]));
  expect(users).toMatchObject({ 'a.md': undefined, 'b.txt': undefined, 'c.md': ['carol'] });
  expect(entries.find(({ name }) => name === 'd.md')?.failure).toMatchObject({ code: 'ACCESS_LIST_INVALID' });
});

test('a listing of several pages is complete, in order, and every access list is read once', async () => {
  const paged = createS3Source({ guard: createAddressGuard(['127.0.0.1']), pageKeys: 2 });
  const entries: SourceEntry[] = [];
  for await (const entry of paged.list(config(), signal)) entries.push(entry);
  expect(entries).toEqual(await list());
  expect(entries).toHaveLength(6);
});

test('a bucket deleted during a listing ends it, so that nothing is removed', async () => {
  const doomed = `doomed-${randomUUID()}`;
  await client.send(new CreateBucketCommand({ Bucket: doomed }));
  for (const key of ['a.txt', 'b.txt', 'c.txt'])
    await client.send(new PutObjectCommand({ Bucket: doomed, Key: key, Body: 'x' }));
  const paged = createS3Source({ guard: createAddressGuard(['127.0.0.1']), pageKeys: 1 });
  const listing = paged.list(config({ bucket: doomed }), signal)[Symbol.asyncIterator]();
  const first = await listing.next();
  expect((first.value as SourceEntry).name).toBe('a.txt');
  await empty(doomed);
  await client.send(new DeleteBucketCommand({ Bucket: doomed }));
  await expect(listing.next()).rejects.toMatchObject({ code: 'SOURCE_NOT_FOUND' });
  const file = `s3://${doomed}/b.txt`;
  await expect(paged.hash(file, config({ bucket: doomed }), signal)).rejects.toMatchObject({
    code: 'SOURCE_UNREADABLE',
  });
});

test('bytes are read and hashed; objects outside of bucket and prefix are not', async () => {
  const file = `s3://${bucket}/docs/a.md`;
  expect(Buffer.from(await sources.read('s3', file, config(), signal)).toString()).toBe('# A');
  expect(await sources.hash('ibm_cos', file, config(), signal)).toBe(createHash('sha256').update('# A').digest('hex'));
  await expect(sources.read('s3', `s3://${bucket}/none.md`, config(), signal)).rejects.toMatchObject({
    code: 'SOURCE_GONE',
  });
  for (const path of ['s3://elsewhere/a.md', '/etc/passwd'])
    await expect(sources.read('s3', path, config(), signal)).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
  await expect(sources.read('s3', file, config({ prefix: 'other/' }), signal)).rejects.toMatchObject({
    code: 'SOURCE_UNREADABLE',
  });
});

test('a bucket that is missing, forbidden or unreachable ends the listing with the reason', async () => {
  await expect(list({ bucket: `none-${randomUUID()}` })).rejects.toMatchObject({ code: 'SOURCE_NOT_FOUND' });
  const wrong = sources.list('s3', { ...config(), credentials: { ...credentials, secret_key: 'wrong' } }, signal);
  await expect(wrong[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'SOURCE_SIGN_IN_FAILED' });
  await expect(list({ endpoint_url: 'http://127.0.0.1:9' })).rejects.toMatchObject({ code: 'CONNECTION_ERROR' });
});

test('a private endpoint needs the permission of the operator', async () => {
  const strict = createSources({ roots: [], guard: createAddressGuard([]) });
  await expect(list({}, strict)).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
  await expect(list({ endpoint_url: `http://localhost:${new URL(endpoint).port}` }, strict)).rejects.toMatchObject({
    code: 'ADDRESS_NOT_ALLOWED',
  });
});
