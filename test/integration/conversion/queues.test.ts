import { randomUUID } from 'node:crypto';
import { createConversionQueues, type ConversionQueues } from '../../../services/conversion/queues';
import { connectMongo, type Mongo } from '../../../services/storage/mongo';

const url = new URL(process.env['MONGODB_URL'] ?? 'mongodb://127.0.0.1:27017/docloom');
url.pathname = `/test-queues-${randomUUID().slice(0, 8)}`;
let mongo: Mongo;
let queues: ConversionQueues;
const names = (count: number) => Array.from({ length: count }, (_, place) => String(place));

beforeAll(() => {
  mongo = connectMongo(url.toString());
  queues = createConversionQueues(mongo);
});
afterAll(async () => {
  await mongo.collection('conversion_waiting').drop();
  await mongo.close();
});

test('concurrent arrivals are in order of arrival, each with its own position', async () => {
  const ids = names(50);
  const places = await Promise.all(ids.map((id) => queues.push('crowd', id)));
  expect(places).toEqual(ids.map((_, place) => place + 1));
  expect(await queues.listWaiting('crowd')).toEqual(ids);
});

test('two processes never assign one position twice', async () => {
  const other = createConversionQueues(mongo);
  const ids = names(40);
  const places = await Promise.all(ids.map((id, place) => (place % 2 ? queues : other).push('shared', id)));
  expect(places.toSorted((place, two) => place - two)).toEqual(ids.map((_, place) => place + 1));
  const waiting = await queues.listWaiting('shared');
  expect(ids.map((id) => waiting.indexOf(id) + 1)).toEqual(places);
});

test('leaving twice, or without having entered, does not affect other positions', async () => {
  const ids = names(10);
  await Promise.all(ids.map((id) => queues.push('leaving', id)));
  await queues.leave('leaving', '3');
  await Promise.all(['0', '3', '5', '5', 'stranger', '7'].map((id) => queues.leave('leaving', id)));
  expect(await queues.listWaiting('leaving')).toEqual(['1', '2', '4', '6', '8', '9']);
  expect(await queues.push('leaving', 'late')).toBe(7);
  expect(await queues.listWaiting('other')).toEqual([]);
  expect(await queues.listTenants()).toContain('leaving');
});
