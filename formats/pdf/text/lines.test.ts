import { cleanGlyphs, findMainRotation, turnGlyphs } from '../engine/characters';
import { describeFont, markFixedPitch } from '../engine/glyphs';
import type { Font, Glyph, RawPage } from '../geometry/page';
import { findListMark } from '../lists/lists';
import { buildLines } from './lines';

const roman: Font = { name: 'Times-Roman', bold: false, italic: false, mono: false };
const bold: Font = { name: 'Times-Bold', bold: true, italic: false, mono: false };

interface Setting {
  x: number;
  y: number;
  size?: number;
  font?: Font;
  step?: number;
  more?: Partial<Glyph>;
}

/** Glyphs of a text, each half as wide as its size; blanks become gaps. */
function set(text: string, { x, y, size = 10, font = roman, step = size / 2, more = {} }: Setting): Glyph[] {
  return Array.from(text).flatMap((letter, index) => {
    const l = x + index * step;
    const box = { l, r: l + Math.abs(step), b: y - 0.22 * size, t: y + 0.78 * size };
    return letter === '_'
      ? []
      : [{ text: letter, box, baseline: y, size, font, rotation: 0, invisible: false, ...more }];
  });
}

const page = (glyphs: Glyph[]): RawPage => ({
  pageNo: 1,
  width: 600,
  height: 800,
  glyphs,
  rules: [],
  fills: [],
  drawings: [],
  images: [],
  links: [],
});
const texts = (glyphs: Glyph[]) => buildLines(cleanGlyphs(page(glyphs))).map(({ text }) => text);

test('gaps separate words, wide gaps separate lines', () => {
  expect(texts(set('one_two____three', { x: 50, y: 700 }))).toEqual(['one two', 'three']);
});

test('pieces of a line that are drawn separately are joined from left to right', () => {
  expect(texts([...set('world', { x: 82, y: 700, font: bold }), ...set('hello', { x: 50, y: 700 })])).toEqual([
    'hello world',
  ]);
});

test('a raised number is a separate word of its line, and the line below does not join', () => {
  const note = set('2', { x: 70, y: 704, size: 6 });
  expect(texts([...set('area', { x: 50, y: 700 }), ...note, ...set('below', { x: 50, y: 688 })])).toEqual([
    'area 2',
    'below',
  ]);
  expect(buildLines([...set('area', { x: 50, y: 700 }), ...note])[0]!.words.at(-1)).toMatchObject({
    text: '2',
    raised: true,
  });
});

test('a sign drawn separately goes into the gap left for it', () => {
  expect(texts([...set('a_b', { x: 50, y: 700 }), ...set('*', { x: 55, y: 700 })])).toEqual(['a*b']);
});

test('a bullet belongs to its text despite the wide gap', () => {
  const [line] = buildLines([...set('•', { x: 50, y: 700 }), ...set('item', { x: 80, y: 700 })]);
  expect(line!.text).toBe('• item');
  expect(findListMark(line!)).toEqual({ marker: '•', enumerated: false, words: 1 });
});

test('right-to-left letters keep the file order', () => {
  expect(texts(set('שלום', { x: 200, y: 700, step: -5 }))).toEqual(['שלום']);
});

test('a lam-alef ligature, whose letters share a box, is put into logical order', () => {
  const [alef, lam] = [...set('ا', { x: 50, y: 700 }), ...set('ل', { x: 50, y: 700 })];
  expect(cleanGlyphs(page([alef!, lam!])).map(({ text }) => text)).toEqual(['ل', 'ا']);
});

test('a shadow is dropped, a doubled letter and a ligature are kept', () => {
  const word = set('all', { x: 50, y: 700, step: 3 });
  const shadow = word.map((glyph) => ({ ...glyph, box: { ...glyph.box, l: glyph.box.l + 0.3, r: glyph.box.r + 0.3 } }));
  expect(texts([...word, ...shadow])).toEqual(['all']);
  const [f] = set('f', { x: 50, y: 700 });
  expect(cleanGlyphs(page([f!, { ...f! }])).map(({ text }) => text)).toEqual(['f', 'f']);
});

test('invisible text is dropped unless the page has no other text', () => {
  const hidden = set('hidden', { x: 50, y: 700, more: { invisible: true } });
  expect(texts([...hidden, ...set('seen text', { x: 50, y: 600 })])).toEqual(['seen text']);
  expect(texts(hidden)).toEqual(['hidden']);
});

test('letters larger than the page are treated as damage and dropped', () => {
  const glyphs = [...set('Level', { x: 50, y: 700 }), ...set('x', { x: 60, y: 700, size: 1e9 })];
  expect(
    cleanGlyphs(page(glyphs))
      .map(({ text }) => text)
      .join(''),
  ).toBe('Level');
});

test('text outside the page is dropped', () => {
  expect(texts([...set('in', { x: 50, y: 700 }), ...set('out', { x: 650, y: 700 })])).toEqual(['in']);
});

test('quotes, dashes, ligatures and symbol bullets become plain', () => {
  expect(texts(set('“ﬁ–’\uf0b7', { x: 50, y: 700 }))).toEqual([`"fi-'·`]);
});

test('sideways text is made upright by turning the page', () => {
  const glyphs = set('up', { x: 50, y: 700, more: { rotation: 90 } });
  expect(findMainRotation(glyphs)).toBe(90);
  expect(turnGlyphs(glyphs, 90, { width: 600, height: 800 })[0]).toMatchObject({
    rotation: 0,
    box: { b: 545, t: 550 },
  });
});

test('the style is derived from the font name', () => {
  const none = { flags: 0, weight: 0, angled: false };
  expect(describeFont('ABCDEF+Arial-BoldItalicMT', none)).toEqual({
    name: 'Arial-BoldItalicMT',
    bold: true,
    italic: true,
    mono: false,
  });
  expect(describeFont('CMTT9', none)).toMatchObject({ mono: true, bold: false });
  expect(describeFont('Odd', { flags: 1, weight: 0, angled: true })).toMatchObject({ mono: true, italic: true });
});

test('a font whose narrow and wide letters have the same width is monospaced', () => {
  const font = { ...roman, name: 'Unnamed' };
  markFixedPitch(set('millwidths', { x: 50, y: 700, font }));
  expect(font.mono).toBe(true);
  const other = { ...roman };
  markFixedPitch([
    ...set('illwdths', { x: 50, y: 700, font: other }),
    ...set('m', { x: 90, y: 700, font: other, step: 9 }),
  ]);
  expect(other.mono).toBe(false);
});

test.each([
  ['1. first', '1.'],
  ['a) first', 'a)'],
  ['(iv) first', '(iv)'],
  ['- first', '-'],
  ['2030 was a good year', undefined],
  ['1.', undefined],
])('the list mark of %j is %j', (text, marker) => {
  const box = { l: 0, r: 1, b: 0, t: 1 };
  const words = text.split(' ').map((word) => ({ text: word, font: roman, box, size: 10, raised: false }));
  expect(findListMark({ words })?.marker).toBe(marker);
});

test('a narrow space after a comma or a lowered index separates words; a figure keeps its comma', () => {
  const after = (first: Glyph[], text: string, gap: number) => {
    const end = first.at(-1)!.box.r;
    return buildLines([...first, ...set(text, { x: end + gap, y: 700 })]).map((line) => line.text);
  };
  expect(after(set('2007,', { x: 50, y: 700 }), '3.6', 1.4)).toEqual(['2007, 3.6']);
  expect(after(set('2007,', { x: 50, y: 700 }), '360', 0.3)).toEqual(['2007,360']);
  expect(after(set('2007.', { x: 50, y: 700 }), '3.6', 1.4)).toEqual(['2007.3.6']);
  const index = [...set('BAF', { x: 50, y: 700 }), ...set('3', { x: 65, y: 698, size: 6 })];
  expect(after(index, 'or', 1.4)).toEqual(['BAF3 or']);
  expect(after(index, 'or', 0.5)).toEqual(['BAF3or']);
});
