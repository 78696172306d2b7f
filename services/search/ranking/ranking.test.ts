import { readConfig } from '../../../model/config';
import type { IndexEmbedding } from '../../../model/llm/index-embedding';
import type { SearchCall } from '../connection';
import { createQueries } from '../query';

const alias = readConfig({}).SEARCH_DEFAULT_INDEX;
const user = { username: 'anna', email: '', full_name: '', groups: [] };
const builtin: IndexEmbedding = { type: 'onnx', model_id: 'small' };
const elsewhere: IndexEmbedding = { type: 'local_api', model_id: 'large', api_base: 'http://models.example/v1' };

/** A hybrid search over these indexes; those in `readable` have records of the user. */
async function search(
  indexes: Record<string, { embedding: IndexEmbedding; dimension?: number }>,
  readable = Object.keys(indexes),
  query = 'tide',
  { records = 1, refuses = '' } = {},
) {
  const calls: SearchCall[] = [];
  const models: string[] = [];
  const answer = ({ path, bulk = [] }: SearchCall): unknown => {
    if (path.endsWith('/_mapping'))
      return Object.fromEntries(
        Object.entries(indexes).map(([name, { embedding, dimension = 2 }]) => [
          name,
          {
            mappings: {
              _meta: { embedding },
              properties: { embedding: { dimension, method: { engine: 'lucene', space_type: 'l2' } } },
            },
          },
        ]),
      );
    const hits = { total: { value: records }, hits: [] };
    if (refuses !== '' && bulk.some((line) => line.includes(refuses)))
      return { responses: [{ status: 400, error: { type: 'illegal_argument_exception', reason: 'no scripts' } }] };
    if (path === '/_msearch') return { responses: Array.from({ length: 9 }, () => ({ status: 200, hits })) };
    return { hits, aggregations: { indexes: { buckets: readable.map((key) => ({ key })) } } };
  };
  const connection = {
    address: '',
    send: async (call: SearchCall) => {
      calls.push(call);
      return { status: 200, body: answer(call) };
    },
    close: async () => undefined,
  };
  const embedder = {
    embed: async (_texts: readonly string[], { provider_config: provider }: Record<string, unknown>) => {
      models.push(String((provider as { model_id?: string }).model_id));
      return [[1, 0]];
    },
  };
  const queries = createQueries(connection, alias, () => ({ embedder, mayAsk: () => true, builtin }));
  const response = await queries.search(user, { query, mode: 'hybrid' });
  const isCount = ({ body }: SearchCall) => JSON.stringify(body ?? {}).includes('"aggs":{"indexes"');
  const ranked = calls.flatMap(({ bulk = [] }) => bulk).filter((line) => line.includes('"knn"'));
  return { models, counts: calls.filter(isCount).length, ranked, warnings: response.warnings };
}

test('if every index has vectors of the default embedder, the engine is not asked which are readable', async () => {
  const { models, counts, ranked, warnings } = await search({ a: { embedding: builtin }, b: { embedding: builtin } });
  expect([new Set(models), counts, ranked.length, warnings]).toEqual([new Set(['small']), 0, 1, undefined]);
});

test('the embedder of an index that the user may not read is not called', async () => {
  const indexes = { a: { embedding: builtin }, hidden: { embedding: elsewhere } };
  const { models, counts } = await search(indexes, ['a']);
  expect([new Set(models), counts]).toEqual([new Set(['small']), 1]);
  expect((await search(indexes)).models).toContain('large');
});

test('no warning mentions vectors in an index that the user may not read', async () => {
  const indexes = { a: { embedding: builtin }, hidden: { embedding: builtin, dimension: 3 } };
  expect((await search(indexes, ['a'])).warnings).toBeUndefined();
  expect((await search(indexes)).warnings).toEqual([expect.stringContaining('vectors of 2 dimensions')]);
});

test('a query of punctuation alone has no vector', async () => {
  const ranked = async (query: string) => (await search({ a: { embedding: builtin } }, ['a'], query)).ranked.length;
  expect([await ranked('((('), await ranked('@ *'), await ranked('7'), await ranked('🚲')]).toEqual([0, 0, 1, 1]);
});

test('every vector is compared where few records are readable, and the graph is searched where there are many', async () => {
  const query = async (records: number) =>
    listQueries(await search({ a: { embedding: builtin } }, ['a'], 'tide', { records }));
  expect([await query(30_000), await query(30_001)]).toEqual([['script_score'], ['knn']]);
});

test('the graph is searched if the server refuses to compare vectors', async () => {
  const found = await search({ a: { embedding: builtin } }, ['a'], 'tide', { refuses: 'script_score' });
  expect(listQueries(found)).toEqual(['script_score', 'knn']);
});

function listQueries({ ranked }: { ranked: readonly string[] }): string[] {
  return ranked.flatMap((line) => Object.keys((JSON.parse(line) as { query: object }).query));
}
