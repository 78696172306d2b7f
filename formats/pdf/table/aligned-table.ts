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
