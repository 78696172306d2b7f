import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';

interface Item {
  _id: string;
  text: string;
}

const client = new MongoClient(process.env['MONGODB_URL'] ?? '');
const database = client.db(`long-read-${randomUUID()}`);
afterAll(async () => {
  await database.dropDatabase();
  await client.close();
});

/** More than the embedded database holds in memory, so that a question reads from the file until its end. */
const count = 12_000;
const size = 8_000;

test('a question that takes many seconds is answered while other documents are rewritten all the time', async () => {
  const read = database.collection<Item>('read');
  const rewritten = database.collection<Item>('rewritten');
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(size / 45);
  for (let from = 0; from < count; from += 500) {
    const ids = Array.from({ length: 500 }, (_, index) => `${from + index}`);
    await read.insertMany(ids.map((_id) => ({ _id, text: `${_id} ${text}` })));
    // Among the others, so that the parts of the file that hold both become sparse, and are moved.
    await rewritten.insertMany(ids.slice(0, 50).map((_id) => ({ _id, text })));
  }
  const over = new AbortController();
  const rewriting = (async () => {
    for (let round = 0; !over.signal.aborted; round += 1)
      await rewritten.updateMany({}, { $set: { text: `${round} ${text}` } });
  })();
  const patterns = Array.from({ length: 60 }, (_, index) => ({ text: new RegExp(`fox [a-z]+ ${index}`) }));
  const found = read.find({ $or: [...patterns, { text: /^11999 / }] }).toArray();
  const answer = await found.finally(() => over.abort());
  await rewriting;
  expect(answer.map(({ _id }) => _id)).toEqual(['11999']);
});
