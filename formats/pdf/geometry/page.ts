import type { Box } from './box';

/** How a run of glyphs is set. `name` is the base font name without the subset prefix. */
export interface Font {
  name: string;
  bold: boolean;
  italic: boolean;
  mono: boolean;
}

/** One character as it stands on the page, in the order in which the file draws it. */
export interface Glyph {
  text: string;
  box: Box;
  baseline: number;
  /** Font size in points, scaled as drawn. */
  size: number;
  font: Font;
  /** Direction of writing in degrees, counter-clockwise; what is nearly a quarter turn is one. */
  rotation: number;
  invisible: boolean;
  /** A dash that is written as a hyphen, but is none. */
  isDash?: boolean;
  /** What a tagged PDF says it is part of: a type such as H1, P or TD, or Artifact. */
  tag?: string;
}

/** Glyphs of one line, in reading order, before they are words. */
export interface Run {
  glyphs: Glyph[];
  box: Box;
  baseline: number;
  size: number;
  rtl: boolean;
  order: number;
  /** The order of the last run that was joined to it. */
  lastOrder?: number;
}

/** A straight ruling, horizontal or vertical; `at` is its fixed coordinate, `from` is less than `to`. */
export interface Rule {
  axis: 'h' | 'v';
  at: number;
  from: number;
  to: number;
}

/** What is read from a page before anything is understood. */
export interface RawPage {
  /** From 1. */
  pageNo: number;
  width: number;
  height: number;
  glyphs: Glyph[];
  rules: Rule[];
  /** Filled areas, such as the shading of a table's head. */
  fills: Box[];
  /** Boxes of curves and slanted strokes: parts of drawings. */
  drawings: Box[];
  /** Those of them that are boxes with rounded corners. */
  panels?: Box[];
  images: Box[];
  links: PageLink[];
  /** Clockwise degrees by which the page as it is seen was turned to be read; absent: none. */
  turned?: 0 | 90 | 180 | 270;
  /** How sure the reader of its image was of the words, from 0 to 1; absent where the page has text of its own. */
  ocrScore?: number;
}

/** An area that leads to an address. */
export interface PageLink {
  box: Box;
  uri: string;
}

/** Pixels as PNG. */
export interface RenderedImage {
  png: Uint8Array;
  width: number;
  height: number;
}

/** An entry of the outline. `level` counts from 1. */
export interface Bookmark {
  title: string;
  level: number;
  pageNo: number | undefined;
}

/** An open PDF. Pages are read one at a time and closed at once, since open ones cost about a megabyte each. */
export interface PdfSource {
  pageCount: number;
  /** Throws DOCUMENT_CORRUPT for a page that cannot be loaded. */
  page(pageNo: number): RawPage;
  /** What is seen of a page, or of a part of it, as PNG; `scale` 1 is 72 dots an inch. */
  render(pageNo: number, scale: number, part?: Box): RenderedImage;
  bookmarks(): Bookmark[];
  close(): void;
}
