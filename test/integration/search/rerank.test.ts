import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { User } from '../../../model/access';
import { createReranker, type Reranker } from '../../../services/embedding/reranker';
import type { Search, SearchRequest } from '../../../services/search/ports';
import { addReranking } from '../../../services/search/ranking/rerank';
import { getThreadFile } from '../../../threads/entries';
import { writeCrossEncoder } from '../../support/servers/cross-encoder-model';
import { anna, cleanUp, library, person, record } from '../../support/system/search-fixture';

/** The records of a search server, ordered by a real model of the models folder. */
const threadFile = getThreadFile('rerank', path.join(__dirname, '..', '..', '..', 'dist'));
const bert = person('bert');
const secret = 'zyzzyva';
let folder: string;
let own: Search;
let reranker: Reranker;
let scored: string[] = [];
let search: (user: User, request: SearchRequest) => ReturnType<Search['search']>;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'rerank-'));
  writeCrossEncoder(path.join(folder, 'cross'), { vocabulary: ['tide', 'gauge', 'moon', secret] });
  reranker = createReranker({ threadFile, place: { modelsFolder: folder, name: 'cross', threads: 1 } });
  // The search prefers short records; the model counts how often the words of the query occur.
  const content = (tides: number) => `${'tide '.repeat(tides)}${'of the wide water '.repeat(tides * 4)}`;
  ({ search: own } = await library([
    ...Array.from({ length: 12 }, (_, at) =>
      record(`r${at + 1}`, { title: 'A', content: content(at + 1), document_id: `d${at % 4}` }),
    ),
    record('both', { title: 'Moon', content: content(20), allowed_users: ['anna', 'bert'] }),
    record('hidden', { title: 'B', content: `${secret} ${content(40)}`, allowed_users: ['bert'] }),
  ]));
  search = addReranking((user, request, signal) => own.search(user, request, signal), {
    score(request, signal) {
      scored.push(...request.texts);
      return reranker.score(request, signal);
    },
  });
});
beforeEach(() => (scored = []));
afterAll(async () => {
  await reranker.close();
  await own.close();
  await cleanUp();
  rmSync(folder, { recursive: true, force: true });
});

const list = async (request: SearchRequest, user = anna) =>
  (await search(user, { query: 'tide', rerank: true, ...request })).documents.map(({ id }) => id);
const byModel = ['both', ...Array.from({ length: 12 }, (_, at) => `r${12 - at}`)];

test('records are in the order of the model, and explanations show its scores beside the matching words', async () => {
  expect(await list({ limit: 50 })).toEqual(byModel);
  expect((await own.search(anna, { query: 'tide', limit: 50 })).documents.map(({ id }) => id)).not.toEqual(byModel);
  const { documents, warnings } = await search(anna, { query: 'tide', rerank: true, explain: true, limit: 2 });
  expect(warnings).toBeUndefined();
  expect(documents.map(({ explanation }) => [explanation?.rerank_score, explanation?.words?.[0]?.terms])).toEqual([
    [20, ['tide']],
    [12, ['tide']],
  ]);
});

test('pages of any size have every record once, in the same order', async () => {
  for (const limit of [1, 3, 5]) {
    const pages: string[] = [];
    for (let offset = 0; offset < 13; offset += limit) pages.push(...(await list({ limit, offset })));
    expect(pages).toEqual(byModel);
  }
});

test('the model reads only what the user may read, whatever the search also asks for', async () => {
  for (const request of [
    {},
    { group: true },
    { expand: 2 },
    { facets: [{ field: 'document_id' }] },
    { query: `tide ${secret}` },
  ]) {
    const found = await list({ limit: 50, ...request });
    expect(found).not.toContain('hidden');
  }
  expect(scored.length).toBeGreaterThan(40);
  expect(scored.join(' ')).not.toContain(secret);
});

test('each user gets an order of their own records', async () => {
  expect(await list({}, bert)).toEqual(['hidden', 'both']);
  expect(scored.map((text) => text.slice(0, 6)).toSorted()).toEqual(['B\nzyzz', 'Moon\nt']);
  expect(await list({}, person('eve'))).toEqual([]);
  expect(scored).toHaveLength(2);
});

test('a hidden record changes neither order nor scores of another user', async () => {
  const read = async (user: User) => {
    const { documents, total } = await search(user, { query: `tide ${secret}`, rerank: true, explain: true });
    return { total, hits: documents.map(({ id, explanation }) => [id, explanation?.rerank_score]) };
  };
  expect(await read(anna)).toEqual({
    total: 13,
    hits: byModel.slice(0, 10).map((id) => [id, id === 'both' ? 20 : Number(id.slice(1))]),
  });
});

test('grouped hits are one per document, in the order of the model', async () => {
  const { documents, total } = await search(anna, { query: 'tide', rerank: true, group: true });
  // The records r1 to r12 are of four documents.
  expect(documents.map(({ id, group }) => [id === 'both', group !== undefined])).toEqual(
    [true, false, false, false, false].map((isFirst) => [isFirst, true]),
  );
  expect(scored).toHaveLength(5);
  expect(total).toBe(13);
});
