import { unspaced } from '../table/tables';
import type { Line } from '../text/line';
import { sentenceEnd } from './open-blocks';

/**
 * Room at the end of a line, in type sizes, that the next characters would have filled. A sign that must not begin a line takes one or
 * two characters with it.
 */
const room = 3;

/**
 * True for a line that ends before its column, at `edge`, in a script that breaks lines after any character: the break is intentional.
 * A paragraph of several lines ends with a sentence.
 */
export function endsUnspaced(block: readonly Line[], next: Line, edge: number): boolean {
  const last = block.at(-1) as Line;
  if (!unspaced.test(last.text.slice(-1)) || !unspaced.test(next.text.charAt(0)) || last.bold || next.bold)
    return false;
  const isEntry = block.length === 1 && Math.abs(next.box.l - last.box.l) < 1;
  return (isEntry || sentenceEnd.test(last.text)) && edge - last.box.r > room * last.size;
}
