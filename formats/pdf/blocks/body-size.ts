import { isShort } from '../layout/heading-texts';
import type { PlacedBlock } from '../layout/part';
import type { Line } from '../text/line';

/** The type size of most characters in the document, in points. Where there is other text, code does not count. */
export function computeBodySize(blocks: readonly PlacedBlock[]): number {
  const text = blocks.filter(({ block }) => !block.mono);
  return computeCommonSize((text.length > 0 ? text : blocks).flatMap(({ block }) => block.lines));
}

function computeCommonSize(lines: readonly Line[]): number {
  const counts = new Map<number, number>();
  for (const line of lines) {
    const size = Math.round(line.size * 2) / 2;
    counts.set(size, (counts.get(size) ?? 0) + countLetters(line.text));
  }
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 10;
}

/** Blanks of forms to fill in are no text. */
function countLetters(text: string): number {
  return text.replaceAll(/_+/g, '').length;
}

/** Text in the usual size of all lines, tables included, is body text if it is at least this share of what is outside of tables. */
const plainShare = 0.25;

/** The body size. If only short bold lines are outside of tables, the size of all lines is used if it is smaller. */
export function computeSizeOfText(blocks: readonly PlacedBlock[], lines: readonly Line[]): number {
  const body = computeBodySize(blocks);
  const isText = ({ block }: PlacedBlock) => !block.bold || !isShort(block);
  const outside = blocks.filter(({ block }) => Math.abs(block.size - body) < 0.5);
  if (lines.length === 0) return body;
  const common = computeCommonSize(lines);
  if (!outside.some(isText)) return Math.min(body, common);
  // Beside tables there may be more small print than text in the size of the tables.
  const text = blocks.flatMap(({ block }) => block.lines);
  const isCommon = (line: Line) => Math.abs(line.size - common) < 0.5 && !line.bold;
  const countAll = (some: readonly Line[]) => some.reduce((sum, line) => sum + countLetters(line.text), 0);
  return countAll(text.filter(isCommon)) > plainShare * countAll(text) ? Math.max(body, common) : body;
}
