import { randomUUID } from 'node:crypto';
import { createJudgedQueries } from '../../../services/search/judged-queries';
import { connectMongo } from '../../../services/storage/mongo';

const url = new URL(process.env['MONGODB_URL'] ?? 'mongodb://127.0.0.1:27017/docloom');
url.pathname = `/judged_${randomUUID().replaceAll('-', '')}`;
const mongo = connectMongo(url.href);
const judged = createJudgedQueries(mongo);
afterAll(() => mongo.close());

const time = (number: number) => new Date(Date.UTC(2026, 0, 1) + number * 1_000).toISOString();
const page = { limit: 10, offset: 0 };

test('the latest mark of a document counts, and a mark can be removed', async () => {
  const mark = (document_id: string, is_relevant: boolean | null, number: number) =>
    judged.mark('alice', { query: ' tide gauge ', document_id, is_relevant }, time(number));
  await mark('d1', true, 1);
  await mark('d2', false, 2);
  expect(await mark('d1', false, 3)).toMatchObject({ query: 'tide gauge', relevant: [], not_relevant: ['d2', 'd1'] });
  expect(await mark('d2', null, 4)).toMatchObject({ relevant: [], not_relevant: ['d1'] });
  expect((await judged.list('bob', page)).total).toBe(0);
  expect((await judged.list('alice', { ...page, isMeasurable: true })).total).toBe(0);
});

test('the newest thousand queries of a user are kept', async () => {
  for (let number = 0; number <= 1_001; number++)
    await judged.mark('carol', { query: `q${number}`, document_id: 'd', is_relevant: true }, time(number));
  const { items, total } = await judged.list('carol', page);
  expect(total).toBe(1_000);
  expect(items[0]?.query).toBe('q1001');
  const last = await judged.list('carol', { limit: 10, offset: 999 });
  expect(last.items.map(({ query }) => query)).toEqual(['q2']);
  expect((await judged.list('alice', page)).total).toBe(1);
});
