import { suggestName, findNearestName } from './nearest-name';

test.each([
  ['qeury', 'query'],
  ['Query', 'query'],
  ['limits', 'limit'],
  ['discription', 'description'],
  ['user', undefined],
  ['ofset', 'offset'],
  ['id', undefined],
  ['x'.repeat(1_000_000), undefined],
])('%.20s is probably %s', (value, meant) => {
  expect(findNearestName(value, ['query', 'filters', 'limit', 'offset', 'description', 'sd'])).toBe(meant);
});

const operators = ['ingest_source', 'extract_operator', 'chunker', 'embeddings', 'noop', 'merge'];
test.each([
  ['chunk', 'chunker'],
  ['Chunker', 'chunker'],
  ['chunkers', 'chunker'],
  ['chunker_operator', 'chunker'],
  ['embedding', 'embeddings'],
  ['extract', 'extract_operator'],
  ['ingest', 'ingest_source'],
  ['mrege', 'merge'],
])('among operators, %s is probably %s', (value, meant) => {
  expect(suggestName(value, operators)).toBe(` (did you mean '${meant}'?).`);
});
test('where no name is near, all are listed, at most fifty', () => {
  expect(suggestName('toString', operators)).toBe(`; there are: ${operators.join(', ')}.`);
  const many = Array.from({ length: 60 }, (_, index) => `name-${index}`);
  expect(suggestName('other', many, 'it has')).toBe(`; it has: ${many.slice(0, 50).join(', ')}.`);
});
