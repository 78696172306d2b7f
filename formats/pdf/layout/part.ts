import type { Box } from '../geometry/box';
import type { PageTable } from '../table/page-table';
import type { Line } from '../text/line';
import type { ReadPage } from '../text/upright';
import type { RegionLabel } from '../../../model/page/page-models';
import type { ListMark } from '../text/lists';

/** What stands on a page, in reading order. */
export type Part = BlockPart | TablePart | PicturePart;

export interface BlockPart {
  kind: 'block';
  block: Block;
  /** Which stretch of the page it stands in, from 0. */
  column: number;
  box: Box;
  order: number;
}

export interface TablePart {
  kind: 'table';
  table: PageTable;
  /** A table of contents. */
  isIndex: boolean;
  /** Where the table goes on, when it is longer than its page. */
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

/** Lines that belong together: a paragraph, a heading, a list item. */
export interface Block {
  lines: Line[];
  box: Box;
  text: string;
  size: number;
  bold: boolean;
  italic: boolean;
  mono: boolean;
  /** That of the first line. */
  family: string;
  mark: ListMark | undefined;
  order: number;
  /** What a tagged PDF says it is, where all its lines agree. */
  tag?: string;
  /** What a model of layout takes it for; absent where rules decide. */
  label?: RegionLabel;
}

/** A block with the page it stands on. */
export interface PlacedBlock {
  block: Block;
  pageNo: number;
}
