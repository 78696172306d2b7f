import type { Font, Glyph } from '../geometry/page';
import { type Drawing, paragraphs, prose, readDrawn } from '../pdf-test-support';
import { buildLines } from '../text/lines';
import { widenSmallCapitals } from './small-caps';

const roman: Font = { name: 'Times-Roman', bold: false, italic: false, mono: false };

/**
 * Glyphs of a text in which small letters are drawn as small capitals: 0.5 type sizes wide as the engine reports them, `step` type
 * sizes apart.
 */
function set(text: string, { x = 50, step = 0.8, spaces = true } = {}): Glyph[] {
  const glyphs: Glyph[] = [];
  for (const letter of text) {
    const isSmall = /\p{Ll}/u.test(letter);
    const size = isSmall ? 7.5 : 10.5;
    const width = (isSmall ? 0.5 : 0.6) * size;
    const box = { l: x, r: x + width, b: 697, t: 708 };
    if (letter !== ' ' || spaces)
      glyphs.push({ text: letter, box, baseline: 700, size, font: roman, rotation: 0, invisible: false });
    x += isSmall ? step * size : width;
  }
  return glyphs;
}

test('small capitals with the text of small letters are whole words, as wide as their capitals', () => {
  const [line] = buildLines(set('Mrs Pargeter'));
  expect(line?.words.map(({ text }) => text)).toEqual(['Mrs', 'Pargeter']);
});

test('without drawn spaces, gaps after small letters may separate words, so letters keep their widths', () => {
  const glyphs = set('Mrs Pargeter', { spaces: false });
  const edges = glyphs.map(({ box }) => box.r);
  widenSmallCapitals(glyphs);
  expect(glyphs.map(({ box }) => box.r)).toEqual(edges);
});

test('words of ordinary small letters beside larger ones stay apart where other texts of the page have drawn spaces', async () => {
  const document = await readDrawn((pdf) => {
    pdf.font('Times-Roman').fontSize(11).text(`${prose} ${prose}`, 72, 72, { width: 450 });
    pdf.text('Price ', 72, 180, { lineBreak: false });
    setWords(pdf, ['per', 'litre', 'of', 'fuel', 'oil'], { x: 100, y: 181.7075, size: 8.5 });
    const x = setWords(pdf, ['The', 'pilot', 'said'], { x: 72, y: 200, size: 11 });
    setWords(pdf, ['it', 'was', 'too', 'late'], { x, y: 201.7075, size: 8.5 });
  });
  expect(paragraphs(document).slice(1)).toEqual(['Price per litre of fuel oil', 'The pilot said it was too late']);
});

test('a row without drawn spaces on a page with spaces is read as its words', () => {
  const below = set('a b').map((glyph) => ({ ...glyph, baseline: 650, box: { ...glyph.box, b: 647, t: 658 } }));
  const [line] = buildLines([...set('Mrs Pargeter', { spaces: false }), ...below]);
  expect(line?.words.map(({ text }) => text)).toEqual(['Mrs', 'Pargeter']);
});

test('a line of capitals and small capitals is as large as its capitals, one of ordinary letters as most of its letters', () => {
  expect(buildLines(set('Scene Two', { step: 0.5 }))[0]?.size).toBe(10.5);
  const index = set('EA').map((glyph) => ({ ...glyph, size: 7.5 }));
  expect(buildLines([...set('Hxo', { step: 0.5 }), ...index.map((glyph) => shift(glyph, 40))])[0]?.size).toBe(7.5);
});

function shift(glyph: Glyph, by: number): Glyph {
  return { ...glyph, box: { ...glyph.box, l: glyph.box.l + by - 12, r: glyph.box.r + by - 12 } };
}

/** Draws words without spaces between them, and returns the place after the last. */
function setWords(
  pdf: Drawing,
  words: readonly string[],
  { x, y, size }: { x: number; y: number; size: number },
): number {
  let left = x;
  pdf.font('Times-Roman').fontSize(size);
  for (const word of words) {
    pdf.text(word, left, y, { lineBreak: false });
    left += pdf.widthOfString(word) + 0.25 * size;
  }
  return left;
}
