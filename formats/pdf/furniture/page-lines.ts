import type { Rule } from '../geometry/page';
import type { Line } from '../text/line';

/** A page as input to the search for page headers and footers. */
export interface PageLines {
  /** From 1; absent: 1. */
  pageNo?: number;
  height: number;
  width?: number;
  lines: readonly Line[];
  rules?: readonly Rule[];
}
