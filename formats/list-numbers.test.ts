import { formatCount } from './list-numbers';

test.each([
  [28, 'lowerLetter', 'bb'],
  [3, 'upperLetter', 'C'],
  [4, 'lowerRoman', 'iv'],
  [1990, 'upperRoman', 'MCMXC'],
  [7, 'decimalZero', '07'],
  [21, 'ordinal', '21st'],
  [112, 'ordinal', '112th'],
  [0, 'upperRoman', '0'],
  [5, 'hindiConsonants', '5'],
])('the count %d as %s is %s', (count, format, expected) => {
  expect(formatCount(count, format)).toBe(expected);
});
