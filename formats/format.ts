import type { DoclingDocument } from '../document/model';
import type { PageScores } from '../model/conversion/task/confidence';
import type { ErrorCode } from '../model/errors';
import type { OcrOptions, OpenImage } from '../model/page/ocr';
import type { PageModels } from '../model/page/page-models';
import type { PageModel } from '../model/page/vision';
import type { LeaveOut } from './coverage';

/** Bounds that every reader keeps. Beyond them it throws DOCUMENT_TOO_LARGE. */
export interface ReadLimits {
  /** Bytes that a container may expand to, all entries together. */
  maxExpandedBytes: number;
  /** Entries of a container. */
  maxEntries: number;
  /** Depth of nested elements, lists, groups. */
  maxDepth: number;
  /** Pages, slides or sheets. */
  maxPages: number;
}

/** Bounds where the caller names none. */
export const defaultLimits: ReadLimits = {
  maxExpandedBytes: 512 * 1024 * 1024,
  maxEntries: 20_000,
  maxDepth: 500,
  maxPages: 10_000,
};

/**
 * The bytes of a file beside the document, by the relative path that the document names; undefined when there is none or it
 * may not be read. Never leaves the folder of the document.
 */
export type ReadRelated = (path: string) => Uint8Array | undefined;

/** How headings may be counted; the names are those of the `numbering_schemes` of the conversion service. */
export type NumberingScheme = 'part' | 'chapter' | 'article' | 'roman_u' | 'arabic' | 'alpha_u' | 'alpha_l' | 'roman_l';

/** What tells the levels of headings, the first that applies: bookmarks, numbers, style. */
export interface HeadingRules {
  useBookmarks: boolean;
  /** False: bookmarks tell that a line is a heading, but not its level. */
  useOutlineLevels: boolean;
  /** From 0 to 1: how alike bookmark and heading must be. */
  bookmarkThreshold: number;
  useNumbering: boolean;
  /** Null: all. */
  numberingSchemes: readonly NumberingScheme[] | null;
  useStyle: boolean;
  /** Bold, italic and capitals count beside the size. */
  useFontStyle: boolean;
  /** The share of the size by which headings of one level may differ. */
  styleSizeTolerance: number;
  maxLevel: number;
}

/** What readers of documents with pages heed, and others do not look at. Absent fields: all pages, every table, no images. */
export interface PageOptions {
  /** First and last page to read, from 1; the others are not opened. */
  range?: readonly [number, number];
  /** The user's password of an encrypted document. */
  password?: string;
  /** `fast` finds ruled tables, `accurate` (the default) those without lines too; `none` leaves their text as text. */
  tableMode?: 'fast' | 'accurate' | 'none';
  /** Absent: levels as the reader finds best. */
  headings?: HeadingRules;
  /** Pictures are kept as PNG of this scale; 1 is 72 dots an inch. */
  pictureScale?: number;
  /** Pages are kept as PNG of this scale. */
  pageScale?: number;
  /** Items of these labels are drawn besides, for those who look at them. */
  drawn?: DrawnItems;
}

/** Whose idea of a document decides where the two differ: a reader's or the reference's. */
export type Profile = 'reader' | 'reference';

/** Items that are handed over as images. */
export interface DrawnItems {
  labels: ReadonlySet<string>;
  /** 1 is 72 dots an inch. */
  scale: number;
  /** Cuts a part out of a PNG; `box` counts pixels from the upper left corner. */
  crop: (png: Uint8Array, box: { left: number; top: number; width: number; height: number }) => Promise<Uint8Array>;
  /** `ref` is the item's, such as `#/texts/3`. */
  take: (ref: string, png: Uint8Array) => void;
}

export interface ReadOptions {
  /** File name with extension; its stem becomes the document's name. */
  name: string;
  limits: ReadLimits;
  /** Absent where the document came alone, as in a request. */
  related?: ReadRelated;
  /** What the reader left out, for people. */
  warn?: (message: string) => void;
  /** Told of each item of the file that is in no output: an embedded object, a macro, an attachment, deleted text, … */
  leaveOut?: LeaveOut;
  paged?: PageOptions;
  /** `reference` leaves out what the reference service leaves out; absent: what a reader sees. */
  profile?: Profile;
  /** Reads text in images and on scanned pages; absent: it is not read. */
  ocr?: OcrOptions;
  /** Decodes image files; absent: they cannot be read. */
  openImage?: OpenImage;
  /** Look at pages of PDF and images; what is absent is done by rules. */
  models?: PageModels;
  /** Told how sure reader and models are of a page that was read. */
  scored?: (scores: PageScores) => void;
  /** Told once of each of them that cannot be used; rules do its work. */
  modelFailed?: (failure: { stage: keyof PageModels; code: ErrorCode; message: string }) => void;
  /** Reads the pages of PDF and images instead of the reader. */
  pageModel?: PageModel;
  /** Told of every page that could not be read; the document goes on without it, unless a part of it is kept. */
  pageFailed?: (pageNo: number, message: string, more?: { code: ErrorCode; isKept: boolean }) => void;
}

/** Bytes to document. Throws AppError DOCUMENT_CORRUPT, DOCUMENT_ENCRYPTED or DOCUMENT_TOO_LARGE; fetches nothing. */
export type ReadDocument = (bytes: Uint8Array, options: ReadOptions) => DoclingDocument | Promise<DoclingDocument>;

/** Pages as the program that saved the file counted them; undefined when it did not say. Never throws. */
export type CountPages = (bytes: Uint8Array, options: ReadOptions) => number | undefined;

/** One input format. `load` is lazy, so that listing formats loads no parser. */
export interface Format {
  /** Registry name: `docx`, `pdf`, `md`, … */
  name: string;
  label: string;
  mediaTypes: readonly string[];
  /** Lower case, without the dot. */
  extensions: readonly string[];
  /** Decides by content when the name does not; gets the first 4,096 bytes. */
  sniff?: (head: Uint8Array) => boolean;
  load: () => Promise<{ read: ReadDocument; countPages?: CountPages }>;
}

/** The file name without folders and extension; `file` when nothing is left. */
export function stemOf(name: string): string {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const dot = base.lastIndexOf('.');
  return (dot > 0 ? base.slice(0, dot) : base) || 'file';
}

/** The extension in lower case, without the dot; empty when there is none. */
export function extensionOf(name: string): string {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const dot = base.lastIndexOf('.');
  return dot > 0 ? base.slice(dot + 1).toLowerCase() : '';
}
