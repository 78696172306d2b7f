import { randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { createListingSteps } from '../../../activities/run/listing/listing-progress';
import { createAddressGuard } from '../../../services/net/address-guard';
import { createS3Source } from '../../../services/source/s3';
import type { SourceEntry } from '../../../services/source/source';
import { createFiles } from '../../../services/storage/files';

/** Lists a bucket on a real server from after a key, even if keys changed meanwhile. */
const endpoint = process.env['DOCLOOM_S3_ENDPOINT'] ?? 'http://127.0.0.1:9000';
const keys = {
  access_key: process.env['DOCLOOM_S3_ACCESS_KEY'] ?? '',
  secret_key: process.env['DOCLOOM_S3_SECRET_KEY'] ?? '',
};
const bucket = `resumed-${randomUUID()}`;
const client = new S3Client({
  endpoint,
  region: 'us-east-1',
  forcePathStyle: true,
  credentials: { accessKeyId: keys.access_key, secretAccessKey: keys.secret_key },
});
const config = { connection_params: { bucket, endpoint_url: endpoint }, credentials: keys };
const { signal } = new AbortController();
const source = createS3Source({ guard: createAddressGuard(['localhost', '127.0.0.1']), pageKeys: 4 });
const names = ['a.md', 'b/1.md', 'b/2 ü.md', 'b/議事録📎.md', 'b0.md', 'c&d+e.md', 'é.md', 'ﬀ.md', '📎.md'];

beforeAll(async () => {
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  for (const name of names) await client.send(new PutObjectCommand({ Bucket: bucket, Key: name, Body: name }));
  const list = JSON.stringify({ allowed_users: ['bob'] });
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'b/.acl.json', Body: list }));
});
afterAll(async () => {
  for (const name of [...names, 'b/.acl.json'])
    await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: name }));
  await client.send(new DeleteBucketCommand({ Bucket: bucket }));
  client.destroy();
});

async function collect(entries: AsyncIterable<SourceEntry> | undefined): Promise<SourceEntry[]> {
  const sourceEntries: SourceEntry[] = [];
  for await (const entry of entries ?? []) sourceEntries.push(entry);
  return sourceEntries;
}

test('after each entry, the listing continues with the entries that followed it, with their access lists', async () => {
  const all = await collect(source.list(config, signal));
  expect(all).toHaveLength(names.length);
  expect(all.find(({ name }) => name === '1.md')?.allowedUsers).toEqual(['bob']);
  for (const [at, { cursor = '' }] of all.entries())
    expect(await collect(source.list(config, signal, { after: cursor }))).toEqual(all.slice(at + 1));
});

test('the key itself may have been deleted', async () => {
  const all = await collect(source.list(config, signal));
  const [first, ...others] = all;
  await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: first?.relativePath ?? '' }));
  expect(await collect(source.list(config, signal, { after: first?.cursor }))).toEqual(others);
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'a.md', Body: 'a.md' }));
});

test('steps are kept in order until the listing ends, separately for each operator and source', async () => {
  const stored = new Map<string, Uint8Array>();
  const files = createFiles({
    store: {
      put: async (key, bytes) => void stored.set(key, bytes as Uint8Array),
      get: async (key) => stored.get(key)!,
      exists: async (key) => stored.has(key),
      list: async function* list() {
        yield* stored.keys();
      },
      removePrefix: async (prefix) => {
        for (const key of stored.keys()) if (key.startsWith(prefix)) stored.delete(key);
      },
    },
  });
  const call = { runId: 'run', operator: 'ingest / it', inputs: [], part: 'p' };
  const step = (cursor: string) => ({
    cursor,
    isComplete: true,
    counts: {},
    lost: [],
    found: { unchanged: [], failed: [], warnings: [], totals: { added: 1, changed: 0, withheld: 0 } },
  });
  const first = createListingSteps(files, call);
  expect(await first.load()).toEqual({ steps: [], written: { parts: 0, emitted: 0 } });
  for (const number of [1, 2]) await first.save(step(`key ${number}`), { parts: number, emitted: number * 10 });
  const next = createListingSteps(files, call);
  const single = createListingSteps(files, { ...call, part: '' });
  await single.save(step('key'), { parts: 0, emitted: 0 });
  for (const key of stored.keys()) expect(key.split('/')).not.toContain('');
  await single.remove();
  expect(await next.load()).toEqual({ steps: [step('key 1'), step('key 2')], written: { parts: 2, emitted: 20 } });
  await next.save(step('key 3'), { parts: 3, emitted: 30 });
  expect((await createListingSteps(files, { ...call, part: 'q' }).load()).steps).toEqual([]);
  expect((await createListingSteps(files, call).load()).steps).toHaveLength(3);
  await next.remove();
  expect(stored.size).toBe(0);
});
