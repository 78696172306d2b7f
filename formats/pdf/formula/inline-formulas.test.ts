import type { Font, Glyph } from '../geometry/page';
import { buildLines } from '../text/lines';
import { findInlineFormulas } from './inline-formulas';

const roman: Font = { name: 'CMR10', bold: false, italic: false, mono: false };
const math: Font = { ...roman, name: 'CMMI10', italic: true };
const upright: Font = { ...roman, name: 'LatinModernMath' };
const small = { size: 7 };

type Piece = [text: string, font?: Font, at?: { size?: number; up?: number }];

/** A line of glyphs, each half as wide as its size. */
function glyphs(pieces: readonly Piece[]): Glyph[] {
  let x = 72;
  return pieces.flatMap(([text, font = roman, { size = 10, up = 0 } = {}]) =>
    Array.from(text).map((sign): Glyph => {
      const box = { l: x, r: x + size / 2, b: 700 + up - 0.22 * size, t: 700 + up + 0.78 * size };
      x = box.r;
      return { text: sign, box, baseline: 700 + up, size, font, rotation: 0, invisible: false };
    }),
  );
}

const formulasIn = (...pieces: Piece[]) =>
  buildLines(glyphs(pieces)).flatMap((line) => findInlineFormulas(line, []).map(({ tex }) => tex));

test('words in math type with an index are a formula, including the comma after them', () => {
  expect(
    formulasIn(
      ['the notation '],
      ['GF', math],
      ['('],
      ['p', math],
      ['m', math, { ...small, up: 4 }],
      ['), where p is'],
    ),
  ).toEqual(['GF(p^{m}),']);
  expect(formulasIn(['the value '], ['x', math], ['2', roman, { ...small, up: 4 }], [' of each'])).toEqual(['x^{2}']);
  expect(formulasIn(['the part '], ['x', math], ['i', math, { ...small, up: -2 }], [' of each'])).toEqual(['x_{i}']);
});

test('a relation of variables is a formula, including the number after its sign', () => {
  expect(formulasIn(['for all '], ['n', math], [' = '], ['k', math], [' + 1 of the 12 parts'])).toEqual(['n=k+1']);
});

test('words, single letters, and numbers with their signs stay text', () => {
  expect(formulasIn(['where '], ['p', math], [' is a prime'])).toEqual([]);
  expect(formulasIn(['let ', upright], ['x', math], [' be 5', upright])).toEqual([]);
  expect(formulasIn(['adults aged '], ['≥', { ...math, name: 'Symbol' }], ['45 years'])).toEqual([]);
  expect(formulasIn(['the model', math], ['2', roman, { ...small, up: 4 }], [' of the house'])).toEqual([]);
  expect(formulasIn(['see the note'], ['2', roman, { ...small, up: 4 }], [' and 10 m'], ['2', roman, small])).toEqual(
    [],
  );
});
