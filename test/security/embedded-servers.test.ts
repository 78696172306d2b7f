import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { S3Client, ListBucketsCommand } from '@aws-sdk/client-s3';
import { MongoClient } from 'mongodb';
import { readCacheFolder } from '../../embedded/paths';
import { type RunningServers, startServers } from '../../embedded/servers';

// What another user of the machine learns from the servers that `docloom up` starts.
const dataDir = mkdtempSync(path.join(tmpdir(), 'docloom-own-'));
let servers: RunningServers;
beforeAll(async () => {
  const { MONGODB_URL: _mongo, DOCLOOM_S3_ENDPOINT: _s3, ...env } = process.env;
  servers = await startServers({
    dataDir,
    cacheDir: readCacheFolder(process.env),
    env,
    log: () => undefined,
    which: { mongo: true, s3: true },
  });
});
afterAll(async () => {
  await servers.stop();
  rmSync(dataDir, { recursive: true });
});

test('the database listens on a file that only its owner may use, and on no port', async () => {
  const url = servers.env['MONGODB_URL'] ?? '';
  const socket = decodeURIComponent(new URL(url).hostname);
  expect(socket).toBe(path.join(dataDir, 'mongo', 'mongo.sock'));
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  expect(statSync(path.dirname(socket)).mode & 0o777).toBe(0o700);
  const client = await MongoClient.connect(url);
  expect(await client.db().command({ ping: 1 })).toEqual({ ok: 1 });
  await client.close();
});

test('the store has its own key, which no other installation knows', async () => {
  const list = (secretAccessKey: string) =>
    new S3Client({
      endpoint: servers.env['DOCLOOM_S3_ENDPOINT'] ?? '',
      region: 'us-east-1',
      forcePathStyle: true,
      maxAttempts: 1,
      credentials: { accessKeyId: servers.env['DOCLOOM_S3_ACCESS_KEY'] ?? '', secretAccessKey },
    }).send(new ListBucketsCommand({}));
  await expect(list('docloom-local-only')).rejects.toMatchObject({ name: 'SignatureDoesNotMatch' });
  await expect(list(servers.env['DOCLOOM_S3_SECRET_KEY'] ?? '')).resolves.toBeDefined();
  expect(servers.env['DOCLOOM_S3_SECRET_KEY']).toMatch(/^[\w-]{64}$/);
});
