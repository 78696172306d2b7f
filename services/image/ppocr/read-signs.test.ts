import { listAllowedClasses, readSigns } from './read-signs';

const signs = ['blank', 'a', 'b', '一', ' '];
const all = listAllowedClasses(signs, true);

/** The steps of these classes, each with a probability of 0.9; `second` is the next likely class. */
function say(ids: readonly number[], second = 0) {
  const values = ids.flatMap((id) => signs.map((_, other) => (other === id ? 0.9 : other === second ? 0.08 : 0.01)));
  return { values, steps: ids.length, classes: signs.length };
}

test('repeated classes are one sign, and the blank divides two equal signs', () => {
  const read = readSigns(say([1, 1, 0, 1, 4, 2, 2, 2]), signs, all);
  expect(read.map(({ text }) => text).join('')).toBe('aa b');
  expect(read.map(({ at }) => at)).toEqual([1 / 8, 3.5 / 8, 4.5 / 8, 6.5 / 8]);
  expect(read.every(({ confidence }) => confidence === 0.9)).toBe(true);
});

test('nothing is read from blanks, or from no steps', () => {
  expect(readSigns(say([0, 0, 0]), signs, all)).toEqual([]);
  expect(readSigns(say([]), signs, all)).toEqual([]);
});

test('without ideographs, the next likely sign is read, with its own confidence', () => {
  const latin = listAllowedClasses(signs, false);
  expect(readSigns(say([3], 2), signs, all).map(({ text }) => text)).toEqual(['一']);
  expect(readSigns(say([3], 2), signs, latin)).toEqual([{ text: 'b', confidence: 0.08, at: 0.5, space: 0.01 }]);
});

test('the probability of a space between two signs is kept, also if another class was likelier', () => {
  const read = readSigns(say([1, 0, 2, 2, 1], 4), signs, all);
  expect(read.map(({ space }) => space)).toEqual([0.08, 0.08, 0.08]);
  const certain = readSigns(say([1, 4, 2]), signs, all);
  expect(certain.map(({ text, space }) => [text, space])).toEqual([
    ['a', 0.01],
    [' ', 0.9],
    ['b', 0.01],
  ]);
});
