import type { Font, Glyph } from '../geometry/page';
import { restoreLigatures } from './ligatures';

const font: Font = { name: 'Serif', bold: false, italic: false, mono: false };
const widths: Record<string, number> = { f: 3, i: 2, l: 2, T: 6, h: 5 };

/** Glyphs side by side; `[i5]` is an i that is five wide. */
function set(text: string, own = font): Glyph[] {
  let l = 0;
  return [...text.matchAll(/\[(.)(\d+)\]|(.)/g)].map(([, wide, width, letter]) => {
    const sign = wide ?? letter ?? '';
    const box = { l, r: l + (width === undefined ? (widths[sign] ?? 5) : Number(width)), b: 0, t: 10 };
    l = box.r;
    return { text: sign, box, baseline: 2, size: 10, font: own, rotation: 0, invisible: false };
  });
}
const read = (text: string) =>
  restoreLigatures(set(text))
    .map((glyph) => glyph.text)
    .join('');

test('a glyph as wide as a ligature is a ligature even if its font lists only the last letter', () => {
  expect(read('its leaf: [i5]nal, of[l5]ine, o[f6]er, di[i8]cult, [h11]e Thin')).toBe(
    'its leaf: final, offline, offer, difficult, The Thin',
  );
});

test('if a font lacks one of the single letters, a ligature is recognized by the letters that it has', () => {
  expect(read('left [i5]nal')).toBe('left final');
  expect(read('[h10]e hour')).toBe('The hour');
});

test('monospaced letters and slightly wider ones are unchanged', () => {
  expect(read('[i6][f6][l6][h6][T6]')).toBe('iflhT');
  expect(read('fit [i3]n')).toBe('fit in');
});

test('letters of a ligature share its box', () => {
  const glyphs = restoreLigatures(set('fil[i5]'));
  expect(glyphs.slice(3).map(({ text, box }) => [text, box.l, box.r])).toEqual([
    ['f', 7, 9.5],
    ['i', 9.5, 12],
  ]);
});

test('in a font without f, a ligature is recognized by many narrow letters, and the glyph of ti is unchanged', () => {
  expect(read('in his con[i5]dence is')).toBe('in his confidence is');
  expect(read('is con[i5]dence')).toBe('is conidence');
  expect(read('it is in s[t9]ill')).toBe('it is in still');
  expect(read('in his st[i5]cky is')).toBe('in his sticky is');
});
