import type { RegionLabel } from '../../../model/page/page-models';
import type { Box } from '../geometry/box';
import type { ListMark } from '../lists/lists';
import type { PageTable } from '../table/page-table';
import type { Line } from '../text/line';
import type { ReadPage } from '../text/upright';

/** An item on a page. */
export type Part = BlockPart | TablePart | PicturePart;

export interface BlockPart {
  kind: 'block';
  block: Block;
  /** Index of the page section that contains it, from 0. */
  column: number;
  box: Box;
  order: number;
}

export interface TablePart {
  kind: 'table';
  table: PageTable;
  /** True for a table of contents. */
  isIndex: boolean;
  /** The later parts of the table on following pages. */
  continued?: { page: ReadPage; box: Box }[];
  box: Box;
  order: number;
}

export interface PicturePart {
  kind: 'picture';
  /** Labels inside a drawing. */
  labels: Line[];
  box: Box;
  order: number;
}

/** Lines that belong together: a paragraph, a heading or a list item. */
export interface Block {
  lines: Line[];
  box: Box;
  text: string;
  size: number;
  bold: boolean;
  italic: boolean;
  mono: boolean;
  /** Font family of the first line. */
  family: string;
  mark: ListMark | undefined;
  order: number;
  /** Its tag in a tagged PDF, if all its lines agree. */
  tag?: string;
  /** The label from a layout model; absent if rules decide. */
  label?: RegionLabel;
}

/** A block with its page number. */
export interface PlacedBlock {
  block: Block;
  pageNo: number;
}
