import { randomBytes, randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { createEmptyCounts, type TaskRecord } from '../../services/conversion/record';
import { createConversionStore } from '../../services/conversion/store';
import { createFlowsStore } from '../../services/flow/flows-store';
import type { FlowRecord } from '../../services/flow/ports';
import { createGraphStore, type GraphRecord } from '../../services/graph/store';
import { createRunsStore } from '../../services/run/runs-store';
import { connectMongo } from '../../services/storage/mongo';
import { createSealer } from '../../services/storage/sealing/sealer';
import { runRecord } from '../support/system/run-record';

const canary = 'canary-in-the-database';
const key = randomBytes(32).toString('base64');
const url = new URL(process.env['MONGODB_URL'] ?? 'mongodb://127.0.0.1:27017/docloom');
url.pathname = `/sealed_${randomUUID().replaceAll('-', '')}`;
const sealed = connectMongo(
  url.href,
  createSealer(() => [key]),
);
const clear = connectMongo(url.href);
const client = new MongoClient(url.href);
afterAll(async () => {
  await client.db().dropDatabase();
  await Promise.all([sealed.close(), clear.close(), client.close()]);
});

const operator = {
  type: 'ingest_source',
  name: 'ingest',
  config: { api_key: canary, urls: [`https://u:${canary}@h/`], headers: { Cookie: canary } },
};
const now = new Date().toISOString();
const flow = (flow_id: string): FlowRecord => ({
  flow_id,
  flow_name: flow_id,
  flow: [operator],
  global_config: { ingest: { token: canary } } as FlowRecord['global_config'],
  elyra: {
    definition: { pipelines: [{ nodes: [{ password: canary }] }] },
    container_kind: null,
    container_id: null,
    is_hidden: false,
    job_id: null,
  },
  owner: 'alice',
  readers: [],
  flow_source: 'api',
  flow_version: '2.0',
  created_on: now,
  modified_on: now,
  created_by: 'alice',
  modified_by: 'alice',
});
const alice = { username: 'alice', email: '', full_name: '', groups: [] };

/** The whole database as JSON. */
async function dump(): Promise<string> {
  const collections = await client.db().collections();
  return JSON.stringify(await Promise.all(collections.map((collection) => collection.find().toArray())));
}

test('flows, runs and graphs are stored with encrypted secrets and read with clear ones', async () => {
  const flows = createFlowsStore(sealed);
  const flowRecord = await flows.create(flow('one'));
  await flows.replace({ ...flowRecord, description: 'changed' });
  await flows.upsert({ ...flow('one'), description: 'again' });
  const runs = createRunsStore(sealed);
  const run = runRecord({ metadata: { api_key: canary } });
  run.snapshot = { ...run.snapshot, flow: { flow_name: 'f', flow: [operator] } };
  await runs.create(run);
  const graphs = createGraphStore(sealed);
  const graph = { id: 'g', owner: 'alice', state: 'QUEUED', created_at: now, ended_at: null } as unknown as GraphRecord;
  await graphs.create({ ...graph, provider_config: JSON.stringify({ api_key: canary }) });

  expect(await dump()).not.toContain(canary);
  expect((await flows.get(alice, 'one'))?.flow).toEqual([operator]);
  expect((await flows.list(alice, { limit: 10, offset: 0, sort: 'name' })).items[0]?.elyra).toEqual(flow('one').elyra);
  expect((await runs.get(run.job_run_id))?.snapshot.flow.flow).toEqual([operator]);
  expect((await graphs.get('g'))?.provider_config).toBe(JSON.stringify({ api_key: canary }));
});

test('values stored in clear by an earlier release are read, and encrypted by the next write', async () => {
  const before = await createFlowsStore(clear).create(flow('old'));
  expect(await dump()).toContain(canary);
  const flows = createFlowsStore(sealed);
  expect((await flows.get(alice, 'old'))?.flow).toEqual([operator]);
  await flows.replace({ ...before, description: 'changed' });
  expect(await dump()).not.toContain(canary);
});

describe('tasks of /v1', () => {
  const address = `https://bucket.example/x?X-Amz-Signature=${canary}`;
  const task = (id: string, callbacks = 1): TaskRecord =>
    ({
      _id: id,
      tenant: 'default',
      task_type: 'convert',
      state: 'pending',
      created_at: new Date(),
      started_at: null,
      ended_at: null,
      counts: createEmptyCounts(2),
      error_message: null,
      failure: null,
      target: 's3',
      packaging: 'remote',
      documents: 2,
      uploads: [],
      callbacks: Array.from({ length: callbacks }, () => ({ url: address, headers: { 'X-Any': canary }, ca_cert: '' })),
      request: {
        options: { pdf_password: canary, picture_description_api: { headers: { 'X-Any': canary } } },
        sources: [
          { kind: 'http', url: `https://user:${canary}@host/`, headers: { 'X-Any': canary } },
          { kind: 'file', base64_string: canary },
        ],
        target: { kind: 's3', access_key: canary, secret_key: canary },
        callbacks: [{ url: address, headers: { 'X-Any': canary } }],
      },
    }) as unknown as TaskRecord;
  const document = { index: 0, source_uri: address, uploads: [{ uri: address }], outputs: {} } as never;

  test('are stored without clear secrets while waiting, running and after their end', async () => {
    const store = createConversionStore(sealed);
    await store.create(task('waiting'));
    await store.create(task('running'));
    await store.begin('running');
    await store.putDocument('running', document);
    await store.setUploads('running', 0, [{ uri: address }] as never);
    await store.create(task('over'));
    await store.end('over', { state: 'failure' });
    expect(await dump()).not.toContain(canary);
    expect((await store.getWhole('waiting'))?.request).toEqual(task('').request);
    expect((await store.get('over'))?.callbacks).toEqual(task('').callbacks);
    expect(
      (await store.list('default', { limit: 9, offset: 0 })).items.map(({ callbacks }) => callbacks[0]?.url),
    ).toEqual(Array.from({ length: 3 }, () => address));
    expect(await store.getDocument('running', 0)).toMatchObject({ source_uri: address, uploads: [{ uri: address }] });
    await store.forgetCallbacks('over');
    expect((await store.get('over'))?.callbacks).toEqual([]);
  });

  test('of an earlier release are read', async () => {
    await createConversionStore(clear).create(task('earlier'));
    await client
      .db()
      .collection<{ _id: string }>('conversion_tasks')
      .updateOne({ _id: 'earlier' }, { $set: { callbacks: task('').callbacks } });
    const store = createConversionStore(sealed);
    expect((await store.getWhole('earlier'))?.request).toEqual(task('').request);
    expect((await store.get('earlier'))?.callbacks).toEqual(task('').callbacks);
  });
});
