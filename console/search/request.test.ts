import { buildRequest, buildQuery, readRanking, toggleFilter } from './request';

test('an address defines a search: filters of one field are alternatives, dates a range', () => {
  const place = new URLSearchParams(
    'q=tide&f=metadata.language:en&f=metadata.language:de&f=metadata.library:A:B&from=2025-01-01&to=2025-12-31&group=1',
  );
  expect(buildRequest(place)).toEqual({
    query: 'tide',
    filters: {
      'metadata.language': ['en', 'de'],
      'metadata.library': ['A:B'],
      created_at: { gte: '2025-01-01', lte: '2025-12-31T23:59:59.999Z' },
    },
    group: true,
  });
});

test('words in quotation marks must occur in that order', () => {
  expect(buildRequest(new URLSearchParams('q=tide "zero point"'))).toEqual({
    query: 'tide  zero point',
    filters: { content: { phrase: 'zero point' } },
  });
});

test('a search for similar records has no query text', () => {
  expect(buildRequest(new URLSearchParams('like=r1&q=tide'))).toEqual({ like: 'r1' });
});

test('the form keeps filters and omits empty and default values', () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ q: 'a b', mode: 'text', from: '', flow: 'f1' })) form.set(name, value);
  expect(buildQuery(form, new URLSearchParams('f=x:1&like=r1')).toString()).toBe('q=a+b&flow=f1&f=x%3A1');
});

test('an active filter is toggled off', () => {
  const on = toggleFilter(new URLSearchParams('q=a'), 'x:1');
  expect(on.getAll('f')).toEqual(['x:1']);
  expect(toggleFilter(on, 'x:1').has('f')).toBe(false);
});

test('a model orders the hits of a query or of a similar record in any ranking, but not a list without either', () => {
  const rank = (place: string, mode: Parameters<typeof readRanking>[0]) =>
    readRanking(mode, new URLSearchParams(place));
  expect(rank('q=tide&rerank=1', 'text')).toEqual({ rerank: true });
  expect(rank('q=tide&rerank=1&graph=g', 'graph')).toEqual({ mode: 'graph', graph: 'g', rerank: true });
  expect(rank('like=r1&rerank=1', 'vector')).toEqual({ mode: 'vector', rerank: true });
  for (const place of ['rerank=1', 'q=%22%22&rerank=1', 'q=tide']) expect(rank(place, 'text')).toEqual({});
});
