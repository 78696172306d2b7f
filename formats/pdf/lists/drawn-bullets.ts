import { rightToLeft } from '../engine/characters';
import { type Box, union } from '../geometry/box';
import type { RawPage } from '../geometry/page';
import type { Line } from '../text/line';

/** Side of a drawn bullet, in shares of the type size. */
const side = { min: 0.15, max: 0.7 };
/** The dots of a dotted line are closer to each other, in points, than the bullets of two columns. */
const dotDistance = 30;

/** Makes dots and squares drawn before a line, such as the list bullets of browsers, its first word. Returns these shapes. */
export function addDrawnBullets(page: Pick<RawPage, 'drawings' | 'fills' | 'dots'>, lines: readonly Line[]): Box[] {
  const bullets: Box[] = [];
  for (const box of [...page.drawings, ...page.fills, ...listLoneDots(page.dots ?? [])]) {
    const [width, height] = [box.r - box.l, box.t - box.b];
    if (width > 12 || height > 12 || width < 0.7 * height || height < 0.7 * width) continue;
    const line = lines.find((candidate) => isBefore(box, candidate));
    const first = line?.words[0];
    if (!line || !first) continue;
    // A drawing is no code, even before monospaced words.
    line.words.unshift({ ...first, text: '·', box, raised: false, font: { ...first.font, mono: false } });
    line.text = `· ${line.text}`;
    line.box = union([box, line.box]);
    bullets.push(box);
  }
  return bullets;
}

/** True if the drawing is at the middle of the x-height, close to the first letter. */
function isBefore(box: Box, { box: text, text: words, baseline, size }: Line): boolean {
  const middle = (box.b + box.t) / 2 - baseline;
  const gap = rightToLeft.test(words) ? box.l - text.r : text.l - box.r;
  return (
    box.r - box.l >= side.min * size &&
    box.r - box.l <= side.max * size &&
    middle > 0.1 * size &&
    middle < 0.55 * size &&
    gap > 0.1 * size &&
    gap < 1.6 * size
  );
}

/** The dots without another one close by on their level, as in dotted lines. */
function listLoneDots(dots: readonly Box[]): Box[] {
  return dots.filter(
    (dot) =>
      !dots.some((other) => other !== dot && Math.abs(other.b - dot.b) < 1 && Math.abs(other.l - dot.l) < dotDistance),
  );
}
