import { AppError } from '../../../model/errors';
import type { Embedder } from '../../embedding/embedder';
import { embedQuery, groupIndexes, type IndexMapping, type VectorGroup } from './vectors';

const signal = new AbortController().signal;
const index = (dimension: number, embedding?: unknown, engine = 'lucene'): IndexMapping => ({
  mappings: {
    ...(embedding === undefined ? {} : { _meta: { embedding } }),
    properties: { embedding: { dimension, method: { engine } } },
  },
});
const group = (vectorGroup: Partial<VectorGroup> = {}): VectorGroup => ({
  indexes: ['i'],
  embedding: { type: 'local_api', model_id: 'm' },
  dimension: 2,
  isComparable: true,
  ...vectorGroup,
});
const giving = (vector: number[], seen: unknown[] = []): Embedder => ({
  embed: async (_texts, config) => {
    seen.push(config);
    return [vector];
  },
});
const options = { mayAsk: () => true, signal };

describe('groupIndexes', () => {
  test('indexes of one embedder and dimension are one group, whichever host ran the model', () => {
    const { groups, left } = groupIndexes(
      {
        a: index(2, { type: 'local_api', model_id: 'm' }),
        b: index(2, { type: 'local_api', model_id: 'm', api_base: 'http://other/v1' }),
        c: index(2, { type: 'hashing' }),
        d: { mappings: { properties: {} } },
      },
      undefined,
      () => true,
    );
    expect(groups.map(({ indexes }) => indexes)).toEqual([['a', 'b'], ['c']]);
    expect(left).toEqual([]);
  });

  test.each([
    ['does not record its embedder', index(2)],
    ['records something that is not an embedder', index(2, { model_id: 3 })],
    ['has an engine that cannot filter', index(2, { type: 'hashing' }, 'nmslib')],
  ])('an index that %s is skipped, and the others are not', (_name, mapping) => {
    const { groups, left } = groupIndexes({ a: mapping, b: index(2, { type: 'hashing' }) }, undefined, () => true);
    expect(groups.map(({ indexes }) => indexes)).toEqual([['b']]);
    expect(left).toEqual([
      expect.objectContaining({ code: 'VALIDATION_ERROR', details: { target: { type: 'field', name: 'mode' } } }),
    ]);
  });

  test('vectors are compared one by one only if all indexes of the group score them as the graph does', () => {
    const isComparable = (...engines: string[]) =>
      groupIndexes(
        Object.fromEntries(engines.map((engine, position) => [position, index(2, { type: 'hashing' }, engine)])),
        undefined,
        () => true,
      ).groups.map((found) => found.isComparable);
    expect([isComparable('lucene'), isComparable('lucene', 'faiss'), isComparable('faiss')]).toEqual([
      [true],
      [false],
      [false],
    ]);
  });

  test('of several hosts with one model, an approved one is called, whatever its position', () => {
    const mine = { type: 'local_api', model_id: 'm' };
    const planted = { ...mine, api_base: 'http://evil/v1' };
    const [first, last] = [
      { a: index(2, planted), b: index(2, mine) },
      { a: index(2, mine), b: index(2, planted) },
    ].map((mappings) => groupIndexes(mappings, undefined, () => false).groups);
    expect(first).toEqual([{ indexes: ['a', 'b'], embedding: mine, dimension: 2, isComparable: true }]);
    expect(last).toEqual(first);
  });

  test('a requested embedder excludes other embedders but not unknown ones; aliases are resolved', () => {
    const { groups } = groupIndexes(
      { a: index(2, { type: 'local_api', model_id: 'm' }), b: index(3), c: index(2, { type: 'hashing' }) },
      { type: 'ollama', model_id: 'm' },
      () => true,
    );
    expect(groups.map(({ indexes, embedding }) => [indexes, embedding])).toEqual([
      [['a'], { type: 'local_api', model_id: 'm' }],
      [['b'], { type: 'local_api', model_id: 'm' }],
    ]);
  });
});

describe('embedQuery', () => {
  test('sends one short request with the settings of the index', async () => {
    const seen: unknown[] = [];
    expect(await embedQuery('q', group(), giving([1, 2], seen), options)).toEqual([1, 2]);
    expect(seen).toEqual([
      { type: 'local_api', purpose: 'query', provider_config: { model_id: 'm', timeout: 5, max_retries: 0 } },
    ]);
  });

  test('a host that the operator did not approve is not called', async () => {
    const embedding = { type: 'local_api', model_id: 'm', api_base: 'https://evil.example/v1' };
    const mayAsk = () => false;
    await expect(embedQuery('q', group({ embedding }), giving([1, 2]), { mayAsk, signal })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('DOCLOOM_SEARCH_EMBEDDERS'),
    });
  });

  test('a missing model is an error of the request, an unavailable host is an outage', async () => {
    const failing = (code: 'LOCALMODEL_MODEL_NOT_FOUND' | 'LOCALMODEL_CONNECTION_FAILED'): Embedder => ({
      embed: () => Promise.reject(new AppError(code, 'said so.')),
    });
    await expect(embedQuery('q', group(), failing('LOCALMODEL_MODEL_NOT_FOUND'), options)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'The embedder local_api (m) is not available to searches: said so. Use the mode text.',
    });
    await expect(embedQuery('q', group(), failing('LOCALMODEL_CONNECTION_FAILED'), options)).rejects.toMatchObject({
      code: 'LOCALMODEL_CONNECTION_FAILED',
    });
  });

  test('a vector of a different length is rejected', async () => {
    await expect(embedQuery('q', group(), giving([1, 2, 3]), options)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/3 dimensions.*vectors of 2/),
    });
  });
});
