import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { verifyInstallation } from '../../../services/installation/proof';
import { createInstallationRecords, dataVersion } from '../../../services/installation/record';
import { migrations } from '../../../services/migration/list';
import { migrate, type Migration } from '../../../services/migration/migrate';
import { connectMongo, type Mongo } from '../../../services/storage/mongo';
import { createSealer, sealedPrefix } from '../../../services/storage/sealing/sealer';

const url = new URL(process.env['MONGODB_URL'] ?? 'mongodb://127.0.0.1:27017');
url.pathname = `/migrations_${randomUUID().slice(0, 8)}`;
const keys = [Buffer.alloc(32, 1).toString('base64')];
const mongo = connectMongo(
  url.href,
  createSealer(() => keys),
);
const signal = new AbortController().signal;
const quiet = { log: () => undefined, signal, leaseMs: 300 };

interface Item {
  _id: string;
  times: number;
}
const items = (of: Mongo = mongo) => of.collection<Item>('items');
const stored = async () =>
  (await createInstallationRecords(mongo).find()) as { data_version?: number; migration?: object };

/** Adds one to each item, one item per page. `fail` is called before each. */
function counting(version: number, fail: (item: Item) => void = () => undefined): Migration {
  return {
    version,
    name: 'count',
    run: async (of, { position = '', save }) => {
      for (const item of await items(of)
        .find({ _id: { $gt: position } })
        .sort({ _id: 1 })
        .toArray()) {
        fail(item);
        await items(of).updateOne({ _id: item._id }, { $inc: { times: 1 } });
        await save(item._id);
      }
    },
  };
}

beforeEach(async () => {
  for (const name of ['items', 'flows', 'connections', 'installation']) await mongo.collection(name).deleteMany({});
  await createInstallationRecords(mongo).ensure();
  await items().insertMany(['a', 'b', 'c', 'd'].map((_id) => ({ _id, times: 0 })));
});
afterAll(async () => {
  await mongo.close();
  const client = await MongoClient.connect(url.href);
  await client.db().dropDatabase();
  await client.close();
});

const times = async () => (await items().find({}).sort({ _id: 1 }).toArray()).map((item) => item.times);

test('each migration runs once, in order, and is recorded', async () => {
  const log: string[] = [];
  const options = { ...quiet, log: (message: string) => void log.push(message) };
  await migrate(mongo, [counting(1), counting(2)], options);
  await migrate(mongo, [counting(1), counting(2)], options);
  expect(await times()).toEqual([2, 2, 2, 2]);
  expect(log).toEqual([
    'migration 1 (count) begins',
    'migration 1 (count) is done',
    'migration 2 (count) begins',
    'migration 2 (count) is done',
  ]);
  expect(await stored()).toMatchObject({ data_version: 2 });
  expect(await stored()).not.toHaveProperty('migration');
});

test('another process continues an interrupted migration once the lease is over', async () => {
  const broken = counting(1, ({ _id }) => {
    if (_id === 'c') throw new Error('killed');
  });
  await expect(migrate(mongo, [broken], quiet)).rejects.toThrow('killed');
  expect(await times()).toEqual([1, 1, 0, 0]);
  expect(await stored()).toMatchObject({ migration: { position: 'b' } });
  const log: string[] = [];
  await migrate(mongo, [counting(1)], { ...quiet, log: (message) => void log.push(message) });
  expect(await times()).toEqual([1, 1, 1, 1]);
  expect(log[0]).toBe('migration 1 (count) continues after b');
});

test('if several processes start together, one migrates and the others wait for it', async () => {
  const others = [1, 2, 3].map(() => connectMongo(url.href));
  await Promise.all(others.map((other) => migrate(other, [counting(1), counting(2)], { ...quiet, leaseMs: 10_000 })));
  expect(await times()).toEqual([2, 2, 2, 2]);
  await Promise.all(others.map((other) => other.close()));
});

test('a process that lost its lease stops before it writes more', async () => {
  let other: Promise<void> | undefined;
  const slow: Migration = {
    version: 1,
    name: 'slow',
    run: async (_mongo, { save }) => {
      // Longer than the lease, so that another process takes over.
      other ??= migrate(mongo, [counting(1)], quiet);
      await other;
      await save('z');
    },
  };
  await expect(migrate(mongo, [slow], quiet)).rejects.toThrow('Another process continues the migration.');
  expect(await stored()).toMatchObject({ data_version: 1 });
});

test('unencrypted secrets are encrypted, starting with the interrupted record; encrypted ones keep their key', async () => {
  const flow = (id: string, token: string) => ({
    _id: id,
    definition: JSON.stringify({ flow: [{ type: 'embeddings', name: 'e', config: { api_key: token } }] }),
  });
  await mongo
    .collection('flows')
    .insertMany([flow('1', 'sk-one'), flow('2', 'sk-two'), flow('3', `${sealedPrefix}other:AA==`)]);
  await mongo
    .collection('installation')
    .updateOne({ _id: 'installation' }, { $set: { migration: { position: 'flows/1', holder: 'dead', until: 0 } } });
  await migrate(mongo, migrations, quiet);
  const texts = (await mongo.collection('flows').find({}).sort({ _id: 1 }).toArray()).map((item) =>
    JSON.stringify(item),
  );
  expect(texts[0]).toContain('sk-one');
  expect(texts[1]).not.toContain('sk-two');
  expect(texts[1]).toContain(sealedPrefix);
  expect(texts[2]).toContain(`${sealedPrefix}other:AA==`);
});

test('the list counts from one to the version of the data, and data of a later release are rejected', async () => {
  expect(migrations.map(({ version }) => version)).toEqual(Array.from({ length: dataVersion }, (_none, at) => at + 1));
  const places = {
    records: createInstallationRecords(mongo),
    store: { place: 'the store', read: async () => undefined, write: async () => undefined, isEmpty: async () => true },
  };
  await mongo
    .collection('installation')
    .updateOne({ _id: 'installation' }, { $set: { data_version: dataVersion + 1 } });
  await expect(verifyInstallation(places, () => undefined)).rejects.toMatchObject({
    code: 'INSTALLATION_MISMATCH',
    message: expect.stringContaining(`version ${dataVersion + 1} of stored data`) as string,
  });
});
