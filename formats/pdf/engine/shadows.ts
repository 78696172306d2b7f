import type { Glyph } from '../geometry/page';

/** Height in points of the strips in which glyphs are looked up; greater than the baseline offset of any shadow. */
const strip = 4;
/** The most glyphs compared in a strip; only malicious files have lines with more. */
const maxLooked = 2_000;

/** The glyphs whose baselines lie in one strip of the page, with the smallest and the largest of their left edges. */
interface Strip {
  glyphs: Glyph[];
  min: number;
  max: number;
}

/**
 * Returns a test of whether a glyph repeats one already printed within a fraction of its width, as shadows and false bold do.
 * Pass glyphs in drawing order: most lie outside everything printed on their line, which takes one comparison.
 */
export function createShadowTest(): (glyph: Glyph) => boolean {
  const strips = new Map<number, Strip>();
  let last: Glyph | undefined;
  return (glyph) => {
    const { l } = glyph.box;
    const { baseline } = glyph;
    const before = last;
    last = glyph;
    if (isInLigature(before, glyph)) return false;
    const reach = computeReach(glyph);
    const rise = Math.min(0.12 * glyph.size, strip);
    const row = Math.floor(baseline / strip);
    const highest = Math.floor((baseline + rise) / strip);
    for (let near = Math.floor((baseline - rise) / strip); near <= highest; near += 1) {
      const printed = strips.get(near);
      if (!printed || l - reach > printed.max || l + reach < printed.min) continue;
      const oldest = Math.max(printed.glyphs.length - maxLooked, 0);
      for (let at = printed.glyphs.length - 1; at >= oldest; at -= 1)
        if (isShadow(printed.glyphs[at] as Glyph, glyph, reach)) return true;
    }
    const stripShadows = strips.get(row);
    if (stripShadows) {
      stripShadows.glyphs.push(glyph);
      if (l < stripShadows.min) stripShadows.min = l;
      if (l > stripShadows.max) stripShadows.max = l;
    } else strips.set(row, { glyphs: [glyph], min: l, max: l });
    return false;
  };
}

/** Maximum horizontal distance of a shadow from the glyph that it repeats. */
function computeReach({ box, size }: Glyph): number {
  return Math.min(0.3 * (box.r - box.l), 0.12 * size);
}

function isShadow(other: Glyph, glyph: Glyph, reach: number): boolean {
  return (
    Math.abs(other.box.l - glyph.box.l) < reach &&
    other.text === glyph.text &&
    Math.abs(other.baseline - glyph.baseline) < 0.12 * glyph.size &&
    Math.abs(other.size - glyph.size) < 0.1 * glyph.size
  );
}

/** The letters of a ligature such as "ff" arrive one after the other, each with the bounding box of the whole ligature. */
function isInLigature(before: Glyph | undefined, glyph: Glyph): boolean {
  if (before?.text !== 'f' || (glyph.text !== 'f' && glyph.text !== 'l')) return false;
  return before.box.l === glyph.box.l && before.box.r === glyph.box.r;
}
