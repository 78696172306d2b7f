import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { sealedCollections } from '../../services/connection/sealed';
import { createConnectionsStore } from '../../services/connection/store';
import { createEmptyCounts, type TaskRecord } from '../../services/conversion/record';
import { createConversionStore } from '../../services/conversion/store';
import { createFlowsStore } from '../../services/flow/flows-store';
import type { FlowRecord } from '../../services/flow/ports';
import { createScheduleRecords, sealedSchedules } from '../../services/flow/schedules';
import { createGraphStore, type GraphRecord } from '../../services/graph/store';
import { createRunsStore } from '../../services/run/runs-store';
import { connectMongo, type Mongo } from '../../services/storage/mongo';
import { rotateSecrets } from '../../services/storage/sealing/rotation';
import { createSealer } from '../../services/storage/sealing/sealer';
import { createWebhooks, type WebhookRecord } from '../../services/webhook/store';
import { runRecord } from '../support/system/run-record';
import { createSystem } from '../support/system/system';

const canary = 'canary-under-an-old-key';
const newKey = () => randomBytes(32).toString('base64');
const [oldKey, key, lostKey] = [newKey(), newKey(), newKey()];
const url = new URL(process.env['MONGODB_URL'] ?? 'mongodb://127.0.0.1:27017/docloom');
url.pathname = `/rotated_${randomUUID().replaceAll('-', '')}`;
const opened: Mongo[] = [];
const withKeys = (...keys: string[]) => {
  const mongo = connectMongo(
    url.href,
    createSealer(() => keys),
  );
  opened.push(mongo);
  return mongo;
};
const client = new MongoClient(url.href);
const system = createSystem({ MONGODB_URL: url.href, DOCLOOM_CONNECTION_KEYS: `${key},${oldKey}` });
afterAll(async () => {
  await client.db().dropDatabase();
  await Promise.all([client.close(), ...opened.map((mongo) => mongo.close())]);
  await system.stop();
});

const now = new Date().toISOString();
const stamps = { created_on: now, modified_on: now, created_by: 'alice', modified_by: 'alice' };
const operator = { type: 'ingest_source', name: 'ingest', config: { api_key: canary } };
const flow = (flow_id: string): FlowRecord => ({
  flow_id,
  flow_name: flow_id,
  flow: [operator],
  owner: 'alice',
  readers: [],
  flow_source: 'api',
  flow_version: '2.0',
  ...stamps,
});
const alice = { username: 'alice', email: '', full_name: '', groups: [] };
const connection = {
  connection_id: 'c',
  name: 'crm',
  type: 'web' as const,
  hosts: ['crm.example.org'],
  owner: 'alice',
  shared: false,
  users: [],
  groups: [],
  has_secret: true,
  created_at: now,
  updated_at: now,
};
const webhook: WebhookRecord = {
  webhook_id: 'w',
  url: 'https://crm.example.org/hook',
  events: ['run.ended'],
  description: '',
  active: true,
  owner: 'alice',
  created_at: now,
};
const run = runRecord({ metadata: { api_key: canary } });
const graph = { id: 'g', owner: 'alice', state: 'QUEUED', created_at: now, ended_at: null } as unknown as GraphRecord;
const task = {
  _id: 't',
  tenant: 'default',
  task_type: 'convert',
  state: 'pending',
  created_at: new Date(),
  started_at: null,
  ended_at: null,
  counts: createEmptyCounts(1),
  error_message: null,
  failure: null,
  target: 's3',
  packaging: 'remote',
  documents: 1,
  uploads: [],
  callbacks: [{ url: `https://h/?sig=${canary}` }],
  request: { options: { pdf_password: canary }, sources: [], target: { kind: 'inbody' }, callbacks: [] },
} as unknown as TaskRecord;

/** One record of each kind, with secrets. */
async function fill(mongo: Mongo): Promise<void> {
  await createConnectionsStore(mongo).create(connection, { user: canary, password: canary });
  await createFlowsStore(mongo).create(flow('f'));
  const configuration = JSON.stringify(
    mongo.sealer.seal({ api_key: canary }, sealedSchedules.formatPlace({ _id: 's' })),
  );
  await mongo
    .collection<{ _id: string; configuration: string }>('flow_schedules')
    .insertOne({ _id: 's', configuration });
  await createRunsStore(mongo).create(run);
  await createGraphStore(mongo).create({ ...graph, provider_config: JSON.stringify({ api_key: canary }) });
  await createWebhooks(mongo).create(webhook);
  const tasks = createConversionStore(mongo);
  await tasks.create(task);
  await tasks.putDocument('t', { index: 0, source_uri: `https://h/?sig=${canary}`, uploads: [], outputs: {} } as never);
}

/** Every secret, as the product reads it. */
const secrets = async (mongo: Mongo) => [
  (await createConnectionsStore(mongo).open(['crm'], [alice]))[0]?.secret,
  (await createFlowsStore(mongo).get(alice, 'f'))?.flow,
  await createScheduleRecords(mongo).readConfiguration('s'),
  (await createRunsStore(mongo).get(run.job_run_id))?.metadata,
  (await createGraphStore(mongo).get('g'))?.provider_config,
  (await createConversionStore(mongo).getWhole('t'))?.request,
  (await createConversionStore(mongo).get('t'))?.callbacks,
  (await createConversionStore(mongo).getDocument('t', 0))?.source_uri,
  (await createWebhooks(mongo).findTarget('w'))?.secret,
];
const getId = (text: string) => createHash('sha256').update(Buffer.from(text, 'base64')).digest('hex').slice(0, 16);
async function dump(): Promise<string> {
  const collections = await client.db().collections();
  return JSON.stringify(await Promise.all(collections.map((collection) => collection.find().toArray())));
}
const changed = (rotated: Awaited<ReturnType<typeof rotateSecrets>>) => rotated.map((item) => item.changed);

test('every stored secret is encrypted with the newest key, once, and is read without the old one', async () => {
  const before = withKeys(oldKey);
  await fill(before);
  const known = await secrets(before);
  expect(JSON.stringify(known).split(canary)).toHaveLength(10);
  const stored = await dump();
  expect(stored).toContain(getId(oldKey));
  expect(stored).not.toMatch(/whsec_|canary/);

  const both = withKeys(key, oldKey);
  expect(changed(await rotateSecrets(both, sealedCollections))).toEqual(sealedCollections.map(() => 1));
  expect(await dump()).not.toContain(getId(oldKey));
  expect(await secrets(withKeys(key))).toEqual(known);
  expect(changed(await rotateSecrets(both, sealedCollections))).toEqual(sealedCollections.map(() => 0));
});

test('the command encrypts secrets stored in clear, continues after unreadable ones, and reports them', async () => {
  await createFlowsStore(withoutKey()).create(flow('clear'));
  await createFlowsStore(withKeys(lostKey)).create(flow('lost'));
  await createFlowsStore(withKeys(oldKey)).create(flow('old'));
  const first = await system.spawn(['connections', 'rotate', '--json']).result;
  const { collections } = JSON.parse(first.stdout) as { collections: Awaited<ReturnType<typeof rotateSecrets>> };
  expect(collections.find(({ collection }) => collection === 'flows')).toMatchObject({
    records: 4,
    changed: 2,
    failed: [{ id: 'lost', message: expect.stringContaining(getId(lostKey)) as string }],
  });
  expect(await dump()).not.toContain(canary);
  const again = await system.spawn(['connections', 'rotate']).result;
  expect([first.code, again.code]).toEqual([1, 1]);
  expect(again.stdout).toMatch(/flows\s+0 of 4 records re-encrypted/);
  expect(again.stdout).toContain('Keep the old keys.');
  await client.db().collection('flows').deleteOne({ flow_name: 'lost' });
  expect((await system.spawn(['connections', 'rotate']).result).code).toBe(0);
});

/** The database without a key, as earlier versions wrote it. */
function withoutKey(): Mongo {
  const mongo = connectMongo(url.href);
  opened.push(mongo);
  return mongo;
}

test('a concurrent change is not lost, and its secrets are also encrypted again', async () => {
  const old = createFlowsStore(withKeys(oldKey));
  await old.create(flow('busy'));
  const mongo = withKeys(key, oldKey);
  let isChanged = false;
  const racing: Mongo = {
    ...mongo,
    collection: (name) => {
      const collection = mongo.collection<never>(name);
      const updateOne = async (...args: Parameters<typeof collection.updateOne>) => {
        if (!isChanged) await old.upsert({ ...flow('busy'), description: 'changed' });
        isChanged = true;
        return await collection.updateOne(...args);
      };
      return new Proxy(collection, {
        get: (target, member) => {
          const own: unknown = member === 'updateOne' ? updateOne : Reflect.get(target, member);
          return typeof own === 'function' ? (own.bind(target) as unknown) : own;
        },
      }) as never;
    },
  };
  const flows = sealedCollections.filter(({ collection }) => collection === 'flows');
  expect(await rotateSecrets(racing, flows)).toMatchObject([{ changed: 1, failed: [] }]);
  expect(isChanged).toBe(true);
  expect((await createFlowsStore(withKeys(key)).get(alice, 'busy'))?.description).toBe('changed');
});
