import { nearestName } from './nearest-name';

test.each([
  ['qeury', 'query'],
  ['Query', 'query'],
  ['limits', 'limit'],
  ['discription', 'description'],
  ['user', undefined],
  ['ofset', 'offset'],
  ['id', undefined],
  ['x'.repeat(1_000_000), undefined],
])('%.20s is probably %s', (given, meant) => {
  expect(nearestName(given, ['query', 'filters', 'limit', 'offset', 'description', 'sd'])).toBe(meant);
});
