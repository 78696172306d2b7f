import { toDocument } from './hits';
import type { SearchRequest } from './ports';
import { buildAccessRule, prepareSearch } from './request';
import { buildTextQuery } from './text-query';

const principals = ['g:login:staff', 'p:*', 'u:anna'];
const anna = { username: 'anna', email: '', full_name: '', groups: ['admins'], principals };
interface Built {
  bool: { must: unknown[]; filter: unknown[] };
}
const built = (request: SearchRequest) => prepareSearch(anna, request).query as unknown as Built;

describe('prepareSearch', () => {
  test('the access rule is the first filter of every query and names the principals of the user only', () => {
    for (const request of [{}, { query: 'x' }, { filters: { a: 1 } }, { query: 'x', sort: [{ a: 'asc' as const }] }]) {
      expect(built(request).bool.filter[0]).toEqual(buildAccessRule(anna));
      expect(JSON.stringify(built(request)).match(/allowed_users/g)).toHaveLength(1);
    }
    const isOutside = { bool: { must_not: [{ terms: { 'required_lists.principals': principals } }] } };
    expect(buildAccessRule(anna)).toEqual({
      bool: {
        should: [{ term: { allowed_users: { value: 'anna' } } }, { terms: { allowed_principals: principals } }],
        minimum_should_match: 1,
        must_not: [
          { terms: { denied_principals: principals } },
          { nested: { path: 'required_lists', ignore_unmapped: true, query: isOutside } },
        ],
      },
    });
  });

  test('while the groups are unknown, records with denials are excluded', () => {
    const text = JSON.stringify(buildAccessRule({ username: 'anna' }));
    expect(text).toContain('{"exists":{"field":"denied_principals"}}');
    expect(text).toContain('{"terms":{"allowed_principals":["u:anna","p:*"]}}');
  });

  test.each([
    'allowed_users',
    'allowed_principals',
    'denied_principals',
    'required_lists',
    'required_lists.principals',
  ])('no request can override %s', (field) => {
    for (const name of [field, `metadata.${field}`, field.toUpperCase(), `${field}.keyword`])
      expect(() => built({ filters: { [name]: 'g:login:staff' } })).toThrow(/access lists/);
  });

  test('full text is scored, filters are not', () => {
    const { bool } = built({ query: 'x', filters: { author: 'Ada' } });
    expect(bool.must).toHaveLength(1);
    expect(bool.filter).toHaveLength(2);
  });

  test.each<[Record<string, unknown>, unknown]>([
    [{ author: 'Ada L' }, { term: { 'metadata.author.keyword': { value: 'Ada L' } } }],
    [{ 'metadata.author': 'Ada L' }, { term: { 'metadata.author.keyword': { value: 'Ada L' } } }],
    [{ year: [2020, 2021] }, { terms: { 'metadata.year.keyword': ['2020', '2021'] } }],
    [{ flag: true }, { term: { 'metadata.flag.keyword': { value: 'true' } } }],
    [{ title: 'T' }, { term: { 'title.keyword': { value: 'T' } } }],
    [{ 'metadata.title': 'T' }, { term: { 'metadata.title.keyword': { value: 'T' } } }],
    [{ id: ['a'] }, { term: { id: { value: 'a' } } }],
    [{ author: [] }, { match_none: {} }],
    [{ allowed_users_count: 1 }, { term: { 'metadata.allowed_users_count.keyword': { value: '1' } } }],
    [{ toString: 'x' }, { term: { 'metadata.toString.keyword': { value: 'x' } } }],
    [{ embedding: 1 }, { term: { 'metadata.embedding.keyword': { value: '1' } } }],
    [
      { created_at: ['2024', '2024-02-29T10:00:00.123+01:00'] },
      {
        bool: {
          should: [
            { term: { created_at: { value: '2024' } } },
            { term: { created_at: { value: '2024-02-29T10:00:00.123+01:00' } } },
          ],
          minimum_should_match: 1,
        },
      },
    ],
  ])('the filter %j becomes %j', (filters, expected) => {
    expect(built({ filters }).bool.filter[1]).toEqual(expected);
  });

  test('defaults are 10 and 0, and the last page ends at 100,000', () => {
    expect(prepareSearch(anna, {})).toMatchObject({ limit: 10, offset: 0, sort: [] });
    expect(prepareSearch(anna, { limit: 100, offset: 99_900 })).toMatchObject({ limit: 100, offset: 99_900 });
    expect(() => prepareSearch(anna, { limit: 100, offset: 99_901 })).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', details: { target: { type: 'field', name: 'offset' } } }),
    );
  });

  test('too many filters, values and sorts are rejected', () => {
    const filters = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`f${index}`, 1]));
    expect(() => prepareSearch(anna, { filters })).toThrow(/at most 100/);
    expect(() => prepareSearch(anna, { filters: { a: Array.from({ length: 10_001 }, () => 1) } })).toThrow(
      /at most 10000/,
    );
    expect(() => prepareSearch(anna, { sort: Array.from({ length: 21 }, () => ({ a: 'asc' as const })) })).toThrow(
      /at most 20/,
    );
    expect(() => prepareSearch(anna, { filters: { ['n'.repeat(513)]: 1 } })).toThrow(/1 to 512 characters/);
  });
});

const getQuery = (question: string, languages?: readonly string[]) =>
  JSON.stringify(buildTextQuery(question, languages ? { languages } : {}));

test('the words of a question count half in texts of other languages', () => {
  const query = getQuery('Wie hoch sind die Gebühren für den Hafen?');
  expect(query).toContain('"fields":["words.*^0.5","words.de^2","titles.*^0.175","titles.de^2"]');
});

test.each(['tide gauge', 'die casting', 'the who'])(
  'without a recognized language, all languages count alike: %s',
  (query) => {
    expect(getQuery(query)).toContain('"fields":["words.*","titles.*^0.35"]');
  },
);

const getFields = (query: string) =>
  [...query.matchAll(/"(?:fields":\[)?"?((?:words|titles)\.\w+)"/g)].map(([, field]) => field);

test('a question that is too long for one clause per word and language keeps all its words in its own language', () => {
  const long = `Wie hoch sind die Gebühren ${Array.from({ length: 200 }, (_, at) => `wort${at}`).join(' ')}`;
  const query = getQuery(long, ['de', 'en']);
  expect(getFields(query)).toEqual(['words.de', 'titles.de']);
  expect(query).toContain('"match":{"words.de":{"query":');
});

test('the parts of compounds count among the clauses of a question', () => {
  const languages = ['de', 'en', 'es', 'fr', 'it', 'nl'];
  const isReduced = (words: readonly string[]) => getQuery(words.join(' '), languages).includes('max_query_terms');
  const names = Array.from({ length: 36 }, (_, at) => `q${at}x`);
  // 36 words with 20 pairs have 888 clauses.
  expect(isReduced(names)).toBe(false);
  expect(isReduced([...names.slice(5), 'hafenamt', 'schulbuch', 'kranbahn', 'hundesteuer', 'brandschutz'])).toBe(true);
});

test('a long list of words without a language is reduced to fewer words the more languages there are', () => {
  const long = Array.from({ length: 400 }, (_, at) => `wort${at}`).join(' ');
  const listTerms = (languages: readonly string[]) =>
    [...getQuery(long, languages).matchAll(/"max_query_terms":(\d+)/g)].map(([, terms]) => Number(terms));
  expect(listTerms(['de', 'en'])).toEqual(Array.from({ length: 9 }, () => 60));
  const many = Array.from({ length: 29 }, (_, at) => `l${at}`);
  const terms = listTerms(many);
  expect(terms).toHaveLength(2 * 29 + 5);
  expect(terms.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(900);
});

const getContent = (highlight: Record<string, string[]>) =>
  toDocument({ _id: 'a', _index: 'i', _source: {}, highlight }, { highlight: true }).highlights?.['content'];

test('the passages with most marks are shown: of all forms of a word, or of a corrected typing error', () => {
  const [tides, gauges] = [
    ['<em>Tides</em> and the <em>tide</em>'],
    ['the <em>tide</em> <em>gauge</em> of <em>tides</em>'],
  ];
  expect(getContent({ content: ['the <em>tide</em>'], 'words.en': tides })).toEqual(tides);
  expect(getContent({ content: gauges, 'words.en': ['the <em>tide</em> gauge of <em>tides</em>'] })).toEqual(gauges);
  expect(getContent({ title: ['<em>Tides</em>'] })).toBeUndefined();
});

test('a passage begins with a word: the end of the sentence before it and the mark of a list item are left out', () => {
  expect(
    getContent({ content: ['. - The <em>tide</em> - and more.', '– the <em>tide</em>', '(3) -5 °C <em>tide</em>'] }),
  ).toEqual(['The <em>tide</em> - and more.', '– the <em>tide</em>', '(3) -5 °C <em>tide</em>']);
  const names = ['.NET and <em>tide</em>', '.<em>5</em> mm', ':root of <em>tide</em>'];
  expect(getContent({ content: names })).toEqual(names);
  // A passage of marks alone stays as it is.
  expect(getContent({ content: ['<em>-</em>'] })).toEqual(['<em>-</em>']);
});
