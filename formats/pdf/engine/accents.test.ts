import type { Glyph } from '../geometry/page';
import { joinAccents, joinCircles, joinNegations } from './accents';

const font = { name: 'CMR10', bold: false, italic: false, mono: false };

/** Glyphs of half a type size in width; each begins at the given place. */
const glyphs = (...placed: [text: string, l: number, raised?: number][]): Glyph[] =>
  placed.map(([text, l, raised = 0]) => ({
    text,
    box: { l, r: l + 5, b: 98 + raised, t: 108 + raised },
    baseline: 100 + raised,
    size: 10,
    font,
    rotation: 0,
    invisible: false,
  }));
const textOf = (list: readonly Glyph[]) => list.map(({ text }) => text).join('');

test.each([
  ['before its letter', glyphs(['p', 0], ['`', 5], ['o', 5]), 'p\u00f2'],
  ['after its letter', glyphs(['c', 0], ['\u00b8', 0.4], ['a', 5]), '\u00e7a'],
  ['raised over a capital', glyphs(['\u00b4', 0.3, 2], ['I', 0]), '\u00cd'],
  ['over an i without its dot', glyphs(['l', 0], ['\u00b4', 5], ['\u0131', 5]), 'l\u00ed'],
  ['the second over one letter', glyphs(['\u02c6', 0], ['e', 0], ['\u00b4', 0.2]), '\u1ebf'],
])('an accent %s is joined with it', (_place, drawn, expected) => {
  expect(textOf(joinAccents(drawn))).toBe(expected);
});

test('accents beside a letter, over a digit, and of letters that do not exist stay signs', () => {
  const code = glyphs(['`', 0], ['l', 5], ['s', 10], ['`', 15], ['~', 20], ['a', 25]);
  expect(textOf(joinAccents(code))).toBe('`ls`~a');
  expect(textOf(joinAccents(glyphs(['^', 0], ['2', 0])))).toBe('^2');
  expect(textOf(joinAccents(glyphs(['\u02c6', 0], ['b', 0])))).toBe('\u02c6b');
});

test('letters in fonts of formulas bear accents that no single character has', () => {
  const named = glyphs(['\u02c6', 0], ['b', 0]).map((glyph) => ({ ...glyph, font: { ...font, name: 'CMMI10' } }));
  expect(textOf(joinAccents(named))).toBe('b\u0302');
});

test('the stroke of TeX crosses out the sign after it, and is dropped before any other', () => {
  expect(textOf(joinNegations(glyphs(['p', 0], ['\u0338', 6], ['=', 6], ['q', 12])))).toBe('p\u2260q');
  expect(textOf(joinNegations(glyphs(['a', 0], ['\u0338', 5], ['\u2208', 5])))).toBe('a\u2209');
  expect(textOf(joinNegations(glyphs(['\u0338', 0], ['7', 0])))).toBe('7');
});

test('the circle of TeX and the letter inside it are one sign; a circle beside a letter stays', () => {
  const [circle, inside, beside] = glyphs(['\u25ef', 0], ['c', 2], ['c', 20]);
  circle!.box.r = 10;
  expect(textOf(joinCircles([circle!, inside!]))).toBe('\u00a9');
  expect(textOf(joinCircles([circle!, beside!]))).toBe('\u25efc');
});
