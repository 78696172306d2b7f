import type { PdfAttachment } from '../engine/attachments';
import type { Comment } from '../engine/comments';
import type { Box } from './box';

/** The font of a glyph; `name` is the base font name without the subset prefix. */
export interface Font {
  name: string;
  bold: boolean;
  italic: boolean;
  mono: boolean;
  /** The file maps none of its signs on the page to characters: their texts are codes. */
  isCoded?: boolean;
  /** The shapes of its letters contradict the characters that the file gives for them. */
  isExchanged?: boolean;
}

/** One character on a page; a page lists its glyphs in the order in which the file draws them. */
export interface Glyph {
  text: string;
  box: Box;
  baseline: number;
  /** Font size in points, as drawn after scaling. */
  size: number;
  font: Font;
  /** Writing direction in degrees, counter-clockwise; directions close to a quarter turn are rounded to it. */
  rotation: number;
  invisible: boolean;
  /** `text` is a hyphen, but the file has a dash here. */
  isDash?: boolean;
  /** The dash is as long as the type size (an em dash) and separates words. */
  isLongDash?: boolean;
  /** A visible sign whose character the file does not name: `text` is its code, or the replacement character. */
  isUnnamed?: boolean;
  /** The glyph belongs to the value of a form field, not to the page. */
  isEntry?: boolean;
  /** Structure type in a tagged PDF, such as H1, P or TD, or Artifact. */
  tag?: string;
  /** The cell of a table in a tagged PDF; all glyphs of a cell share the object. */
  cell?: CellTag;
}

/** The position of a cell in a table described by tags. */
export interface CellTag {
  /** Distinguishes the tables of a page. */
  table: number;
  row: number;
  column: number;
  /** Number of rows and columns that the cell spans. */
  rows: number;
  columns: number;
  isHead: boolean;
}

/** Glyphs of one line in reading order, before they are split into words. */
export interface Run {
  glyphs: Glyph[];
  box: Box;
  baseline: number;
  size: number;
  rtl: boolean;
  order: number;
  /** The `order` of the last run that was joined to this one. */
  lastOrder?: number;
  /** True if a column of cells starts here: a run on the left is another cell. */
  startsCell?: boolean;
  /** True if the run is a cell that nearly touches the one on its left. */
  isSeparate?: boolean;
}

/** A straight horizontal or vertical ruling; `at` is its fixed coordinate, and `from` is less than `to`. */
export interface Rule {
  axis: 'h' | 'v';
  at: number;
  from: number;
  to: number;
}

/** The content of a page as read, before any layout analysis. */
export interface RawPage {
  /** Counts from 1. */
  pageNo: number;
  width: number;
  height: number;
  glyphs: Glyph[];
  rules: Rule[];
  /** Filled areas, such as the shading of a table's header row. */
  fills: Box[];
  /** Bounding boxes of curves and slanted strokes, which belong to drawings. */
  drawings: Box[];
  /** Filled round dots as small as a full stop, which may be bullets; they are not in `drawings`. Absent: none. */
  dots?: Box[];
  /** The `drawings` that are boxes with rounded corners. */
  panels?: Box[];
  images: Box[];
  /** Resolution of the largest image, or of the finest of its layers, in dpi; absent without one. */
  imageDpi?: number;
  links: PageLink[];
  /** Comments of people who reviewed the document; absent: none. Their boxes are not turned. */
  comments?: Comment[];
  /** Areas of text that reviewers struck out; absent: none. */
  struck?: Box[];
  /** Number of files attached to places of the page; absent for none. */
  attachments?: number;
  /** Degrees by which the visible page was turned clockwise before reading; absent if it was not turned. */
  turned?: 0 | 90 | 180 | 270;
  /** OCR confidence in the words, from 0 to 1; absent if the page has its own text. */
  ocrScore?: number;
  /** The words that recognition read, if they are to be kept. Their boxes are not turned. */
  words?: RecognizedWord[];
}

/** A word that was recognized in the image of a page. */
export interface RecognizedWord {
  text: string;
  /** From 0 to 1. */
  confidence: number;
  box: Box;
}

/** An area that links to an address. */
export interface PageLink {
  box: Box;
  uri: string;
}

/** A PNG image; width and height are in pixels. */
export interface RenderedImage {
  png: Uint8Array;
  width: number;
  height: number;
}

/** An outline entry. `level` counts from 1. */
export interface Bookmark {
  title: string;
  level: number;
  pageNo: number | undefined;
}

/** An open PDF. Pages are read one at a time and closed at once, because an open page takes about 1 MB. */
export interface PdfSource {
  pageCount: number;
  /** Number of files attached to the document, not to a page. */
  attachmentCount: number;
  /** True for a form in Adobe's XFA language without pages of its own: what the pages show is a substitute. */
  isXfa: boolean;
  /** Throws DOCUMENT_CORRUPT for a page that cannot be loaded. */
  page(pageNo: number): RawPage;
  /** Renders a page, or part of it, as PNG; `scale` 1 is 72 dpi. */
  render(pageNo: number, scale: number, part?: Box): RenderedImage;
  bookmarks(): Bookmark[];
  /** The attached files: those of the document, then those of its pages. */
  attachments(): PdfAttachment[];
  close(): void;
}
