/** A rendered page as PNG or JPEG. It is rotated clockwise before a model sees it; boxes refer to the rotated image. */
export interface PageImage {
  bytes: Uint8Array;
  turned: 0 | 90 | 180 | 270;
}

/** A rectangle as fractions of image width and height, from 0 to 1; the origin is the upper left corner. */
export interface ShareBox {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** Labels of page regions, with the names used in documents. */
export const regionLabels = [
  'caption',
  'footnote',
  'formula',
  'list_item',
  'page_footer',
  'page_header',
  'picture',
  'section_header',
  'table',
  'text',
  'title',
  'document_index',
  'code',
  'checkbox_selected',
  'checkbox_unselected',
  'form',
  'key_value_region',
] as const;
export type RegionLabel = (typeof regionLabels)[number];

/** Labels of table parts, as in PubTables-1M. */
export const tablePartLabels = [
  'table',
  'column',
  'row',
  'column_header',
  'projected_row_header',
  'spanning_cell',
] as const;
export type TablePartLabel = (typeof tablePartLabels)[number];

/** An object detected by a model. */
export interface Detection<Label> {
  label: Label;
  /** From 0 to 1. */
  score: number;
  box: ShareBox;
}

/**
 * Finds the regions of a page in no particular order; regions may overlap. Throws PAGE_MODEL_INVALID when the model is not
 * usable, OPTIONAL_PACKAGE_MISSING without the runtime.
 */
export type FindRegions = (page: PageImage) => Promise<Detection<RegionLabel>[]>;

/**
 * Finds rows, columns and merged cells of the table in one part of a page. Boxes are fractions of the part. Throws like
 * FindRegions.
 */
export type FindTableParts = (page: PageImage, part: ShareBox) => Promise<Detection<TablePartLabel>[]>;

/** A cell as a model places it. Ends are exclusive; the box is around its text, in shares of the part. */
export interface TableCell {
  row: number;
  rowEnd: number;
  column: number;
  columnEnd: number;
  header: boolean;
  box: ShareBox;
}

/** Rows, columns and cells of a table. */
export interface TableStructure {
  rows: number;
  columns: number;
  cells: TableCell[];
  /** From 0 to 1. */
  score: number;
}

/** Finds the cells of the table in one part of a page; undefined if it cannot tell. Throws like FindRegions. */
export type FindTableCells = (page: PageImage, part: ShareBox) => Promise<TableStructure | undefined>;

/** The page models. Rules replace an absent model. */
export interface PageModels {
  layout?: FindRegions;
  tables?: FindTableParts;
  /** For tables without rulings, where its cells agree with the words of the page; used instead of `tables`. */
  cells?: FindTableCells;
}
