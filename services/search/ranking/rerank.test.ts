import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { User } from '../../../model/access';
import { readConfig } from '../../../model/config';
import { createLlm } from '../../llm/llm';
import type { DocumentReply, SearchRequest } from '../ports';
import { addReranking, createHostScoring } from './rerank';

/** A server whose answer each test sets; it keeps what it was asked. */
let answer: { status?: number; body: unknown } | 'drop';
let asked: {
  path: string | undefined;
  body: { query?: string; documents?: string[]; model?: string; top_n?: number };
}[] = [];
let server: Server;
let llm: ReturnType<typeof createLlm>;
const anna: User = { username: 'anna', email: '', full_name: '', groups: [] };
const hit = (id: string): DocumentReply => ({
  ...{ id, title: `title ${id}`, content: `content ${id}`.padEnd(5_000, '.') },
  ...{ metadata: {}, created_at: '', updated_at: '' },
});
const sent: SearchRequest[] = [];
let address: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    void json(request).then((body) => {
      asked.push({ path: request.url, body: body as (typeof asked)[number]['body'] });
      if (answer === 'drop') return request.socket.destroy();
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify(answer.body));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  llm = createLlm(readConfig({ LOCALMODEL_HOST: address }));
});
beforeEach(() => {
  asked = [];
  sent.length = 0;
});
afterAll(async () => {
  llm.close();
  await new Promise((resolve) => server.close(resolve));
});

async function search(request: SearchRequest, ids: readonly string[], model = 'cross') {
  const reranked = addReranking(
    async (_user, received) => {
      sent.push(received);
      const { limit = 10, offset = 0 } = received;
      const page = ids.slice(offset, offset + limit);
      return {
        documents: page.map(hit),
        total: ids.length,
        limit,
        offset,
        has_more: offset + page.length < ids.length,
      };
    },
    model === '' ? undefined : createHostScoring(llm, model),
  );
  const { documents, ...reply } = await reranked(anna, request);
  return { ids: documents.map(({ id }) => id), ...reply };
}
const score = (...scores: number[]) => ({
  body: { results: scores.map((relevance_score, index) => ({ index, relevance_score })).toReversed() },
});

test('the hits are in the order of the scores of the model, which reads a part of each; equal scores keep their order', async () => {
  answer = score(0.1, 0.7, -3, 0.7);
  expect(await search({ query: 'tide', rerank: true }, ['a', 'b', 'c', 'd'])).toMatchObject({
    ...{ ids: ['b', 'd', 'a', 'c'], total: 4, limit: 10, offset: 0, has_more: false },
  });
  const [{ path, body } = { path: '', body: {} }] = asked;
  expect([path, body.query, body.model, body.top_n]).toEqual(['/v1/rerank', 'tide', 'cross', 4]);
  expect(body.documents?.map((text) => [text.slice(0, 17), text.length])).toEqual(
    ['a', 'b', 'c', 'd'].map((id) => [`title ${id}\ncontent ${id}`, 2_000]),
  );
});

test('an explanation shows the score of the model; without one, no score is returned', async () => {
  answer = score(-0.5, 0.25);
  const search = (explained: boolean) =>
    addReranking(
      async () => ({
        documents: ['a', 'b'].map((id) => (explained ? { ...hit(id), explanation: { words: [] } } : hit(id))),
        ...{ total: 2, limit: 10, offset: 0, has_more: false },
      }),
      createHostScoring(llm, 'cross'),
    )(anna, { query: 'q', rerank: true, ...(explained ? { explain: true } : {}) });
  expect((await search(true)).documents.map(({ explanation }) => explanation)).toEqual([
    { words: [], rerank_score: 0.25 },
    { words: [], rerank_score: -0.5 },
  ]);
  expect((await search(false)).documents.map(({ explanation }) => explanation)).toEqual([undefined, undefined]);
});

test('pages come from the same 50 reranked hits, and end there', async () => {
  const ids = Array.from({ length: 70 }, (_, at) => `${at}`);
  answer = score(...ids.slice(0, 50).map(Number));
  const pages = [];
  for (let offset = 0; offset < 50; offset += 20)
    pages.push(await search({ query: 'q', rerank: true, offset, limit: Math.min(20, 50 - offset) }, ids));
  expect(pages.flatMap((page) => page.ids)).toEqual(ids.slice(0, 50).toReversed());
  expect(pages.map((page) => [page.total, page.has_more])).toEqual([
    [70, true],
    [70, true],
    [70, false],
  ]);
  await expect(search({ query: 'q', rerank: true, offset: 45 }, ids)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
});

test('without rerank nothing is asked and the search is unchanged', async () => {
  expect((await search({ query: 'q', limit: 1, offset: 1 }, ['a', 'b'])).ids).toEqual(['b']);
  expect([asked, sent]).toEqual([[], [{ query: 'q', limit: 1, offset: 1 }]]);
});

test.each([
  ['no model', { query: 'q' }, ''],
  ['no query', {}, 'cross'],
  ['a blank query', { query: ' ' }, 'cross'],
  ['a sort', { query: 'q', sort: [{ id: 'asc' as const }] }, 'cross'],
])('with %s, rerank is refused before anything is searched', async (_name, request, model) => {
  const refusal = { code: 'VALIDATION_ERROR', details: { target: { type: 'field', name: 'rerank' } } };
  await expect(search({ ...request, rerank: true }, ['a', 'b'], model)).rejects.toMatchObject(refusal);
  expect([asked, sent]).toEqual([[], []]);
});

test.each<[string, typeof answer]>([
  ['breaks off', 'drop'],
  ['refuses', { status: 500, body: { error: 'broken' } }],
  ['does not know the model', { status: 404, body: { error: 'no model' } }],
  ['returns something else', { body: { scores: [1, 2] } }],
  ['leaves out a hit', score(0.3)],
  ['scores a hit twice', { body: { results: [0, 0].map((index) => ({ index, relevance_score: 1 })) } }],
  ['scores a hit that it was not given', { body: { results: [0, 7].map((index) => ({ index, relevance_score: 1 })) } }],
  [
    'returns a score that is no number',
    { body: { results: [0, 1].map((index) => ({ index, relevance_score: null })) } },
  ],
])('if the model host %s, the hits stay in their order with a warning', async (_name, given) => {
  answer = given;
  const { ids, warnings } = await search({ query: 'q', rerank: true }, ['a', 'b']);
  expect([ids, warnings]).toEqual([['a', 'b'], [expect.stringMatching(/^The hits were not reranked\. /)]]);
});

test.each([true, false])(
  'the signal of the caller reaches the search (rerank: %s), and ends the reranking',
  async (rerank) => {
    const signals: (AbortSignal | undefined)[] = [];
    const caller = new AbortController();
    const reranked = addReranking(
      async (_user, _request, signal) => {
        signals.push(signal);
        // The caller leaves while the model would be asked.
        setImmediate(() => caller.abort());
        return { documents: ['a', 'b'].map(hit), total: 2, limit: 10, offset: 0, has_more: false };
      },
      {
        score: (_request, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', reject)),
      },
    );
    const found = reranked(anna, { query: 'q', rerank }, caller.signal);
    const outcome = await found.then(
      () => 'found',
      ({ name }: Error) => name,
    );
    expect(outcome).toBe(rerank ? 'AbortError' : 'found');
    expect(signals.map((signal) => signal === caller.signal)).toEqual([true]);
  },
  5_000,
);

test('a search does not wait longer for its turn at the model than for the answer', async () => {
  jest.useFakeTimers({ doNotFake: ['performance'] });
  try {
    const reranked = addReranking(
      async () => ({ documents: ['a', 'b'].map(hit), total: 2, limit: 10, offset: 0, has_more: false }),
      {
        score: (_request, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          }),
      },
    );
    let found: string[] | undefined;
    void reranked(anna, { query: 'q', rerank: true }).then(({ warnings = [] }) => (found = warnings));
    await jest.advanceTimersByTimeAsync(11_000);
    expect(found).toEqual([expect.stringMatching(/^The hits were not reranked\. .* within 10 s/)]);
  } finally {
    jest.useRealTimers();
  }
});
