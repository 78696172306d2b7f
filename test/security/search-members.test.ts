import type { Search, SearchRequest } from '../../services/search/ports';
import { anna, cleanUp, library, person, record } from '../support/system/search-fixture';

/** No member of a search request reveals unreadable records: not by hits, counts, facets, neighbours or passages. */
let search: Search;
let index: string;
const secret = 'zyzzyva';
const chunk = (position: number, user: string, content: string) =>
  record(`d_${position}`, {
    document_id: 'd',
    title: '',
    content,
    job_id: `job-of-${user}`,
    allowed_users: [user],
    metadata: { document_id: 'd', chunk_index: position, kind: `kind-of-${user}`, level: position },
  });
beforeAll(async () => {
  ({ search, index } = await library([
    chunk(0, 'anna', 'an open text'),
    chunk(1, 'bert', `a text of the ${secret}`),
    chunk(2, 'anna', 'another open text'),
    chunk(3, 'bert', `a ${secret} again`),
  ]));
});
afterAll(async () => {
  await search.close();
  await cleanUp();
});

const shapes: [string, () => SearchRequest][] = [
  [
    'facets of everything',
    () => ({ facets: [{ field: 'kind' }, { field: 'job_id' }, { field: 'level' }, { field: 'id' }] }),
  ],
  ['facets of a query', () => ({ query: secret, facets: [{ field: 'kind' }] })],
  ['the index by name', () => ({ scope: { indexes: [index, '*', '_all'] } })],
  ['a job of another user', () => ({ scope: { jobs: [['job-of-bert', 'job-of-anna']] } })],
  ['the document', () => ({ scope: { documents: [['d']] }, group: true, expand: 5 })],
  ['groups', () => ({ query: 'text', group: true, highlight: true })],
  ['neighbours', () => ({ query: 'text', expand: 5, provenance: true })],
  ['a prefix', () => ({ filters: { content: { prefix: 'zyz' }, kind: { prefix: 'kind-of-b' } } })],
  ['a phrase', () => ({ filters: { content: { phrase: `the ${secret}` } } })],
  ['a range over everything', () => ({ filters: { level: { gte: 0 } } })],
  ['a negated condition', () => ({ filters: { kind: { not: 'kind-of-anna' } } })],
  ['what exists', () => ({ filters: { kind: { exists: true } }, mode: 'hybrid', query: secret })],
  [
    'boosts',
    () => ({ query: `text ${secret}`, boost: { fields: { kind: 20, content: 5 }, recency: { half_life_days: 1 } } }),
  ],
  ['an explanation', () => ({ query: `text ${secret}`, explain: true, highlight: true })],
  ['a long text', () => ({ query: `${'open text '.repeat(300)} ${secret}`, unlike: 'other' })],
];

test.each(shapes)('%s', async (_name, shape) => {
  const mine = await search.search(anna, { limit: 100, ...shape() });
  expect(JSON.stringify(mine)).not.toMatch(/zyzzyva|of-bert|d_1|d_3/);
  expect(mine.total).toBeLessThanOrEqual(2);
  for (const { group } of mine.documents) expect(group?.records ?? 1).toBeLessThanOrEqual(2);
  // The request does reach records of its reader.
  const stranger = await search.search(person('eve'), { limit: 100, ...shape() });
  expect([stranger.total, stranger.documents, stranger.facets?.flatMap(({ values }) => values) ?? []]).toEqual([
    0,
    [],
    [],
  ]);
});
