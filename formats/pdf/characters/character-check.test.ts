import type { Pdfium, Scratch } from '../engine/pdfium';
import type { Font, Glyph } from '../geometry/page';
import { createCharacterCheck } from './character-check';

interface Sign {
  text: string;
  /** Left, right, bottom and top of the ink, as a share of the type size; the baseline is 0. */
  ink?: [number, number, number, number];
  width?: number;
  isUnmapped?: boolean;
}

/** Checks these signs of one embedded font, as the engine describes them, and returns the glyphs. */
function check(signs: readonly Sign[], isEmbedded = true): { glyphs: Glyph[]; font: Font } {
  const font: Font = { name: 'Harbour', bold: false, italic: false, mono: false };
  const HEAPF64 = new Float64Array(8);
  const write = (values: readonly number[]) => {
    HEAPF64.set(values);
    return 1;
  };
  const engine = {
    HEAPF64,
    _FPDFText_GetTextObject: () => 1,
    _FPDFTextObj_GetFont: () => 1,
    _FPDFFont_GetIsEmbedded: () => Number(isEmbedded),
    _FPDFText_HasUnicodeMapError: (_text: number, index: number) => Number(signs[index]?.isUnmapped ?? false),
    _FPDFText_GetCharBox: (_text: number, index: number) =>
      write((signs[index]?.ink ?? [0, 0.5, 0, 0.5]).map((at) => 10 * at)),
    _FPDFText_GetCharOrigin: () => write([0, 0]),
  } as unknown as Pdfium;
  const page = createCharacterCheck(engine, 1, { address: 0 } as Scratch, true);
  const glyphs = signs.map(({ text, width = 0.5 }, index): Glyph => {
    const box = { l: 10 * index, r: 10 * (index + width), b: -2, t: 8 };
    return { text, box, baseline: 0, size: 10, font, rotation: 0, invisible: false };
  });
  for (const [index, glyph] of glyphs.entries()) page.checkCharacter(glyph, index);
  page.finish();
  return { glyphs, font };
}

/** The letters of a text, each with the ink of the letter at the same place in `shown`. */
const print = (text: string, shown: string): Sign[] =>
  Array.from(text, (letter, index) => ({
    text: letter,
    ink: [0, 0.5, 'gpqyj'.includes(shown[index] as string) ? -0.2 : 0, 0.5],
  }));

test('a font whose letters reach below the baseline in the wrong places has exchanged letters', () => {
  const text = 'the happy pilot may bring a cargo';
  const shifted = text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 96) % 26) + 97));
  expect(check(print(shifted, text)).font.isExchanged).toBe(true);
  expect(check(print(shifted, text), false).font.isExchanged).toBeUndefined();
  expect(check(print(text, text)).font.isExchanged).toBeUndefined();
  // Small capitals do not reach below the baseline.
  expect(check(print(text, text.toUpperCase())).font.isExchanged).toBeUndefined();
});

test('one letter for signs of different widths is wrong; letters of one width, and of rows of dashes, are not', () => {
  const widths = [0.3, 0.5, 0.7, 0.6, 0.5, 0.3];
  const one = (text: string, all: readonly number[]) => check(all.map((width) => ({ text, width }))).font.isExchanged;
  expect(one('A', widths)).toBe(true);
  expect(one('A', [0.6, 0.6, 0.6, 0.6, 0.6, 0.6])).toBeUndefined();
  expect(one('-', widths)).toBeUndefined();
  expect(
    check(['A', 'B', 'A', 'A', 'A', 'A', 'A'].map((text, at) => ({ text, width: widths[at % 6]! }))).font.isExchanged,
  ).toBeUndefined();
});

test('a space with ink is a sign without a character, and so is a visible code that is not mapped', () => {
  const { glyphs } = check([
    { text: ' ', ink: [0, 0.3, 0, 0] },
    { text: ' ', ink: [0, 0.5, 0, 0.5], width: 0.6 },
    { text: '\u0001', isUnmapped: true },
    { text: '\u0001', isUnmapped: true, ink: [0, 0.5, 0, 0.001] },
    { text: '\u0002' },
    { text: '\ufffd' },
    { text: 'a' },
  ]);
  expect(glyphs.map(({ text, isUnnamed }) => [text, isUnnamed ?? false])).toEqual([
    [' ', false],
    ['\ufffd', true],
    ['\u0001', true],
    ['\u0001', false],
    ['\u0002', false],
    ['\ufffd', true],
    ['a', false],
  ]);
});

test('a font is coded if the file maps none of its signs', () => {
  expect(
    check([
      { text: '9', isUnmapped: true },
      { text: '$', isUnmapped: true },
    ]).font.isCoded,
  ).toBe(true);
  expect(check([{ text: '9', isUnmapped: true }, { text: '$' }]).font.isCoded).toBeUndefined();
});
