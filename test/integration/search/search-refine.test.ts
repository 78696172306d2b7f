import { hashText } from '../../../services/embedding/hashing';
import type { IndexRecord, Search, SearchRequest } from '../../../services/search/ports';
import { createSearch } from '../../../services/search/search';
import {
  anna,
  cleanUp,
  config,
  ids,
  mark,
  never,
  person,
  record,
  remember,
  spec,
} from '../../support/system/search-fixture';

/** Conditions, facets, places, groups and neighbours of a search, each under the access rule. */
const bert = person('bert');
const dimension = 64;
const alias = `refine-${mark}`;
let search: Search;

const chunk = (
  id: string,
  document: string,
  position: number,
  indexRecord: Partial<IndexRecord> = {},
): IndexRecord => ({
  ...record(id, { document_id: document, title: `Report ${document}`, ...indexRecord }),
  content: indexRecord.content ?? `penguins part ${position}`,
  embedding: hashText(indexRecord.content ?? `penguins part ${position}`, dimension),
  metadata: { document_id: document, chunk_index: position, ...indexRecord.metadata },
});

beforeAll(async () => {
  search = createSearch({ ...config, SEARCH_DEFAULT_INDEX: alias });
  const fields = { total: 'number', due: 'date' } as const;
  for (const [name, records] of Object.entries({
    first: [
      ...[0, 1, 2, 3].map((position) =>
        chunk(`one-${position}`, 'one', position, {
          created_at: '2024-03-05T10:00:00Z',
          metadata: { kind: 'bird', total: 9, due: '2024-02-28', code: 'AB-100' },
        }),
      ),
      chunk('one-4', 'one', 4, {
        allowed_users: ['bert'],
        metadata: { kind: 'hidden', total: 1_000, code: 'AB-secret' },
      }),
      chunk('two-0', 'two', 0, {
        content: 'the penguins walk on the quiet ice',
        job_id: 'other-job',
        created_at: '2025-01-01T00:00:00Z',
        metadata: { kind: 'fish', total: 100, due: '2024-11-02', code: 'ab-200' },
      }),
    ],
    second: [
      chunk('three-0', 'three', 0, { content: 'penguins sleep', metadata: { kind: 'bird', total: 25, code: 'CD-1' } }),
    ],
  })) {
    const indexSpec = spec(`refine-${name}`, dimension);
    await search.ensureIndex(
      { ...indexSpec, spaceType: 'cosinesimil', embedding: { type: 'hashing', dimensions: dimension }, fields },
      undefined,
      never,
    );
    await search.bulkIndex(indexSpec.name, records, undefined, never);
    await search.refresh(indexSpec.name);
  }
});
afterAll(async () => {
  await search?.close();
  await cleanUp();
});
const found = async (request: SearchRequest, user = anna) =>
  (await ids(search, { limit: 100, ...request }, user)).toSorted();

describe('conditions of filters', () => {
  test.each<[string, unknown, string[]]>([
    ['total', { gte: 25, lt: 1_000 }, ['three-0', 'two-0']],
    ['total', { gt: 25 }, ['two-0']],
    ['total', { lt: 10 }, ['one-0', 'one-1', 'one-2', 'one-3']],
    ['due', { gte: '2024-03' }, ['two-0']],
    ['created_at', { gte: '2025-01-01' }, ['two-0']],
    ['created_at', { lt: '2024-04-01T00:00:00Z' }, ['one-0', 'one-1', 'one-2', 'one-3']],
    ['code', { prefix: 'ab-2' }, ['two-0']],
    ['code', { gte: 'CD' }, ['three-0', 'two-0']],
    ['content', { phrase: 'quiet ice' }, ['two-0']],
    ['content', { phrase: 'ice quiet' }, []],
    ['content', { prefix: 'penguins sle' }, ['three-0']],
    ['title', { prefix: 'report thr' }, ['three-0']],
    ['kind', { not: ['bird'] }, ['two-0']],
    ['due', { exists: false }, ['three-0']],
    ['due', { exists: true, lt: '2024-06-01' }, ['one-0', 'one-1', 'one-2', 'one-3']],
  ])('%s %j', async (field, condition, expected) => {
    expect(await found({ filters: { [field]: condition } })).toEqual(expected);
    const ranked = await found({ query: 'penguins', mode: 'vector', filters: { [field]: condition } });
    expect(ranked).toEqual(expected);
  });

  test.each<[string, unknown]>([
    ['allowed_users', { prefix: 'b' }],
    ['metadata.allowed_users', { exists: true }],
    ['kind', { gt: 3 }],
    ['kind', { like: 'x' }],
    ['kind', {}],
    ['kind', { prefix: '' }],
    ['kind', { gt: null }],
    ['created_at', { gte: 'yesterday' }],
    ['created_at', { prefix: '2024' }],
    ['due', { gte: 'soon' }],
    ['total', { gte: 'many' }],
    ['content', { gte: 'a' }],
  ])('%s %j is a VALIDATION_ERROR', async (field, condition) => {
    await expect(search.search(anna, { filters: { [field]: condition } })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { target: { name: `filters.${field}` } },
    });
  });
});

describe('facets', () => {
  test.each(['text', 'vector', 'hybrid'] as const)('count readable documents, in the mode %s', async (mode) => {
    const facets = [{ field: 'kind' }, { field: 'created_at', interval: 'year' as const }, { field: 'code', limit: 1 }];
    const reply = await search.search(anna, { query: 'penguins', mode, facets, limit: 1 });
    expect(reply.facets).toEqual([
      {
        field: 'kind',
        values: [
          { value: 'bird', count: 5 },
          { value: 'fish', count: 1 },
        ],
        other: 0,
      },
      {
        field: 'created_at',
        values: [
          { value: '2025-01-01', count: 1 },
          { value: '2024-01-01', count: 5 },
        ],
        other: 0,
      },
      { field: 'code', values: [{ value: 'AB-100', count: 4 }], other: 2 },
    ]);
    const own = await search.search(bert, { query: 'penguins', mode, facets: [{ field: 'kind' }] });
    expect(own.facets).toEqual([{ field: 'kind', values: [{ value: 'hidden', count: 1 }], other: 0 }]);
    expect((await search.search(anna, { query: 'penguins', mode })).facets).toBeUndefined();
  });

  test.each(['allowed_users', 'metadata.allowed_users.keyword', 'content', ' '])(
    'of %j are rejected',
    async (field) => {
      await expect(search.search(anna, { facets: [{ field }] })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    },
  );
});

describe('places', () => {
  test('an index by name or alias, jobs and documents; all restrictions apply', async () => {
    const name = `refine-second-${mark}`;
    await search.pointAlias(remember(`current-${mark}`), name);
    expect(await found({ scope: { indexes: [name] } })).toEqual(['three-0']);
    expect(await found({ scope: { indexes: [`current-${mark}`] } })).toEqual(['three-0']);
    expect(await found({ scope: { indexes: ['absent', name.slice(0, -1)] } })).toEqual([]);
    expect((await found({ scope: { indexes: [alias] } })).length).toBe(6);
    expect(await found({ scope: { jobs: [['other-job']] }, query: 'penguins', mode: 'hybrid' })).toEqual(['two-0']);
    expect(await found({ scope: { jobs: [['other-job'], ['job']] } })).toEqual([]);
    expect(await found({ scope: { documents: [['two', 'three']] } })).toEqual(['three-0', 'two-0']);
    expect(await found({ scope: { documents: [[]] } })).toEqual([]);
    expect(await found({ scope: { jobs: [['other-job']] } }, bert)).toEqual([]);
  });

  test('the records of a document can be excluded', async () => {
    expect(await found({ query: 'penguins', unlike: 'one' })).toEqual(['three-0', 'two-0']);
  });
});

describe('groups and neighbours', () => {
  test.each(['text', 'vector', 'hybrid'] as const)('each document once, in the mode %s', async (mode) => {
    const page = (offset: number) => search.search(anna, { query: 'penguins', mode, group: true, limit: 2, offset });
    const [first, second] = [await page(0), await page(2)];
    expect([first.total, first.has_more, second.has_more]).toEqual([6, true, false]);
    const groups = [...first.documents, ...second.documents].map(({ group }) => group);
    expect(
      groups.toSorted((group, other) => ((group?.document_id ?? '') < (other?.document_id ?? '') ? -1 : 1)),
    ).toEqual([
      { document_id: 'one', records: 4 },
      { document_id: 'three', records: 1 },
      { document_id: 'two', records: 1 },
    ]);
  });

  test.each(['text', 'vector'] as const)('neighbours that the user may read, in the mode %s', async (mode) => {
    const request = { query: 'part 3', mode, expand: 2, filters: { chunk_index: 3 } };
    const { documents } = await search.search(anna, request);
    expect(documents.map(({ id, neighbours }) => [id, neighbours])).toEqual([
      [
        'one-3',
        {
          before: [
            { id: 'one-1', content: 'penguins part 1', chunk_index: 1 },
            { id: 'one-2', content: 'penguins part 2', chunk_index: 2 },
          ],
          after: [],
        },
      ],
    ]);
  });

  test('groups end where pages by offset end', async () => {
    await expect(search.search(anna, { group: true, offset: 10_000 })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect((await search.search(anna, { group: true, limit: 3 })).has_more).toBe(false);
  });
});
