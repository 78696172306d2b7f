import { union } from '../geometry/box';
import type { Line } from '../text/line';
import type { AlignedTable, Row } from './aligned-table';

const minRows = 3;
const place = String.raw`[\divxlcIVXLC]+(?:[-–.][\divxlcIVXLC]+)*\.?`;
/** Dots up to a page number, or up to several numbers in an index. */
const dotted = new RegExp(String.raw`^(.*?(?:\s?\.){4,})\s*(${place}(?:, ?${place})*)$`);

/** A table of contents at `start`: at least three dot-leader lines in a row. `end` is the first row after it. */
export function findContents(rows: readonly Row[], start: number): { found: AlignedTable; end: number } | undefined {
  const entries: { texts: [string, string]; lines: Line[] }[] = [];
  let end = start;
  for (; end < rows.length; end += 1) {
    const { lines } = rows[end] as Row;
    const match = dotted.exec(lines.map(({ text }) => text).join(' '));
    if (!match) break;
    entries.push({ texts: [match[1] as string, match[2] as string], lines });
  }
  if (entries.length < minRows) return undefined;
  const cells = entries.flatMap(({ texts, lines }, row) =>
    texts.map((text, column) => ({
      row,
      rowEnd: row + 1,
      column,
      columnEnd: column + 1,
      text,
      header: false,
      box: union(lines.map(({ box }) => box)),
    })),
  );
  const lines = entries.flatMap((entry) => entry.lines);
  return {
    found: {
      table: { box: union(lines.map(({ box }) => box)), rows: entries.length, columns: 2, cells },
      lines,
      isIndex: true,
    },
    end,
  };
}
