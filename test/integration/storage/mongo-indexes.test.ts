import { randomUUID } from 'node:crypto';
import { type Collection, type Filter, MongoClient } from 'mongodb';

interface Item {
  _id: string;
  owner: string;
  readers?: string[];
  kind: string;
  state: string;
  count: number | null;
  at: Date;
  nested?: { name: string };
}

const client = new MongoClient(process.env['MONGODB_URL'] ?? '');
const names = ['', 'ada', 'ada2', 'Ada', 'bob', 'bob\u0000', 'é', 'x'.repeat(300)];
let indexed: Collection<Item>;
/** The same documents without indexes. */
let plain: Collection<Item>;

beforeAll(async () => {
  const database = client.db(`indexes-${randomUUID()}`);
  indexed = database.collection<Item>('indexed');
  plain = database.collection<Item>('plain');
  // Some documents are there before the indexes.
  await both((items) => items.insertMany(made(0, 300)));
  await indexed.createIndex({ owner: 1, readers: 1, count: 1 });
  await indexed.createIndex({ at: -1 });
  await indexed.createIndex({ 'nested.name': 1 });
  await both((items) => items.insertMany(made(300, 1_200)));
});
afterAll(async () => {
  await indexed.db.dropDatabase();
  await client.close();
});

test('an index changes no result', async () => {
  for (const filter of filters()) expect(await found(indexed, filter)).toEqual(await found(plain, filter));
});

test('an index changes no group: counted from its entries, or from documents where those do not tell the values', async () => {
  await indexed.createIndex({ kind: 1, nested: 1 });
  await indexed.createIndex({ kind: 1, state: 1 });
  const groups = [
    null,
    1,
    '$kind',
    '$state',
    '$count',
    '$owner',
    { kind: '$kind', own: '$state' },
    { name: '$nested.name' },
  ];
  const filters: Filter<Item>[] = [
    {},
    { kind: 'a' },
    { kind: { $in: ['a', 'c', 'none'] }, state: { $ne: 'x' } },
    { state: /^[xy]/ },
    { kind: { $gt: 'a' } },
    { kind: 'none' },
    { kind: { $exists: true }, state: 'y' },
    { kind: 'b', owner: 'ada' },
    { owner: 'ada', readers: { $exists: true } },
    { 'nested.name': 'ada' },
    { $or: [{ kind: 'a' }, { state: 'x' }] },
  ];
  const check = async () => {
    for (const filter of filters)
      for (const group of groups)
        expect(await grouped(indexed, filter, group)).toEqual(await grouped(plain, filter, group));
  };
  await check();
  await both((items) => items.updateMany({ kind: 'b', count: { $gt: 0 } }, { $set: { state: 'z' } }));
  await both((items) => items.deleteMany({ kind: 'c', state: 'x' }));
  await check();
  // A value that is no text, then one that is longer than an entry, then one for each element of an array.
  for (const kind of [7, null, `${'a'.repeat(300)}1`, `${'a'.repeat(300)}2`, 'a\u0000', 'a\u0001', ['a', 'b']]) {
    await both((items) => items.updateOne({ _id: 'id-20' }, { $set: { kind } as never }));
    await check();
  }
});

test('stages after the first read the whole collection', async () => {
  const joined = (items: Collection<Item>) =>
    items
      .aggregate([
        { $match: { kind: 'a' } },
        { $limit: 1 },
        { $lookup: { from: items.collectionName, localField: 'state', foreignField: 'state', as: 'others' } },
        { $unwind: '$others' },
        { $group: { _id: '$others.kind' } },
        { $sort: { _id: 1 } },
      ])
      .toArray();
  const result = await joined(indexed);
  expect(result.length).toBeGreaterThan(1);
  expect(result).toEqual(await joined(plain));
});

test('an index follows updates and removals', async () => {
  await both((items) => items.updateMany({ owner: 'ada' }, { $set: { owner: 'bob', count: 7 } }));
  await both((items) => items.updateOne({ _id: 'id-10', owner: { $ne: 'nobody' } }, { $set: { readers: ['new'] } }));
  await both((items) => items.updateMany({ count: { $lt: 2 } }, { $unset: { readers: 1 }, $set: { at: new Date(7) } }));
  await both((items) => items.deleteMany({ owner: 'Ada', count: { $gte: 5 } }));
  await both((items) => items.replaceOne({ _id: 'id-12' }, { ...item(12), owner: 'replaced' }, { upsert: true }));
  for (const filter of filters()) expect(await found(indexed, filter)).toEqual(await found(plain, filter));
});

async function both(change: (items: Collection<Item>) => Promise<unknown>): Promise<void> {
  await change(indexed);
  await change(plain);
}

async function grouped(items: Collection<Item>, filter: Filter<Item>, group: unknown): Promise<unknown> {
  const groups = await items.aggregate([{ $match: filter }, { $group: { _id: group, count: { $sum: 1 } } }]).toArray();
  return { filter, group, groups: groups.map((counted) => JSON.stringify(counted)).toSorted() };
}

async function found(items: Collection<Item>, filter: Filter<Item>): Promise<unknown> {
  const ids = await items
    .find(filter)
    .sort({ _id: 1 })
    .map(({ _id }) => _id)
    .toArray();
  return { filter, ids, count: await items.countDocuments(filter) };
}

function made(from: number, to: number): Item[] {
  return Array.from({ length: to - from }, (_, place) => item(from + place));
}

function item(number: number): Item {
  const name = (place: number) => names[place % names.length] as string;
  const readers = [[], [name(number)], [name(number + 1), name(number + 2)], undefined][number % 4];
  return {
    _id: `id-${number}`,
    owner: name(number * 7),
    ...(readers ? { readers } : {}),
    kind: 'abc'.charAt(number % 3),
    state: 'xy'.charAt(number % 2),
    count: number % 11 === 0 ? null : (number % 9) - 2.5 * (number % 2),
    at: new Date((number % 100) - 50),
    ...(number % 5 === 0 ? {} : { nested: { name: name(number) } }),
  };
}

function filters(): Filter<Item>[] {
  const owners = names.flatMap((owner): Filter<Item>[] => [
    { owner },
    { owner, readers: 'ada' },
    { owner, readers: { $in: ['bob', 'é', 'new'] }, count: { $gt: -2, $lte: 3 } },
    { owner, readers: { $exists: false } },
    { owner: { $gte: owner, $lt: `${owner}b` } },
    { owner: { $ne: owner } },
    { 'nested.name': owner },
    { $or: [{ owner }, { at: { $lt: new Date(-40) } }] },
    { $or: [{ owner }, { count: 1 }] },
  ]);
  return [
    ...owners,
    { owner: 'ada', count: null },
    { owner: 'bob', readers: [] },
    { owner: { $in: ['ada', 'bob'] }, readers: { $ne: 'ada' } },
    { owner: { $in: [] } },
    { owner: /^a/i },
    { at: { $gte: new Date(-10), $lt: new Date(10) } },
    { at: new Date(7) },
    { _id: 'id-10', owner: 'nobody' },
    { _id: { $in: ['id-10', 'id-11', 'id-9999'] }, count: { $ne: null } },
    { 'nested.name': { $exists: false } },
    { 'nested.name': { $gt: 'b' } },
  ] as Filter<Item>[];
}
