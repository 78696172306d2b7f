import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { MongoClient } from 'mongodb';
import { createClient } from '../../../client';
import { createTokens } from '../../../services/login/tokens';
import { createSystem, type System, until } from '../../support/system/system';

/** Kills a worker in the middle of a listing. */
const secret = 'a secret of the test that is long enough';
/** More than one step of a listing. */
const count = 3_000;
/** Documents that are deleted once they are listed: a listing from the beginning would miss them. */
const deleted = 50;
const together = 100;
const getKey = (number: number) => `${String(number).padStart(6, '0')}.txt`;
const numbers = [...Array(count).keys()];
let system: System;
let address: string;
let root: ReturnType<typeof createClient>;

/** A source with `count` documents. */
interface FilledSource {
  config: Record<string, unknown>;
  /** Deletes the documents that are listed first. */
  removeFirst(): Promise<unknown>;
  close(): Promise<void>;
}

async function eachTogether(work: (number: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < numbers.length; from += together)
    await Promise.all(numbers.slice(from, from + together).map(work));
}

async function fillBucket(): Promise<FilledSource> {
  const endpoint = process.env['DOCLOOM_S3_ENDPOINT'] ?? 'http://127.0.0.1:9000';
  const credentials = {
    access_key: process.env['DOCLOOM_S3_ACCESS_KEY'] ?? '',
    secret_key: process.env['DOCLOOM_S3_SECRET_KEY'] ?? '',
  };
  const bucket = `killed-${randomUUID()}`;
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: credentials.access_key, secretAccessKey: credentials.secret_key },
  });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  await eachTogether((number) =>
    client.send(new PutObjectCommand({ Bucket: bucket, Key: getKey(number), Body: `text ${number}` })),
  );
  const removeAll = (keys: { Key: string | undefined }[]) =>
    client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: keys } }));
  return {
    config: { provider: 's3', connection_params: { bucket, endpoint_url: endpoint }, credentials },
    removeFirst: () => removeAll(numbers.slice(0, deleted).map((number) => ({ Key: getKey(number) }))),
    async close() {
      for (;;) {
        const { Contents: left = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
        if (left.length === 0) break;
        await removeAll(left.map(({ Key }) => ({ Key })));
      }
      await client.send(new DeleteBucketCommand({ Bucket: bucket }));
      client.destroy();
    },
  };
}

/** A site whose sitemap is in another order after the first pages are gone. */
async function fillSite(): Promise<FilledSource> {
  const pages = new Set(numbers.map(getKey));
  let isReversed = false;
  const server = createServer(({ url = '/', method }, response) => {
    const key = url.slice(1);
    const listed = isReversed ? [...pages].toReversed() : [...pages];
    const text = key === 'sitemap.txt' ? listed.map((page) => `${origin}/${page}`).join('\n') : `text ${key}`;
    if (key !== 'sitemap.txt' && !pages.has(key)) return void response.writeHead(404).end();
    response.writeHead(200, { etag: `"${key}"`, 'content-type': 'text/plain' });
    response.end(method === 'HEAD' ? undefined : text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    config: { provider: 'http', connection_params: { sitemaps: [`${origin}/sitemap.txt`] } },
    async removeFirst() {
      for (const number of numbers.slice(0, deleted)) pages.delete(getKey(number));
      isReversed = true;
    },
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** One uploaded file, and records of further files with the same content. */
async function fillLibrary(): Promise<FilledSource> {
  const { library_id: id } = await root.documentLibraries.create({ name: `killed-${randomUUID()}` });
  await root.documentLibraries.upload(id, { name: getKey(0), content: new Blob(['text']) });
  const mongo = new MongoClient(system.env['MONGODB_URL'] ?? '');
  const files = mongo.db().collection<{ _id: string; library_id: string; name_key: string }>('library_files');
  const uploaded = await files.findOne({ library_id: id });
  if (!uploaded) throw new Error('The uploaded file has no record.');
  const copies = numbers.slice(1).map(getKey);
  await files.insertMany(copies.map((name) => ({ ...uploaded, _id: randomUUID(), name, name_key: name })));
  return {
    config: { provider: 'library', connection_params: { library_id: id } },
    removeFirst: () => files.deleteMany({ library_id: id, name_key: { $lt: getKey(deleted), $ne: getKey(0) } }),
    close: () => mongo.close(),
  };
}

beforeAll(async () => {
  system = createSystem({ JWT_SECRET_KEY: secret, DOCLOOM_ADMIN_GROUPS: 'root', DOCLOOM_ALLOWED_HOSTS: '127.0.0.1' });
  address = await system.startApi({ JWT_SECRET_KEY: secret });
  const user = { username: 'root', email: '', full_name: '', groups: ['root'] };
  const token = createTokens({ secret, expireMinutes: 60 }).issue(user);
  root = createClient({ baseUrl: address, token });
}, 600_000);
afterAll(() => system?.stop());

test.each([
  ['a bucket', fillBucket],
  ['a site', fillSite],
  ['a library', fillLibrary],
])(
  '%s: the next worker continues after the last step; no document is listed twice and none is lost',
  async (_what, fill) => {
    const source = await fill();
    try {
      const { flow_id } = await root.flows.create({
        flow_name: `killed-${randomUUID()}`,
        flow: [{ type: 'ingest_source', name: 'ingest', config: source.config }],
      });
      const first = await system.startWorker();
      const { job_run_id: runId } = await root.jobRuns.create({ flow_id });
      const folder = path.join(system.env['DOCLOOM_DATA'] ?? '', 'store', 'run', runId, '.listing');
      // The folder is there before the file of the first step.
      const isKept = () =>
        existsSync(folder) && readdirSync(folder, { recursive: true }).some((name) => String(name).endsWith('.json'));
      await until('a step of the listing is kept', isKept, 240_000);
      first.kill('SIGKILL');
      await source.removeFirst();
      const second = await system.startWorker();
      const ended = await root.jobRuns.waitFor(runId);
      expect(ended).toMatchObject({ status: 'COMPLETED', totals: { documents: count, failed: 0 } });
      expect(isKept()).toBe(false);
      second.kill('SIGKILL');
    } finally {
      await source.close();
    }
  },
  600_000,
);
