import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { createClient } from '../../../client';
import { createTokens } from '../../../services/login/tokens';
import { createSystem, type System, until } from '../../support/system/system';

/** Kills a worker in the middle of a listing. */
const secret = 'a secret of the test that is long enough';
const endpoint = process.env['DOCLOOM_S3_ENDPOINT'] ?? 'http://127.0.0.1:9000';
const credentials = {
  access_key: process.env['DOCLOOM_S3_ACCESS_KEY'] ?? '',
  secret_key: process.env['DOCLOOM_S3_SECRET_KEY'] ?? '',
};
const bucket = `killed-${randomUUID()}`;
/** More than one step of a listing. */
const count = 3_000;
const together = 100;
const client = new S3Client({
  endpoint,
  region: 'us-east-1',
  forcePathStyle: true,
  credentials: { accessKeyId: credentials.access_key, secretAccessKey: credentials.secret_key },
});
const getKey = (number: number) => `${String(number).padStart(6, '0')}.txt`;
let system: System;

async function eachTogether(numbers: readonly number[], work: (number: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < numbers.length; from += together)
    await Promise.all(numbers.slice(from, from + together).map(work));
}

beforeAll(async () => {
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  await eachTogether([...Array(count).keys()], (number) =>
    client.send(new PutObjectCommand({ Bucket: bucket, Key: getKey(number), Body: `text ${number}` })),
  );
  system = createSystem({ JWT_SECRET_KEY: secret, DOCLOOM_ADMIN_GROUPS: 'root', DOCLOOM_ALLOWED_HOSTS: '127.0.0.1' });
}, 600_000);
afterAll(async () => {
  await system?.stop();
  for (;;) {
    const { Contents: left = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
    if (left.length === 0) break;
    await client.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: left.map(({ Key }) => ({ Key })) } }),
    );
  }
  await client.send(new DeleteBucketCommand({ Bucket: bucket }));
  client.destroy();
});

test('the next worker continues after the last step; no document is listed twice and none is lost', async () => {
  const address = await system.startApi({ JWT_SECRET_KEY: secret });
  const user = { username: 'root', email: '', full_name: '', groups: ['root'] };
  const token = createTokens({ secret, expireMinutes: 30 }).issue(user);
  const root = createClient({ baseUrl: address, token });
  const place = { provider: 's3', connection_params: { bucket, endpoint_url: endpoint }, credentials };
  const { flow_id } = await root.flows.create({
    flow_name: `killed-${system.env['DOCLOOM_TASK_QUEUE']}`,
    flow: [{ type: 'ingest_source', name: 'ingest', config: place }],
  });
  const first = await system.startWorker();
  const { job_run_id: runId } = await root.jobRuns.create({ flow_id });
  const folder = path.join(system.env['DOCLOOM_DATA'] ?? '', 'store', 'run', runId, '.listing');
  await until('a step of the listing is kept', async () => existsSync(folder) && readdirSync(folder).length > 0);
  first.kill('SIGKILL');
  // A listing from the beginning would miss them.
  const listed = Array.from({ length: 50 }, (_, number) => ({ Key: getKey(number) }));
  await client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: listed } }));
  await system.startWorker();
  const ended = await root.jobRuns.waitFor(runId);
  expect(ended).toMatchObject({ status: 'COMPLETED', totals: { documents: count, failed: 0 } });
  expect(
    existsSync(folder) && readdirSync(folder, { recursive: true }).some((name) => String(name).endsWith('.json')),
  ).toBe(false);
});
