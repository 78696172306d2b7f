import type { Line } from '../text/line';
import type { PageTable } from './page-table';

/** A table recognised only by the alignment of its cells, and the lines it consumes. */
export interface AlignedTable {
  table: PageTable;
  lines: Line[];
  /** A table of contents: entries with dot leaders and page numbers. */
  isIndex: boolean;
}

/** Lines on one baseline, from left to right. */
export interface Row {
  lines: Line[];
  baseline: number;
  size: number;
}

/** The rows without code: those with a monospaced cell beside other text stay whole, except numbers beside code. */
export function omitCode(rows: readonly Row[]): Row[] {
  return rows.flatMap((row) => {
    const plain = row.lines.filter(({ mono }) => !mono);
    if (plain.length === 0) return [];
    const isNumberOfCode = plain.length === 1 && /^\d{1,4}[.:]?$/.test((plain[0] as Line).text);
    return [isNumberOfCode ? { ...row, lines: plain } : row];
  });
}
