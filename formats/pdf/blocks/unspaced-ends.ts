import { groupBy } from '../geometry/group-by';
import { unspaced } from '../table/tables';
import type { Line } from '../text/line';
import { sentenceEnd } from './open-blocks';

/**
 * Room at the end of a line, in type sizes, that the next characters would have filled. A sign that must not begin a line takes one or
 * two characters with it.
 */
const room = 3;
/**
 * Text beside a figure is narrower than its column: this many lines, one below the other, each at least as wide, end at most `slack`
 * apart. Of verses, more than the share ends with a sign.
 */
const narrow = { lines: 3, width: 12, slack: 1.2, distance: 2.2, signs: 0.5 };
const sign = /[\p{P}\s]$/u;
/** Signs that open; no line breaks after them. */
const opening = /^[「『（《〈【〔“‘([]+/u;

/** True if the next line begins a paragraph, since the last one of the block ends before its column, at `edge`. */
export type EndsUnspaced = (block: readonly Line[], next: Line, edge: number) => boolean;

/**
 * Finds lines of a column that end before its edge in a script that breaks lines after any character: the break is intentional. A
 * paragraph of several lines ends with a sentence.
 */
export function createUnspacedEnds(lines: readonly Line[]): EndsUnspaced {
  const local = findNarrowText(lines);
  return (block, next, edge) => {
    const last = block.at(-1) as Line;
    if (last.bold || next.bold || local.has(last)) return false;
    // A bracket takes the whole of a Latin word with it.
    const start = next.text.replace(opening, '').charAt(0);
    if (!unspaced.test(last.text.slice(-1)) || !unspaced.test(start)) return false;
    const isEntry = block.length === 1 && Math.abs(next.box.l - last.box.l) < 1;
    return (isEntry || sentenceEnd.test(last.text)) && edge - last.box.r > room * last.size;
  };
}

/** Lines of text whose right edge is that of the lines above or below them, such as text beside a figure. */
function findNarrowText(lines: readonly Line[]): ReadonlySet<Line> {
  const found = new Set<Line>();
  const columns = groupBy(
    lines.filter(({ box, size, text }) => unspaced.test(text) && box.r - box.l >= narrow.width * size),
    ({ box, size }) => `${Math.round(box.l)} ${size.toFixed(1)}`,
  );
  for (const column of columns.values()) {
    let run: Line[] = [];
    const keep = () => {
      const signs = run.filter(({ text }) => sign.test(text)).length;
      if (run.length >= narrow.lines && signs <= narrow.signs * run.length) for (const line of run) found.add(line);
    };
    for (const line of column.toSorted((a, b) => b.baseline - a.baseline)) {
      const last = run.at(-1);
      const isBelow =
        last !== undefined &&
        last.baseline - line.baseline < narrow.distance * line.size &&
        Math.abs(last.box.r - line.box.r) <= narrow.slack * line.size;
      if (isBelow) run.push(line);
      else {
        keep();
        run = [line];
      }
    }
    keep();
  }
  return found;
}
