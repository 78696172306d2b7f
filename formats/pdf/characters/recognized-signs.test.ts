import type { OcrWord } from '../../../model/page/ocr';
import type { Font, Glyph, RawPage } from '../geometry/page';
import { findUnreadableFonts, replaceSigns } from './recognized-signs';

const [good, bad]: Font[] = ['Good', 'Bad'].map((name) => ({ name, bold: true, italic: false, mono: false }));

const sign = (text: string, l: number, font: Font): Glyph => ({
  text,
  box: { l, r: l + 10, b: 90, t: 110 },
  baseline: 94,
  size: 20,
  font,
  rotation: 0,
  invisible: false,
});

const garbled = Array.from('\u0001\u0002\u0003\u0004\u0005\u0006\u0007\u0008\u000e\u000f');
const page: RawPage = {
  pageNo: 1,
  width: 400,
  height: 200,
  glyphs: [
    ...Array.from('Kept', (text, at) => sign(text, at * 10, good!)),
    ...garbled.map((text, at) => sign(text, 100 + at * 10, bad!)),
  ],
  rules: [],
  fills: [],
  drawings: [],
  images: [],
  links: [],
};

const word = (text: string, x0: number, x1: number): OcrWord => ({
  text,
  box: { x0, x1, y0: 180, y1: 220 },
  baseline: 212,
  line: 1,
  height: 40,
  confidence: 0.8,
});

const read = (words: OcrWord[]) => ({ words, turned: 0 as const, width: 800, height: 400 });

test('recognized words take the places of signs that no map names, in their size and style', () => {
  const fonts = findUnreadableFonts(page);
  expect([...fonts]).toEqual([bad]);
  const { glyphs, ocrScore } = replaceSigns(
    page,
    fonts,
    read([word('Kopt', 0, 80), word('ferry', 200, 300), word('toll', 300, 380)]),
    { points: 0.5 },
  );
  expect(glyphs.map(({ text }) => text).join('')).toBe('Keptferrytoll\ufffd');
  expect(glyphs[4]).toMatchObject({ text: 'f', size: 20, baseline: 94, font: bad });
  expect(ocrScore).toBeCloseTo(0.8);
});

test('the words in place of signs are kept on request, those of readable fonts are not', () => {
  const recognized = read([word('Kopt', 0, 80), word('ferry', 200, 300), word('toll', 300, 380)]);
  const [kept, other] = [true, false].map((keepsWords) =>
    replaceSigns(page, new Set([bad!]), recognized, { points: 0.5, keepsWords }),
  );
  expect(kept?.words).toEqual([
    { text: 'ferry', confidence: 0.8, box: { l: 100, r: 150, b: 90, t: 110 } },
    { text: 'toll', confidence: 0.8, box: { l: 150, r: 190, b: 90, t: 110 } },
  ]);
  expect(other?.words).toBeUndefined();
});

test('a page whose image cannot be read says so and keeps its signs', () => {
  const { glyphs, ocrScore } = replaceSigns(
    page,
    new Set([bad!]),
    { ...read([]), isUnreadable: true },
    { points: 0.5 },
  );
  expect([glyphs, ocrScore]).toEqual([page.glyphs, 0]);
});
