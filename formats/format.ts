import type { DoclingDocument } from '../document/model';
import type { Transcribe } from '../model/conversion/speech/speech';
import type { PageScores } from '../model/conversion/task/confidence';
import type { ErrorCode } from '../model/errors';
import type { KeptPages } from '../model/page/kept-pages';
import type { OcrOptions, OpenImage } from '../model/page/ocr';
import type { PageModels } from '../model/page/page-models';
import type { PageModel } from '../model/page/vision';
import type { PageShare, RecordOmission } from './coverage';

/** Limits of every reader. A reader throws DOCUMENT_TOO_LARGE if a document exceeds them. */
export interface ReadLimits {
  /** Maximum number of expanded bytes of all entries in a container together. */
  maxExpandedBytes: number;
  /** Maximum number of entries in a container. */
  maxEntries: number;
  /** Maximum depth of nested elements, lists and groups. */
  maxDepth: number;
  /** Maximum number of pages, slides or sheets. */
  maxPages: number;
}

/** Limits that apply unless the caller sets others. */
export const defaultLimits: ReadLimits = {
  maxExpandedBytes: 512 * 1024 * 1024,
  maxEntries: 20_000,
  maxDepth: 500,
  maxPages: 10_000,
};

/**
 * Returns the bytes of a file next to the document, by the relative path in the document; undefined if it is missing or may not
 * be read. Never leaves the folder of the document.
 */
export type ReadRelated = (path: string) => Uint8Array | undefined;

/** Numbering of headings. The names are those of `numbering_schemes` in the conversion service. */
export type NumberingScheme = 'part' | 'chapter' | 'article' | 'roman_u' | 'arabic' | 'alpha_u' | 'alpha_l' | 'roman_l';

/** How heading levels are determined. The first of these that applies decides: bookmarks, numbers, style. */
export interface HeadingRules {
  useBookmarks: boolean;
  /** False: bookmarks mark a line as a heading but do not set its level. */
  useOutlineLevels: boolean;
  /** Minimum similarity of bookmark and heading, from 0 to 1. */
  bookmarkThreshold: number;
  useNumbering: boolean;
  /** Null: all schemes. */
  numberingSchemes: readonly NumberingScheme[] | null;
  useStyle: boolean;
  /** Compares bold, italic and capitals in addition to the size. */
  useFontStyle: boolean;
  /** Maximum relative difference in size between headings of one level. */
  styleSizeTolerance: number;
  maxLevel: number;
}

/** Options for readers of paged documents; other readers ignore them. Defaults: all pages, all tables, no images. */
export interface PageOptions {
  /** First and last page to read, from 1. Other pages are not opened. */
  range?: readonly [number, number];
  /** User password of an encrypted document. */
  password?: string;
  /** `fast` finds ruled tables, `accurate` (the default) also tables without rules; `none` leaves their content as text. */
  tableMode?: 'fast' | 'accurate' | 'none';
  /** Default: the reader chooses the levels. */
  headings?: HeadingRules;
  /** Keeps pictures as PNG at this scale; 1 is 72 dpi. */
  pictureScale?: number;
  /** Keeps pages as PNG at this scale. */
  pageScale?: number;
  /** Also draws items with these labels, for models that look at them. */
  drawn?: DrawnItems;
}

/** Whose expectations decide where a human reader and the reference service differ. */
export type Profile = 'reader' | 'reference';

/** Items that are passed on as images. */
export interface DrawnItems {
  labels: ReadonlySet<string>;
  /** 1 is 72 dpi. */
  scale: number;
  /** Cuts a part out of a PNG; `box` is in pixels from the top left corner. */
  crop: (png: Uint8Array, box: { left: number; top: number; width: number; height: number }) => Promise<Uint8Array>;
  /** `ref` is the reference of the item, such as `#/texts/3`. */
  take: (ref: string, png: Uint8Array) => void;
}

export interface ReadOptions {
  /** File name with extension; without the extension it becomes the name of the document. */
  name: string;
  limits: ReadLimits;
  /** Absent if there are no files next to the document, as in a request. */
  related?: ReadRelated;
  /** Called with user-facing messages about omitted content. */
  warn?: (message: string) => void;
  /** Called for each item of the file that is in no output: an embedded object, a macro, an attachment, deleted text, … */
  recordOmission?: RecordOmission;
  /** Called for each page with text once the document is complete. Readers of formats without pages ignore it. */
  recordShare?: (share: PageShare) => void;
  paged?: PageOptions;
  /** `reference` omits content that the reference service omits. Default: everything a reader sees. */
  profile?: Profile;
  /** True: cells of spreadsheets get their formula. */
  includeFormulas?: boolean;
  /** Recognizes text in images and on scanned pages. Absent: such text is not read. */
  ocr?: OcrOptions;
  /** Decodes image files. Absent: they cannot be read. */
  openImage?: OpenImage;
  /** Models for the pages of PDF and images. Rules replace absent models. */
  models?: PageModels;
  /** Called with the confidence of reader and models for each page that was read. */
  scored?: (scores: PageScores) => void;
  /** Called once for each model that cannot be used. Rules replace it. */
  modelFailed?: (failure: { stage: keyof PageModels; code: ErrorCode; message: string }) => void;
  /** Reads the pages of PDF and images in place of the reader. */
  pageModel?: PageModel;
  /** Transcribes audio and video. Absent: such files are refused. */
  transcribe?: Transcribe;
  /** Called for each page that could not be read. The page is omitted unless `isKept` is set. */
  pageFailed?: (pageNo: number, message: string, details?: { code: ErrorCode; isKept: boolean }) => void;
  /** Called when work on a page of a PDF begins, and with 0 when work on the whole document begins. */
  onPage?: (pageNo: number) => void;
  /** Called after each page of a PDF, an image or an XPS document with the numbers of finished and requested pages. */
  onPageDone?: (done: number, total: number) => void;
  /** Pages of earlier attempts. Readers that do not read page by page ignore it. */
  keptPages?: KeptPages;
}

/**
 * Reads bytes into a document. Throws AppError with DOCUMENT_CORRUPT, DOCUMENT_ENCRYPTED or DOCUMENT_TOO_LARGE. Makes no
 * network requests.
 */
export type ReadDocument = (bytes: Uint8Array, options: ReadOptions) => DoclingDocument | Promise<DoclingDocument>;

/** Returns the number of pages recorded by the program that saved the file; undefined if there is none. Never throws. */
export type CountPages = (bytes: Uint8Array, options: ReadOptions) => number | undefined;

/** A page as a picture, with its words if they are text. */
export interface DrawnPage {
  png: Uint8Array;
  /** How many pages the document has. */
  pages: number;
  /** `box` is left, top, right, bottom in points from the top left of the page. */
  words: { text: string; box: number[] }[];
}

/** Renders one page, about `width` pixels wide. Undefined if the document has no such page. Throws the errors of the reader. */
export type DrawPage = (
  bytes: Uint8Array,
  options: { name: string; pageNo: number; width: number; openImage: OpenImage },
) => Promise<DrawnPage | undefined>;

/** A table of any length whose rows are read one by one. */
export interface RowSheet {
  /** Name of the sheet; undefined for files that are one table. */
  name: string | undefined;
  isHidden: boolean;
  /** The first row is the header. Rows may have different lengths. Can be iterated only once, before the next sheet. */
  rows: Iterable<readonly string[]>;
}

/**
 * Reads the tables of a file row by row, with memory use independent of the number of rows. Throws the errors of a reader, also
 * during iteration.
 */
export type ReadSheets = (bytes: Uint8Array, options: Pick<ReadOptions, 'name' | 'limits'>) => Iterable<RowSheet>;

/** Row-by-row reading for formats whose tables may be too large for a document with cells. */
export interface RowReading {
  /** Smaller files are never read row by row. */
  leastBytes: number;
  /** True if the file is read row by row. Checks only sizes, and never throws. */
  isLarge: (bytes: Uint8Array) => boolean;
  load: () => Promise<{ readSheets: ReadSheets }>;
}

/** One input format. `load` is lazy, so that listing the formats loads no parser. */
export interface Format {
  /** Registry name: `docx`, `pdf`, `md`, … */
  name: string;
  /** The value of `from_formats` for this format in the conversion service. Default: `name`. */
  serviceName?: string;
  label: string;
  mediaTypes: readonly string[];
  /** Lower case, without the dot. */
  extensions: readonly string[];
  /** Set if the name of a file counts only if the file is a ZIP container: files of other kinds have the same extension. */
  isZip?: true;
  /** File names that identify the format, in lower case: `makefile`. */
  fileNames?: readonly string[];
  /** Detects the format by content if the name does not decide; receives the first 4,096 bytes. */
  sniff?: (head: Uint8Array) => boolean;
  /** Names of formats that the content overrides if the file name indicates one of them. Default: all. */
  overrides?: readonly string[];
  /** Streams or folders of a compound file that identify the format (MS-OXMSG 2.4, MS-XLS 2.1.2). */
  streams?: readonly string[];
  /** Names of ZIP entries that identify the format. A match of the second pattern counts only if no format matches by its first. */
  entries?: readonly [RegExp, RegExp?];
  /** Set for formats that may contain other files: a pure container, or a document with embedded files. */
  holds?: 'container' | 'document';
  /** Set if few files of the format contain others, so that sources open all of them only on request. */
  rarelyHolds?: true;
  /** True if a file of zero bytes is an empty document. */
  mayBeEmpty?: boolean;
  /** True if the reader reads only the requested pages and rejects invalid page ranges. */
  readsRange?: boolean;
  /** True for the format of text files whose names have no extension, such as README. */
  readsAnyText?: boolean;
  load: () => Promise<{ read: ReadDocument; countPages?: CountPages }>;
  /** Set for formats whose tables may be too large for a document with cells. */
  rows?: RowReading;
  /** Set for formats whose pages look the same everywhere. */
  loadDrawing?: () => Promise<{ drawPage: DrawPage }>;
}

/** Returns the name of a format in `from_formats` and in notifications of the conversion service. */
export function getServiceName({ name, serviceName }: Pick<Format, 'name' | 'serviceName'>): string {
  return serviceName ?? name;
}

/** Returns the file name without folders. */
export function getBaseName(name: string): string {
  return name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
}

/** Returns the file name without folders and extension; `file` if nothing is left. */
export function getStem(name: string): string {
  const base = getBaseName(name);
  const dot = base.lastIndexOf('.');
  return (dot > 0 ? base.slice(0, dot) : base) || 'file';
}

/** Returns the extension in lower case, without the dot; empty if there is none. */
export function getExtension(name: string): string {
  const base = getBaseName(name);
  const dot = base.lastIndexOf('.');
  return dot > 0 ? base.slice(dot + 1).toLowerCase() : '';
}

/** True if the name alone identifies the format of a file. */
export function isNamedLike(
  { extensions, fileNames }: Pick<Format, 'extensions' | 'fileNames'>,
  name: string,
): boolean {
  return (fileNames?.includes(getBaseName(name).toLowerCase()) ?? false) || extensions.includes(getExtension(name));
}
