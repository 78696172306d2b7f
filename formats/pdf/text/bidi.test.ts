import type { Glyph } from '../geometry/page';
import { readRightToLeft } from './bidi';
import { buildLines } from './lines';

const font = { name: 'Nazli', bold: false, italic: false, mono: false };

/** A line as displayed from the left, each sign 5 points wide; `order` gives the file order of the pieces. */
function seen(line: string, order: (glyphs: Glyph[]) => Glyph[] = (glyphs) => glyphs.toReversed()): Glyph[] {
  return order(
    Array.from(line).map((text, index) => {
      const box = { l: 50 + 5 * index, r: 55 + 5 * index, b: 98, t: 108 };
      return { text, box, baseline: 100, size: 10, font, rotation: 0, invisible: false };
    }),
  );
}
const getText = (glyphs: Glyph[]) =>
  readRightToLeft(glyphs)
    .map(({ text }) => text)
    .join('');

test('left-to-right words in right-to-left text read from the left, regardless of file order', () => {
  const expected = 'שפת Guido van Rossum היא';
  const line = 'איה Guido van Rossum תפש';
  expect(getText(seen(line))).toBe(expected);
  expect(
    getText(seen(line, (glyphs) => [...glyphs.slice(4, 9), ...glyphs.slice(9).toReversed(), ...glyphs.slice(0, 4)])),
  ).toBe(expected);
});

test('numbers keep their digits and the signs between them; a full stop is not part of the number', () => {
  expect(getText(seen('.2024 תנשב 12/05/2024 דע 3.5'))).toBe('3.5 עד 12/05/2024 בשנת 2024.');
  expect(getText(seen('5% מכ'))).toBe('כמ 5%');
  expect(getText(seen('49-55 ח'))).toBe('ח 49-55');
});

test('a word and the number after it are one stretch, a separate number before it is not part of it', () => {
  expect(getText(seen('Python 3 תפש'))).toBe('שפת Python 3');
  expect(getText(seen('3 Python תפש'))).toBe('שפת Python 3');
});

test('brackets open before they close, whichever form the file stores', () => {
  expect(getText(seen('(Data Analysis) חותינ'))).toBe('ניתוח (Data Analysis)');
  expect(getText(seen(')Data Analysis( חותינ'))).toBe('ניתוח (Data Analysis)');
});

test('a gap between two left-to-right words is kept even if no space is printed there', () => {
  const glyphs = seen('Data Analysis חותינ').filter(({ text }) => text !== ' ');
  expect(buildLines(glyphs).map(({ text }) => text)).toEqual(['ניתוח Data Analysis']);
});

test('a mark stays with its letter, and a trailing space comes after the letter', () => {
  const [first, second] = seen('בד') as [Glyph, Glyph];
  const mark = { ...first, text: '\u05b8', box: { ...first.box, l: first.box.l + 1 } };
  const blank = { ...second, text: ' ', box: { ...second.box, r: second.box.l + 3 } };
  expect(getText([first, mark, second, blank])).toBe('ד\u05b8ב ');
});

test('a line mostly in another script keeps its order', () => {
  const words = seen('the word שלום means peace', (glyphs) => glyphs);
  expect(getText(words)).toBe('the word שלום means peace');
});
