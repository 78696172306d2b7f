import { union } from './box';
import { rightToLeft } from './characters';
import type { Glyph } from './page';

const mirrors = new Map(
  ['()', '[]', '{}', '<>', '\u00ab\u00bb'].flatMap(([a, b]) => [[a, b] as const, [b, a] as const]),
);
const leftToRight = /[\p{L}\p{N}]/u;

/**
 * A line written from right to left, as it is to be read: brackets, which the file has as they look, are those that are
 * meant, and numbers and Latin words, whose characters run the other way, have the box of the whole stretch, so that gaps
 * to their neighbours can be measured.
 */
export function readRightToLeft(glyphs: readonly Glyph[]): Glyph[] {
  const read = glyphs.map((glyph, index) => {
    const mirror = mirrors.get(glyph.text);
    const latin = [glyphs[index - 1], glyphs[index + 1]].some((near) => near && /\p{Script=Latin}/u.test(near.text));
    return mirror === undefined || latin ? glyph : { ...glyph, text: mirror };
  });
  for (let start = 0; start < read.length; start += 1) {
    let end = start;
    while (end < read.length && isLeftToRight(read, end)) end += 1;
    if (end - start < 2) continue;
    const box = union(read.slice(start, end).map((glyph) => glyph.box));
    for (let index = start; index < end; index += 1) read[index] = { ...(read[index] as Glyph), box };
    start = end;
  }
  return read;
}

/** A digit or Latin letter, or a sign between two of them. */
function isLeftToRight(glyphs: readonly Glyph[], index: number): boolean {
  const text = glyphs[index]?.text ?? '';
  if (rightToLeft.test(text)) return false;
  if (leftToRight.test(text)) return true;
  return (
    /^[.,:/%-]$/.test(text) &&
    [index - 1, index + 1].every((near) => /^[\p{N}\p{Script=Latin}]$/u.test(glyphs[near]?.text ?? ''))
  );
}
