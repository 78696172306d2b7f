import { toCsvCell } from './csv-cell';

test.each([
  ['=1', "'=1"],
  ['a;=1', "a;'=1"],
  ['a\t\t=1', "a\t'\t'=1"],
  ['\t=1', "'\t=1"],
  ['\t\t=1', "'\t\t'=1"],
  ['a;;=1;b; -2', "a;;'=1;b;' -2"],
  ['a\t=\t=1', "a\t'=\t'=1"],
  ['a; b', 'a; b'],
])('%j becomes %j', (text, cell) => {
  expect(toCsvCell(text)).toBe(cell);
});

test.each(['\t', ';\t', '; '])('a long text of %j takes little time', (blanks) => {
  const text = `a;${blanks.repeat(200_000)}b`;
  const startedAt = performance.now();
  expect(toCsvCell(text)).toBe(text);
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
