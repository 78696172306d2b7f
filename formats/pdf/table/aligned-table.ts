import type { Line } from '../text/line';
import type { PageTable } from './page-table';

/** A table that only the alignment of its cells shows, and the lines it takes. */
export interface AlignedTable {
  table: PageTable;
  lines: Line[];
  /** A table of contents: dotted lines to page numbers. */
  isIndex: boolean;
}

/** Lines on one baseline, from the left. */
export interface Row {
  lines: Line[];
  baseline: number;
  size: number;
}
