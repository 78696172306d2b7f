import { readConfig } from '../../../model/config';
import type { IndexEmbedding } from '../../../model/llm/index-embedding';
import type { SearchCall } from '../connection';
import { createQueries } from '../query';
import { measureCoverage } from './coverage';

const alias = readConfig({}).SEARCH_DEFAULT_INDEX;
const user = { username: 'anna', email: '', full_name: '', groups: [] };
const builtin: IndexEmbedding = { type: 'onnx', model_id: 'bge-small-en-v1.5' };

const buildHits = (scores: Record<string, number>, language?: string) =>
  Object.entries(scores).map(([id, _score]) => ({
    ...{ _id: id, _index: 'a', _score, _source: {} },
    fields: { id: [id], ...(language ? { language: [language] } : {}) },
  }));

/**
 * A hybrid search in which words find one record, and vectors another one before it. `matched` are the words of the question that the
 * record has.
 */
async function search(
  query: string,
  matched: readonly string[],
  {
    embedding: stored = builtin,
    isRefused = false,
    isUnknown = false,
    language,
    problem,
  }: {
    embedding?: IndexEmbedding;
    isRefused?: boolean;
    isUnknown?: boolean;
    language?: string;
    problem?: { status: number; error: unknown };
  } = {},
) {
  const coverageSearches: Record<string, unknown>[] = [];
  const answerLine = (line: string) => {
    const withHits = (hits: unknown[]) => ({ status: 200, hits: { total: { value: hits.length }, hits } });
    if (line.includes('"_name"')) {
      coverageSearches.push(JSON.parse(line) as Record<string, unknown>);
      return problem ?? withHits([{ _index: 'a', matched_queries: matched }]);
    }
    if (isUnknown && line.includes('"size":0')) return withHits([]);
    if (line.includes('"knn')) return withHits(buildHits({ meant: 0.9, accidental: 0.62, far: 0.5 }));
    return withHits(line.includes('"size":1000') ? buildHits({ accidental: 10 }, language) : buildHits({ known: 1 }));
  };
  const answer = ({ path, bulk = [] }: SearchCall): unknown => {
    if (path === '/_msearch') return { responses: bulk.filter((_, at) => at % 2 === 1).map(answerLine) };
    if (path.endsWith('/_mapping')) {
      const embedding = { dimension: 2, method: { engine: 'lucene', space_type: 'cosinesimil' } };
      return { a: { mappings: { _meta: { embedding: stored }, properties: { embedding } } } };
    }
    const aggregations = { indexes: { buckets: [{ key: 'a' }] } };
    return { aggregations, hits: { total: { value: 3 }, hits: buildHits({ meant: 1, accidental: 1, far: 1 }) } };
  };
  const connection = {
    address: '',
    send: async (call: SearchCall) => {
      const body = answer(call);
      if (isRefused && call.bulk?.some((line) => line.includes('"_name"')))
        return { status: 429, body: { error: { type: 'rejected_execution_exception', reason: 'busy' } } };
      return { status: 200, body };
    },
    close: async () => undefined,
  };
  const embedder = { embed: async () => [[1, 0]] };
  const queries = createQueries(connection, alias, () => ({ embedder, mayAsk: () => true, builtin }));
  const { documents, warnings } = await queries.search(user, { query, mode: 'hybrid' });
  return { first: documents[0]?.id, coverageSearches, warnings };
}

/** The words that are looked for in the best hit. */
async function listWords(query: string, language?: string): Promise<string[]> {
  const { coverageSearches } = await search(query, [], language ? { language } : {});
  return [...JSON.stringify(coverageSearches).matchAll(/"_name":"([^"]+)"/g)].map(([, word = '']) => word);
}

const question = 'guided walk across the muddy coast';

test('vectors decide where the best hit by words has few words of the question', async () => {
  expect((await search(question, ['across'])).first).toBe('meant');
  expect((await search(question, ['walk', 'across', 'coast'])).first).toBe('accidental');
});

test('the words are looked for in the best hit only, if the user may still read it', async () => {
  const { coverageSearches } = await search(question, []);
  expect(coverageSearches).toHaveLength(1);
  const text = JSON.stringify(coverageSearches);
  expect(text).toContain('{"term":{"id":{"value":"accidental"}}}');
  expect(text).toContain('allowed_users');
});

test('function words count unless they are of the language of the question or, if that is unknown, of the hit', async () => {
  const words = ['guided', 'walk', 'across', 'muddy', 'coast'];
  expect(await listWords(question, 'en')).toEqual(words);
  expect(await listWords(`where is the ${question}`, 'de')).toEqual(words);
  expect(await listWords('die casting mould release agent', 'en')).toEqual([
    'die',
    'casting',
    'mould',
    'release',
    'agent',
  ]);
  expect(await listWords('die casting of mould agents', 'en-US')).toEqual(['die', 'casting', 'mould', 'agents']);
  expect(await listWords('die Satzung des alten Heimatvereins Husum')).toEqual([
    'satzung',
    'alten',
    'heimatvereins',
    'husum',
  ]);
});

test('a German compound is also found in its parts, if the question may be German', async () => {
  const parts = JSON.stringify(
    ['daten', 'schutz', 'erklärung'].map((query) => ({
      multi_match: { query, fields: ['words.de', 'titles.de^0.35'] },
    })),
  );
  const german = await search('neue Datenschutzerklärung Husumer Heimatverein', []);
  expect(JSON.stringify(german.coverageSearches)).toContain(`{"bool":{"must":${parts}}}`);
  const english = await search('what is the word Datenschutzerklärung called in English', []);
  expect(JSON.stringify(english.coverageSearches)).not.toContain('"must"');
});

test('the words of a short or long question are not looked for', async () => {
  for (const other of ['walk the coast', 'one two three four five six seven eight nine'])
    expect((await search(other, [])).coverageSearches).toEqual([]);
});

test('for a model of many languages, the words of a short question count as well, and none in similar forms', async () => {
  const embedding: IndexEmbedding = { type: 'onnx', model_id: 'multilingual-e5-small' };
  const short = await search('rent warehouse', [], { embedding, isUnknown: true });
  expect(short.coverageSearches).toHaveLength(1);
  expect(JSON.stringify(short.coverageSearches)).not.toContain('fuzziness');
  expect(short.first).toBe('meant');
  expect((await search('rent warehouse', ['warehouse'], { embedding })).first).toBe('accidental');
  expect((await search('warehouse', [], { embedding })).coverageSearches).toEqual([]);
  const unknown: IndexEmbedding = { type: 'local_api', model_id: 'a model of others' };
  expect((await search('rent warehouse', [], { embedding: unknown })).coverageSearches).toEqual([]);
});

test('if the words cannot be looked for, the weights stay as they are', async () => {
  for (const problem of [{ problem: { status: 500, error: {} } }, { isRefused: true }])
    expect((await search(question, [], problem)).first).toBe('accidental');
});

test('words are looked for where the search looks: in metadata, and mistyped ones in similar forms', async () => {
  const { coverageSearches: known } = await search(question, []);
  expect(JSON.stringify(known)).toContain('"metadata_text"');
  expect(JSON.stringify(known)).not.toContain('fuzziness');
  const mistyped = 'calibartion certifcate guage mesurement';
  const { coverageSearches, first } = await search(mistyped, mistyped.split(' ').slice(0, 3), { isUnknown: true });
  expect(JSON.stringify(coverageSearches).match(/"title":\{"query":"\w+","fuzziness"/g)).toHaveLength(4);
  expect(first).toBe('accidental');
});

test('words are not looked for in scripts without spaces, for codes, with synonyms, and where vectors are of no use', async () => {
  for (const other of ['モバイルアプリ', 'ERR_42 SL-40 EPOLL_CLOEXEC --all'])
    expect((await search(other, [])).coverageSearches).toEqual([]);
  expect((await search(question, [], { embedding: { type: 'hashing' } })).coverageSearches).toEqual([]);
  const tools = {
    send: () => Promise.reject(new Error('nothing is asked')),
    signal: new AbortController().signal,
    knowledge: { alternatives: [{ indexes: ['a'], text: 'hike' }] },
  };
  expect(await measureCoverage(tools, user, { query: question }, [{ index: 'a', id: '1', score: 1 }])).toBeUndefined();
});

test('the reply says if the model does not know the language of the question', async () => {
  const german = 'wie hoch sind die Gebühren für den Hafen';
  expect((await search(german, [], { language: 'en' })).warnings).toEqual([expect.stringContaining('German')]);
  expect((await search(german, [], { language: 'de' })).warnings).toBeUndefined();
  expect((await search(german, [], { language: 'n/a' })).warnings).toEqual([expect.stringContaining('German')]);
  for (const language of ['en-US', 'n/a'])
    expect((await search(`where is the ${question}`, [], { language })).warnings).toBeUndefined();
});
