import { addAll } from '../../../model/lists/add-all';
import { findSmallest } from '../../extremes';
import type { Glyph } from '../geometry/page';

/** Characters of scripts that are written from top to bottom. */
const eastAsian = /[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]/;
/**
 * The minimum number of characters in a vertical line, and the smallest and largest distance between two of them in
 * type sizes.
 */
const run = { min: 3, step: { min: 0.5, max: 1.3 } };
/** The direction of vertical lines: that of text turned by 90°. */
const downwards = 270;

/**
 * Marks vertical lines (upright East Asian characters drawn one below the other) as turned text, whose lines are read
 * from top to bottom and follow each other from right to left.
 */
export function markVertical(glyphs: readonly Glyph[]): Glyph[] {
  if (!glyphs.some(({ text }) => eastAsian.test(text))) return [...glyphs];
  const marked: Glyph[] = [];
  for (let from = 0; from < glyphs.length;) {
    let to = from + 1;
    while (to < glyphs.length && isBelow(glyphs[to - 1] as Glyph, glyphs[to] as Glyph)) to += 1;
    const line = glyphs.slice(from, to);
    const isVertical = line.length >= run.min && line.every(({ rotation }) => rotation === 0);
    addAll(marked, isVertical ? turnLine(line) : line);
    from = to;
  }
  return marked;
}

/** True for a character just below the last one; letters and figures may occur between East Asian characters. */
function isBelow(last: Glyph, glyph: Glyph): boolean {
  const step = (last.baseline - glyph.baseline) / glyph.size;
  return (
    step >= run.step.min &&
    step <= run.step.max &&
    Math.abs(last.box.l - glyph.box.l) < 0.2 * glyph.size &&
    (eastAsian.test(last.text) || eastAsian.test(glyph.text))
  );
}

/** Each character fills a square of its line; the square ends where the next one begins. */
function turnLine(line: readonly Glyph[]): Glyph[] {
  const left = findSmallest(line.map(({ box }) => box.l));
  return line.map((glyph, index) => {
    const { t, b } = glyph.box;
    const next = line[index + 1]?.box.t ?? b;
    const box = { l: left, r: left + glyph.size, t, b: Math.min(Math.max(next, t - 1.3 * glyph.size), t) };
    return { ...glyph, rotation: downwards, box };
  });
}
