import type { Glyph } from './page';

/** Side of the squares in which glyphs are looked up, in points; larger than any offset of a shadow. */
const square = 4;

/**
 * Tells whether a glyph prints the same sign once more within a fraction of its width, as shadows and false bold do.
 * Glyphs are to be given in drawing order.
 */
export function createShadowTest(): (glyph: Glyph) => boolean {
  const printed = new Map<number, Glyph[]>();
  let last: Glyph | undefined;
  return (glyph) => {
    const { l } = glyph.box;
    const { baseline } = glyph;
    const before = last;
    last = glyph;
    if (isInLigature(before, glyph)) return false;
    const reach = Math.min(reachOf(glyph), square);
    const rise = Math.min(0.12 * glyph.size, square);
    for (let x = Math.floor((l - reach) / square); x <= Math.floor((l + reach) / square); x += 1) {
      for (let y = Math.floor((baseline - rise) / square); y <= Math.floor((baseline + rise) / square); y += 1) {
        if (printed.get(keyOf(x, y))?.some((other) => isShadow(other, glyph))) return true;
      }
    }
    const key = keyOf(Math.floor(l / square), Math.floor(baseline / square));
    const here = printed.get(key);
    if (here) here.push(glyph);
    else printed.set(key, [glyph]);
    return false;
  };
}

function keyOf(column: number, row: number): number {
  return row * 65_536 + column;
}

/** How far a shadow may stand beside what it repeats. */
function reachOf({ box, size }: Glyph): number {
  return Math.min(0.3 * (box.r - box.l), 0.12 * size);
}

function isShadow(other: Glyph, glyph: Glyph): boolean {
  if (other.text !== glyph.text) return false;
  const reach = reachOf(glyph);
  return (
    Math.abs(other.box.l - glyph.box.l) < reach &&
    Math.abs(other.baseline - glyph.baseline) < 0.12 * glyph.size &&
    Math.abs(other.size - glyph.size) < 0.1 * glyph.size
  );
}

/** The letters of a ligature such as "ff" arrive one after the other with the box of the whole. */
function isInLigature(before: Glyph | undefined, glyph: Glyph): boolean {
  return (
    /^[fl]$/.test(glyph.text) && before?.text === 'f' && before.box.l === glyph.box.l && before.box.r === glyph.box.r
  );
}
