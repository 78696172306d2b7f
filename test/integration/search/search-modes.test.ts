import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IndexEmbedding } from '../../../model/llm/index-embedding';
import { hashText } from '../../../services/embedding/hashing';
import type { Hits } from '../../../services/search/hits';
import type { IndexRecord, Search, SearchRequest } from '../../../services/search/ports';
import { buildComparison, buildGraphQuery } from '../../../services/search/ranking/nearest';
import { createSearch } from '../../../services/search/search';
import {
  anna,
  cleanUp,
  config,
  ids,
  mark,
  never,
  person,
  raw,
  record,
  spec,
} from '../../support/system/search-fixture';

const bert = person('bert');
const dimension = 64;
const open: Search[] = [];
afterAll(async () => {
  await Promise.all(open.map((search) => search.close()));
  await cleanUp();
});

let count = 0;
/** A read alias with one index per entry of `indexes`. */
async function getLibrary(
  indexes: { embedding?: IndexEmbedding; vectorDimension?: number; records: IndexRecord[] }[],
  settings: Partial<typeof config> = {},
): Promise<Search> {
  count += 1;
  const search = createSearch({ ...config, SEARCH_DEFAULT_INDEX: `modes-${count}-${mark}`, ...settings });
  open.push(search);
  for (const [position, { embedding, vectorDimension = dimension, records }] of indexes.entries()) {
    const indexSpec = spec(`modes-${count}-${position}`, vectorDimension === 0 ? undefined : vectorDimension);
    await search.ensureIndex(
      { ...indexSpec, spaceType: 'cosinesimil', ...(embedding ? { embedding } : {}) },
      undefined,
      never,
    );
    expect(await search.bulkIndex(indexSpec.name, records, undefined, never)).toEqual([]);
    await search.refresh(indexSpec.name);
  }
  return search;
}
const hashing: IndexEmbedding = { type: 'hashing', dimensions: dimension };
const embedded = (id: string, content: string, indexRecord: Partial<IndexRecord> = {}) =>
  record(id, { content, title: '', embedding: hashText(content, dimension), ...indexRecord });

describe('vector and hybrid searches by the hashing embedder', () => {
  let search: Search;
  beforeAll(async () => {
    const hidden = Array.from({ length: 200 }, (_, index) =>
      embedded(`hidden-${index}`, 'penguins on the ice', { allowed_users: ['bert'] }),
    );
    search = await getLibrary([
      {
        embedding: hashing,
        records: [
          ...hidden,
          embedded('ice', 'penguins walk on the ice', {
            metadata: { kind: 'bird', document_id: 'd', page_numbers: [3], bbox: [[3, 1, 2, 30, 40.5]] },
          }),
          embedded('invoice', 'the invoice of march <b>&', { metadata: { kind: 'paper' } }),
          embedded('chairs', 'tables and chairs', { metadata: { kind: 'thing' } }),
          record('plain', { content: 'an old penguins poster', title: '' }),
          embedded('nobody', 'penguins on the ice', { allowed_users: [] }),
        ],
      },
    ]);
  });

  test('the nearest readable records come first, however many nearer ones there are', async () => {
    expect(await ids(search, { query: 'penguins on the ice', mode: 'vector' })).toEqual([
      'ice',
      expect.any(String),
      expect.any(String),
    ]);
    const page = await search.search(bert, { query: 'penguins on the ice', mode: 'vector', limit: 1 });
    expect(page).toMatchObject({ total: 200, has_more: true });
    expect((await search.search(person('eve'), { query: 'penguins', mode: 'vector' })).total).toBe(0);
  });

  test('filters apply inside the vector search', async () => {
    const request: SearchRequest = { query: 'penguins', mode: 'vector', filters: { kind: ['paper', 'thing'] } };
    expect((await ids(search, request)).toSorted()).toEqual(['chairs', 'invoice']);
    expect(await ids(search, { ...request, filters: { kind: 'none' } })).toEqual([]);
  });

  test('hybrid search treats vectors of hashing as words, not as meaning', async () => {
    const results = await search.search(anna, { query: 'penguins', mode: 'hybrid' });
    expect(results.documents.map(({ id }) => id).toSorted()).toEqual(['ice', 'plain']);
    expect(results.total).toBe(2);
  });

  test('passages of facts raise their records, also those that share no word with the query, but only readable ones', async () => {
    const passage = (documentId: string, text: string) => {
      const fact = { graph_id: 'g', passage: text, nodes: [{ id: 'n', label: 'Thing' }] };
      return { documentId, text, fact };
    };
    const passages = [
      passage('chairs', 'tables and chairs'),
      passage('hidden-3', 'penguins on the ice'),
      passage('nobody', 'penguins on the ice'),
      passage('missing', 'x'),
    ];
    const request = { query: 'penguins walk on the ice', mode: 'hybrid' as const };
    expect(await ids(search, request)).not.toContain('chairs');
    const { documents } = await search.search(anna, { ...request, passages });
    expect(
      documents
        .map(({ id }) => id)
        .slice(0, 2)
        .toSorted(),
    ).toEqual(['chairs', 'ice']);
    expect(documents.map(({ id }) => id).join()).not.toMatch(/hidden|nobody/);
    expect(documents.flatMap(({ id, facts }) => (facts ? [[id, facts]] : []))).toEqual([
      ['chairs', [{ graph_id: 'g', passage: 'tables and chairs', nodes: [{ id: 'n', label: 'Thing' }] }]],
    ]);
    const filters = { 'metadata.kind': 'bird' };
    expect(await ids(search, { ...request, passages, filters })).toEqual(['ice']);
  });

  test.each(['vector', 'hybrid'] as const)('pages of %s do not overlap and cover everything', async (mode) => {
    const all = await ids(search, { query: 'penguins', mode }, bert);
    const pages = [];
    for (let offset = 0; offset < 200; offset += 50)
      pages.push(...(await ids(search, { query: 'penguins', mode, limit: 50, offset }, bert)));
    expect(pages.slice(0, all.length)).toEqual(all);
    expect(new Set(pages).size).toBe(200);
  });

  test.each<[SearchRequest, string]>([
    [{ mode: 'vector' }, 'query'],
    [{ mode: 'hybrid', query: '  ' }, 'query'],
    [{ mode: 'vector', query: 'x', sort: [{ id: 'asc' }] }, 'sort'],
    [{ mode: 'vector', query: 'x', offset: 1_000 }, 'offset'],
    [{ mode: 'hybrid', query: 'x', filters: { allowed_users: 'bert' } }, 'filters.allowed_users'],
    [{ mode: 'vector', query: 'x', embedding: { type: 'local_api', model_id: 'other' } }, 'embedding'],
  ])('%j is a VALIDATION_ERROR that names %s', async (request, name) => {
    await expect(search.search(anna, request)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { target: { name } },
    });
  });

  test('highlights are escaped passages, in every mode', async () => {
    for (const mode of ['text', 'vector', 'hybrid'] as const) {
      const { documents } = await search.search(anna, { query: 'invoice', mode, highlight: true });
      const document = documents.find(({ id }) => id === 'invoice');
      expect(document?.highlights).toEqual({ content: ['the <em>invoice</em> of march &lt;b&gt;&amp;'] });
    }
    expect((await search.search(anna, { query: 'invoice' })).documents[0]).not.toHaveProperty('highlights');
    expect((await search.search(anna, { highlight: true })).documents[0]?.highlights).toEqual({});
  });

  test('the position of a hit is reported on request, if known', async () => {
    const { documents } = await search.search(anna, { query: 'penguins', mode: 'hybrid', provenance: true });
    const getPlace = (id: string) => documents.find((document) => document.id === id)?.provenance;
    expect(getPlace('ice')).toEqual({
      document_id: 'd',
      pages: [3],
      boxes: [{ page: 3, bbox: [1, 2, 30, 40.5] }],
    });
    expect(getPlace('plain')).toEqual({ pages: [], boxes: [] });
  });
});

test.each(['l2', 'cosinesimil', 'innerproduct'])(
  'comparing every vector gives the records and scores of the graph, without records that have no vector: %s',
  async (space) => {
    const indexSpec = spec(`compared-${space}`, dimension);
    const { name } = indexSpec;
    const search = createSearch({ ...config, SEARCH_DEFAULT_INDEX: `${name}-read` });
    open.push(search);
    await search.ensureIndex({ ...indexSpec, spaceType: space }, undefined, never);
    const records = ['penguins on the ice', 'the invoice of march', 'tables and chairs'].map((text) =>
      embedded(text, text),
    );
    await search.bulkIndex(name, [...records, record('plain', { content: 'no vector' })], undefined, never);
    await search.refresh(name);
    const group = { indexes: [name], embedding: hashing, dimension, space, isComparable: true };
    const nearness = {
      vector: hashText('penguins and the invoice', dimension),
      depth: 10,
      filter: [{ terms: { allowed_users: ['anna'] } }],
    };
    const [graph, compared] = await Promise.all(
      [buildGraphQuery, buildComparison].map(async (build) => {
        const found = await raw<Hits>('POST', `/${name}/_search`, build(group, nearness));
        return found.hits.hits.map(({ _id, _score }) => [_id, Number(_score).toFixed(5)]);
      }),
    );
    expect(graph).toHaveLength(records.length);
    expect(compared).toEqual(graph);
  },
);

describe('embedders of indexes', () => {
  test('the mapping records the embedder; another embedder cannot write to it', async () => {
    const search = await getLibrary([{ embedding: hashing, records: [] }]);
    const name = `modes-${count}-0-${mark}`;
    const mapped = await raw<Record<string, { mappings: { _meta: unknown } }>>('GET', `/${name}/_mapping`);
    expect(mapped[name]?.mappings._meta).toMatchObject({ embedding: hashing });
    const other = { ...spec(`modes-${count}-0`, dimension), embedding: { type: 'local_api', model_id: 'm' } };
    await expect(search.ensureIndex(other, undefined, never)).rejects.toMatchObject({
      code: 'SEARCH_INDEX_ERROR',
      message: expect.stringMatching(/embedder hashing.*local_api \(m\)/),
    });
  });

  test('an unknown embedder is rejected until the request names it; an index that the user cannot see does not matter', async () => {
    const search = await getLibrary([
      { embedding: hashing, records: [embedded('known', 'penguins')] },
      { records: [embedded('unknown', 'penguins on ice', { allowed_users: ['bert'] })] },
      { embedding: hashing, vectorDimension: 32, records: [record('short', { embedding: hashText('penguins', 32) })] },
    ]);
    expect((await ids(search, { query: 'penguins', mode: 'vector' })).toSorted()).toEqual(['known', 'short']);
    await expect(search.search(bert, { query: 'penguins', mode: 'vector' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('does not record'),
    });
    expect(await search.search(bert, { query: 'penguins', mode: 'hybrid' })).toMatchObject({
      documents: [{ id: 'unknown' }],
      warnings: [expect.stringMatching(/left out.*does not record/)],
    });
    const named = { query: 'penguins', mode: 'vector' as const, embedding: { type: 'hashing' as const } };
    expect(await ids(search, named, bert)).toEqual(['unknown']);
  });

  test('without vectors the mode vector is rejected, and hybrid finds words; an empty library finds nothing', async () => {
    const search = await getLibrary([{ vectorDimension: 0, records: [record('a', { content: 'penguins' })] }]);
    await expect(search.search(anna, { query: 'penguins', mode: 'vector' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('holds vectors'),
    });
    expect(await ids(search, { query: 'penguins', mode: 'hybrid' })).toEqual(['a']);
    expect((await (await getLibrary([])).search(anna, { query: 'x', mode: 'vector' })).total).toBe(0);
  });
});

describe('a model behind a server', () => {
  let server: Server;
  let asked: unknown[] = [];
  let base = '';
  beforeAll(async () => {
    server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(parts).toString()) as { model: string; input: string[] };
        asked.push(body);
        response.statusCode = body.model === 'gone' ? 404 : 200;
        const embeddings = body.input.map((text) => hashText(text, dimension));
        const data = embeddings.map((embedding, index) => ({ index, embedding }));
        response.end(JSON.stringify({ embeddings, data }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const indexOf = (embedding: IndexEmbedding) => [{ embedding, records: [embedded('a', 'penguins')] }];

  test('embeds the query at the configured host', async () => {
    asked = [];
    const search = await getLibrary(indexOf({ type: 'local_api', model_id: 'm' }), { LOCALMODEL_HOST: base });
    expect(await ids(search, { query: 'penguins', mode: 'vector' })).toEqual(['a']);
    expect(asked).toEqual([{ model: 'm', input: ['penguins'] }]);
  });

  test('that is missing is 422, an unavailable host is an outage, a foreign host is not called', async () => {
    asked = [];
    const gone = await getLibrary(indexOf({ type: 'local_api', model_id: 'gone' }), { LOCALMODEL_HOST: base });
    await expect(gone.search(anna, { query: 'x', mode: 'vector' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const away = await getLibrary(indexOf({ type: 'local_api', model_id: 'm' }), {
      LOCALMODEL_HOST: 'http://127.0.0.1:2',
    });
    await expect(away.search(anna, { query: 'x', mode: 'vector' })).rejects.toMatchObject({
      code: 'LOCALMODEL_CONNECTION_FAILED',
    });
    asked = [];
    const embedding = { type: 'local_api', model_id: 'm', api_base: `${base}/v1` };
    const foreign = await getLibrary(indexOf(embedding), { LOCALMODEL_HOST: 'http://localhost:2' });
    await expect(foreign.search(anna, { query: 'penguins', mode: 'vector' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('DOCLOOM_SEARCH_EMBEDDERS'),
    });
    expect(await foreign.search(anna, { query: 'penguins', mode: 'hybrid' })).toMatchObject({
      documents: [{ id: 'a' }],
      warnings: [expect.stringContaining('DOCLOOM_SEARCH_EMBEDDERS')],
    });
    expect(asked).toEqual([]);
    const trusted = await getLibrary(indexOf(embedding), {
      DOCLOOM_ALLOWED_HOSTS: [new URL(base).host],
      DOCLOOM_SEARCH_EMBEDDERS: [new URL(base).host],
    });
    expect(await ids(trusted, { query: 'penguins', mode: 'vector' })).toEqual(['a']);
  });
});
