import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MongoClient } from 'mongodb';
import { readCacheFolder } from '../../../embedded/paths';
import { isListening, chooseFreePort } from '../../../embedded/ports';
import { versions } from '../../../embedded/releases';
import { type RunningServers, startServers } from '../../../embedded/servers';
import { findJavaHome } from '../../../embedded/tools';
import { createInstallationRecords, dataVersion } from '../../../services/installation/record';
import { migrations } from '../../../services/migration/list';
import { migrate } from '../../../services/migration/migrate';
import { connectMongo } from '../../../services/storage/mongo';
import { createSealer } from '../../../services/storage/sealing/sealer';
import { until } from '../../support/system/system';

// A data folder as the first release wrote it, opened by today's database and stores.
const dataDir = mkdtempSync(path.join(tmpdir(), 'docloom-upgrade-'));
const cacheDir = readCacheFolder(process.env);
const count = 450;
/** Keys of many lengths, some with signs beyond ASCII: today's order of keys must be that of the first release. */
const getKeys = (prefix: string) =>
  Array.from(
    { length: 300 },
    (_, index) => `${prefix}${'xyz'.repeat(index % 41)}${index}${index % 7 === 0 ? 'é日' : ''}`,
  );
const getSecret = (index: number) => `sk-first-release-${index}`;
const keys = [Buffer.alloc(32, 5).toString('base64')];
let running: RunningServers | undefined;

beforeAll(async () => {
  const file = path.join(dataDir, 'mongo', 'mongo.mv.db');
  mkdirSync(path.dirname(file));
  const port = await chooseFreePort(0);
  const jars = path.join(cacheDir, `mongo-java-server-${versions.mongoJavaServer}`, '*');
  const source = path.join(__dirname, '..', '..', 'support', 'servers', 'FirstMongoServer.java');
  const { java } = findJavaHome('MongoDB', process.env);
  const first = spawn(java, ['-cp', jars, source, file, '127.0.0.1', String(port)], { stdio: 'ignore' });
  await until('the first release answers', () => first.exitCode !== null || isListening('127.0.0.1', port));
  await fill(`mongodb://127.0.0.1:${port}/docloom`);
  await end(first);
});
afterAll(async () => {
  await running?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Flows and runs of the first release: secrets in clear, no ordered indexes, no record of the installation. */
async function fill(url: string): Promise<void> {
  const client = await MongoClient.connect(url);
  const flows = client.db().collection<{ _id: string }>('flows');
  await flows.createIndex({ owner: 1, name: 1 });
  await flows.createIndex({ unique_name: 1 }, { unique: true });
  await flows.insertMany(
    Array.from({ length: count }, (_, index) => {
      const config = { type: 'local_api', api_key: getSecret(index) };
      const flow_name = `flow-${index}`;
      return {
        _id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
        name: flow_name,
        unique_name: flow_name,
        owner: index % 2 === 0 ? 'alice' : 'bob',
        definition: JSON.stringify({ flow_name, flow: [{ type: 'embeddings', name: 'embed', config }] }),
      };
    }),
  );
  const keyed = client.db().collection<{ _id: string }>('keyed');
  await keyed.insertMany(getKeys('first').map((_id) => ({ _id })));
  await client.db().collection('job_runs').insertOne({ ended_at: '2026-11-21T08:00:00.000Z' });
  await client.close();
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

test("today's database opens it, builds the indexes that it lacks, and finds everything by them", async () => {
  running = await startServers({
    ...{ dataDir, cacheDir, env: { ...process.env, MONGODB_URL: undefined }, log: () => undefined },
    which: { mongo: true },
  });
  const client = await MongoClient.connect(running.env['MONGODB_URL'] as string);
  const flows = client.db().collection<{ _id: string; unique_name: string }>('flows');
  expect(await flows.countDocuments({ owner: 'alice' })).toBe(count / 2);
  expect(await flows.countDocuments({ owner: 'bob', name: 'flow-7' })).toBe(1);
  await expect(flows.insertOne({ _id: 'twice', unique_name: 'flow-7' })).rejects.toMatchObject({ code: 11_000 });
  await flows.createIndex({ name: 1 });
  expect((await flows.find({ name: 'flow-3' }).toArray()).map((flow) => flow.unique_name)).toEqual(['flow-3']);
  await client.close();
});

test('keys of the first release and of today are found, whatever their length and signs, and none is stored twice', async () => {
  const client = await MongoClient.connect(running?.env['MONGODB_URL'] as string);
  const keyed = client.db().collection<{ _id: string; when?: Date }>('keyed');
  const [first, today] = [getKeys('first'), getKeys('now')];
  const when = new Date('2026-11-26T17:00:00.123Z');
  for (const _id of today) await keyed.insertOne({ _id, when });
  for (const _id of [...first, ...today]) {
    expect((await keyed.findOne({ _id }))?._id).toBe(_id);
    await expect(keyed.insertOne({ _id })).rejects.toMatchObject({ code: 11_000 });
  }
  expect((await keyed.findOne({ _id: today[0] }))?.when).toEqual(when);
  expect(await keyed.countDocuments()).toBe(first.length + today.length);
  await client.close();
});

test('its secrets are encrypted by a migration that continues after an interruption, and open as they were', async () => {
  const mongo = connectMongo(
    running?.env['MONGODB_URL'] as string,
    createSealer(() => keys),
  );
  const records = createInstallationRecords(mongo);
  expect(await records.ensure()).toMatchObject({ had_work: true });
  const clear = async () => {
    const texts = await mongo.collection('flows').find({}).toArray();
    return texts.filter((flow) => JSON.stringify(flow).includes('sk-first-release')).length;
  };
  expect(await clear()).toBe(count);

  const interrupted = new AbortController();
  const log: string[] = [];
  const options = { leaseMs: 200, log: (message: string) => void log.push(message) };
  const first = migrate(mongo, migrations, { ...options, signal: interrupted.signal });
  first.catch(() => undefined);
  await until('a part of the flows is migrated', async () => {
    const left = await clear();
    if (left < count) interrupted.abort(new Error('interrupted'));
    return left < count;
  });
  await expect(first).rejects.toThrow('interrupted');
  const left = await clear();
  expect(left).toBeGreaterThan(0);

  await migrate(mongo, migrations, { ...options, signal: new AbortController().signal });
  expect(await clear()).toBe(0);
  expect(await records.find()).toMatchObject({ data_version: dataVersion });
  const flows = mongo.collection<{ _id: string; definition: string }>('flows');
  for (const { _id, definition } of await flows.find({}).toArray()) {
    const opened = JSON.stringify(mongo.sealer.open(JSON.parse(definition), `flows/${_id}`));
    expect(opened).toContain(`"${getSecret(Number(_id.slice(-12)))}"`);
  }
  await mongo.close();
});
