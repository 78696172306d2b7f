import type { Box } from '../geometry/box';

/** A table found on a page. Boxes are in page coordinates, origin at the lower left. */
export interface PageTable {
  box: Box;
  rows: number;
  columns: number;
  cells: PageCell[];
  /** A model's confidence in the rows and columns, from 0 to 1; absent if rules found them. */
  score?: number;
}

export interface PageCell {
  row: number;
  column: number;
  rowEnd: number;
  columnEnd: number;
  text: string;
  header: boolean;
  /** A full-width heading of the rows that follow. */
  section?: boolean;
  box: Box | undefined;
}
