import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Client, createClient } from '../../../client';
import { createTokens } from '../../../services/login/tokens';
import { connectMongo, type Mongo } from '../../../services/storage/mongo';
import { createSystem, type System, until } from '../../support/system/system';

/** Documents whose access lists could not be read for a long time. */
const secret = 'a secret of the test that is long enough';
let system: System;
let mongo: Mongo;
let address: string;
let share: string;

const getClient = (username: string, groups: string[] = []): Client => {
  const tokens = createTokens({ secret, expireMinutes: 30 });
  return createClient({ baseUrl: address, token: tokens.issue({ username, email: '', full_name: '', groups }) });
};
const root = () => getClient('root', ['root']);

beforeAll(async () => {
  system = createSystem({ JWT_SECRET_KEY: secret, DOCLOOM_ADMIN_GROUPS: 'root', DOCLOOM_GROUPS_CACHE_SECONDS: '0' });
  mongo = connectMongo(system.env['MONGODB_URL'] ?? '');
  share = path.join(system.folder, 'share');
  for (const name of ['one', 'two']) {
    mkdirSync(path.join(share, name), { recursive: true });
    writeFileSync(path.join(share, name, `${name}.md`), 'zebra');
    writeList(name, { allowed_users: ['alice'] });
  }
  address = await system.startApi({ JWT_SECRET_KEY: secret });
  await system.startWorker();
});
afterAll(async () => {
  await mongo.close();
  await system.stop();
});

const writeList = (folder: string, list: object) =>
  writeFileSync(path.join(share, folder, '.acl.json'), JSON.stringify(list));
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

async function found(login: string): Promise<string[]> {
  const { documents } = await getClient(login).documents.search({ query: 'zebra', limit: 100, offset: 0 });
  return documents.map(({ metadata }) => String(metadata['name'])).toSorted();
}

async function ingest(name: string, more: object): Promise<{ flowId: string; jobId: string }> {
  const index = `${system.env['SEARCH_DEFAULT_INDEX']}-${name}`;
  const ingestion = { connection_params: { paths: [share] }, access_sync_minutes: 60, ...more };
  const { flow_id } = await root().flows.create({
    flow_name: `${name}-${system.env['DOCLOOM_TASK_QUEUE']}`,
    flow: [
      { type: 'ingest_source', name: 'ingest', config: ingestion },
      { type: 'extract_operator', name: 'extract', depends_on: ['ingest'], config: {} },
      {
        type: 'vectordb',
        name: 'index',
        depends_on: ['extract'],
        config: { provider: 'opensearch', index_name: index },
      },
    ],
  });
  const { job_run_id } = await root().jobRuns.create({ flow_id });
  expect((await root().jobRuns.waitFor(job_run_id)).status).toMatch(/^COMPLETED/);
  return { flowId: flow_id, jobId: (await root().accessSync.get(flow_id)).items[0]?.job_id ?? '' };
}

const getState = async (flowId: string) => (await root().accessSync.get(flowId)).items[0]!;
async function syncNow(flowId: string) {
  const asked = new Date().toISOString();
  await root().accessSync.start(flowId);
  await until('the sync is done', async () => (await getState(flowId)).synced_at >= asked);
  return getState(flowId);
}
const setBack = (jobId: string, hours: number) =>
  mongo
    .collection<{ _id: string }>('access_syncs')
    .updateOne({ _id: jobId }, { $set: { synced_at: hoursAgo(hours), tried_at: new Date().toISOString() } });

test('lists that are too old close the documents to everybody in every request; reading the lists again opens the documents', async () => {
  const { flowId, jobId } = await ingest('deny', { access_stale_hours: 2 });
  expect(await found('alice')).toEqual(['one.md', 'two.md']);
  expect(await getState(flowId)).toMatchObject({ closes_after_minutes: 120, is_closed: false });
  const [document] = (await getClient('alice').documents.search({ query: 'zebra', limit: 1, offset: 0 })).documents;
  const documentId = String(document?.metadata['document_id']);
  const explain = () => root().documents.explainAccess({ user: 'alice', document_id: documentId });
  expect(await explain()).toMatchObject({ may_read: true });
  await setBack(jobId, 1.9);
  expect(await found('alice')).toHaveLength(2);
  await setBack(jobId, 2.1);
  expect(await found('alice')).toEqual([]);
  expect(await found('root')).toEqual([]);
  expect(await getState(flowId)).toMatchObject({ is_closed: true, is_fresh: false });
  expect(await explain()).toMatchObject({ may_read: false });
  const { counts, is_closed } = await syncNow(flowId);
  expect({ counts, is_closed }).toMatchObject({ is_closed: false, counts: { listed: 2, changed: 0 } });
  expect(await found('alice')).toHaveLength(2);
});

test('a document whose list cannot be read keeps its earlier list for the same time, and is then closed', async () => {
  const { flowId, jobId } = await ingest('unknown', { access_stale_hours: 2 });
  writeList('two', { allowed_userz: ['alice'] });
  expect((await syncNow(flowId)).counts).toMatchObject({ changed: 0, unknown: 1 });
  expect(await found('alice')).toContain('two.md');
  const unknown = mongo.collection<{ _id: string; job_id: string; since: string }>('access_unknown');
  await unknown.updateMany({ job_id: jobId }, { $set: { since: hoursAgo(2.1) } });
  expect((await syncNow(flowId)).counts).toMatchObject({ changed: 1, unknown: 1 });
  expect((await found('alice')).filter((name) => name === 'two.md')).toHaveLength(1);
  expect((await syncNow(flowId)).counts).toMatchObject({ changed: 0, unknown: 1 });
  writeList('two', { allowed_users: ['alice'] });
  expect((await syncNow(flowId)).counts).toMatchObject({ changed: 1, unknown: 0 });
  expect((await found('alice')).filter((name) => name === 'two.md')).toHaveLength(2);
  expect(await unknown.countDocuments({ job_id: jobId })).toBe(0);
});

test('with serve, the earlier lists apply, and the age is shown', async () => {
  const { flowId, jobId } = await ingest('serve', { when_access_stale: 'serve' });
  const before = await found('alice');
  await setBack(jobId, 1_000);
  expect(await found('alice')).toEqual(before);
  expect(await getState(flowId)).toMatchObject({ closes_after_minutes: null, is_closed: false, is_fresh: false });
});
