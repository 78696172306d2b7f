import type { Box } from '../geometry/box';

/** A table as found on a page. Boxes are those of the page, origin at the lower left. */
export interface PageTable {
  box: Box;
  rows: number;
  columns: number;
  cells: PageCell[];
  /** How sure a model was of its rows and columns, from 0 to 1; absent where rules have found them. */
  score?: number;
}

export interface PageCell {
  row: number;
  column: number;
  rowEnd: number;
  columnEnd: number;
  text: string;
  header: boolean;
  /** A heading of the rows that follow, as wide as the table. */
  section?: boolean;
  box: Box | undefined;
}
