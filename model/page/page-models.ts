/** A page as it is seen, as PNG or JPEG. It is turned clockwise before a model looks at it; boxes are those of the turned image. */
export interface PageImage {
  bytes: Uint8Array;
  turned: 0 | 90 | 180 | 270;
}

/** A rectangle in shares of the width and height of an image, from 0 to 1; the origin is its upper left corner. */
export interface ShareBox {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** What a region of a page may be, by the names that the document has for it. */
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

/** What parts of a table a model tells apart: those of PubTables-1M. */
export const tablePartLabels = [
  'table',
  'column',
  'row',
  'column_header',
  'projected_row_header',
  'spanning_cell',
] as const;
export type TablePartLabel = (typeof tablePartLabels)[number];

/** Something that a model has seen. */
export interface Detection<Label> {
  label: Label;
  /** From 0 to 1. */
  score: number;
  box: ShareBox;
}

/**
 * Finds the regions of a page, overlapping ones too, in no order. Throws AppError: PAGE_MODEL_INVALID when the model cannot be
 * used, OPTIONAL_PACKAGE_MISSING without the runtime.
 */
export type FindRegions = (page: PageImage) => Promise<Detection<RegionLabel>[]>;

/** Finds rows, columns and merged cells of the table that `part` of a page shows; boxes are shares of the part. Throws as FindRegions does. */
export type FindTableParts = (page: PageImage, part: ShareBox) => Promise<Detection<TablePartLabel>[]>;

/** The models that look at pages; what is absent is done by rules. */
export interface PageModels {
  layout?: FindRegions;
  tables?: FindTableParts;
}
