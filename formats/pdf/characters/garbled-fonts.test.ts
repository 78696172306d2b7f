import type { Font, Glyph } from '../geometry/page';
import { findGarbledFonts, readInGlyphOrder } from './garbled-fonts';

const createFont = (name: string): Font => ({ name, bold: false, italic: false, mono: false });

/** The signs of a text in one line, by their codes. */
const lineUp = (text: string, font: Font, step = 5): Glyph[] =>
  Array.from(text, (sign, index) => ({
    text: sign,
    box: { l: index * step, r: index * step + 5, b: 100, t: 110 },
    baseline: 102,
    size: 10,
    font,
    rotation: 0,
    invisible: false,
  }));

/** The codes of a text by the standard order of glyphs in TrueType fonts. */
const number = (text: string) => Array.from(text, (sign) => String.fromCharCode(sign.charCodeAt(0) - 29)).join('');

test('codes that are the numbers of glyphs are read in the order of TrueType fonts', () => {
  const font = createFont('Arial');
  expect(findGarbledFonts(lineUp(number('The harbour office, berth 12'), font))).toEqual(
    new Map([[font, 'glyph order']]),
  );
  expect(readInGlyphOrder(number('T'))).toBe('T');
  expect(['\u0003', 'b', 'p', '²', 'ã'].map(readInGlyphOrder)).toEqual([' ', 'Ä', 'é', '–', 'ł']);
  expect(['\u0001', '\u0108'].map(readInGlyphOrder)).toEqual(['\ufffd', '\ufffd']);
});

test('other control codes, and private codes, make the whole font unreadable', () => {
  const [mixed, own] = [createFont('T1163'), createFont('Subset')];
  const found = findGarbledFonts([
    ...lineUp(',\u0019\u000f-\u000e\u0017\u0017\u0018\u0014\u001c./\u0013', mixed),
    ...lineUp('\ue001\ue002\ue003\ue004\ue005\ue006\ue007\ue008', own),
  ]);
  expect(found).toEqual(
    new Map([
      [mixed, 'unreadable'],
      [own, 'unreadable'],
    ]),
  );
});

test('bullets, symbols, formulas and ligatures of nameless fonts are no garbled text', () => {
  const bullets = lineUp('\ue0a1'.repeat(20), createFont('Icons'));
  const symbols = lineUp('\u0001\u0002\u0003\u0004\u0005\u0006\u0007\u0008\u000e', createFont('Wingdings'));
  const formula = lineUp('\u0001\u0002\u0003\u0004\u0005\u0006\u0007\u0008\u000e', createFont('CMMI10'));
  const nameless = lineUp('the \u000e rst o\u000ece of the \u000frm is in the \u001elm', createFont(''));
  expect(findGarbledFonts([...bullets, ...symbols, ...formula, ...nameless]).size).toBe(0);
});

test('a font without a name whose codes count the letters in order of use is unreadable, though many look like letters', () => {
  const font = createFont('');
  const codes = '\u0001\u0002\u0003\u0004\u0005\u0006\u0007\u0008\u0002\u0004 ABCDEFGHIJKLM';
  expect(findGarbledFonts(lineUp(codes, font))).toEqual(new Map([[font, 'unreadable']]));
});

test('codes of a font without any map that look like letters are read in the order of glyphs if that makes words', () => {
  const coded = { ...createFont('Verdana'), isCoded: true };
  const kind = (text: string, font: Font) => findGarbledFonts(lineUp(text, font)).get(font);
  expect(kind(number('VAT Code'), coded)).toBe('glyph order');
  expect(kind(number('DESCRIPTION'), coded)).toBe('glyph order');
  expect(kind(number('DESCRIPTION'), createFont('Verdana'))).toBeUndefined();
  expect(kind('ISSUE 9915', coded)).toBeUndefined();
  expect(kind('Issues', coded)).toBeUndefined();
  expect(kind('Wikipedia1234567891011121314', coded)).toBeUndefined();
  expect(kind('90.284.078.6', coded)).toBeUndefined();
  expect(kind('()(@1)()(@1)()()', coded)).toBeUndefined();
  expect(kind('Wikipedia (en) 1 2 3 4 5 6 7 8 9 10 11', coded)).toBeUndefined();
  expect(Array.from('\u024d\u025d\u0265', readInGlyphOrder).join('')).toBe('\u0423\u0433\u043b');
});

test('a font with exchanged letters is unreadable, one of symbols is not', () => {
  const exchanged = { ...createFont('Harbour'), isExchanged: true };
  const symbols = { ...createFont('Wingdings'), isExchanged: true };
  expect(findGarbledFonts([...lineUp('uif ibqqz', exchanged), ...lineUp('abc', symbols)])).toEqual(
    new Map([[exchanged, 'unreadable']]),
  );
});
