import { createHash } from 'node:crypto';
import type { DoclingDocument } from '../document/model';
import { removeRunOnMarks } from '../document/run-on';
import type { Transcribe } from '../model/conversion/speech/speech';
import type { PageScores } from '../model/conversion/task/confidence';
import { AppError, type ErrorCode } from '../model/errors';
import type { KeptPages } from '../model/page/kept-pages';
import type { OcrOptions, OpenImage } from '../model/page/ocr';
import type { PageModels } from '../model/page/page-models';
import type { PageModel } from '../model/page/vision';
import { type Coverage, listCoverageWarnings, createCoverage, type PageShare, type RecordOmission } from './coverage';
import { detectFormat, isCompoundFile, isEncryptedOffice } from './detect';
import {
  defaultLimits,
  type Format,
  type PageOptions,
  type Profile,
  type ReadOptions,
  type ReadLimits,
  type ReadRelated,
} from './format';
import { formats } from './list';
import { recordings } from './recording';
import { findUnreadReason } from './unread-formats';
import { listDamagedEntries } from './zip/zip';

/** A document as bytes. The extension of the name decides the format if it can. */
export interface ConvertRequest {
  bytes: Uint8Array;
  name: string;
  mimetype?: string;
  limits?: Partial<ReadLimits>;
  /** Reads related files of the document, if the reader may read them. */
  related?: ReadRelated;
  paged?: PageOptions;
  /** `reference` omits content that the reference service omits. Default: everything a reader sees. */
  profile?: Profile;
  /** True: cells of spreadsheets get their formula, which the writers put after the text. */
  includeFormulas?: boolean;
  /** Recognizes text in images and on scanned pages. Absent: such text is not read. */
  ocr?: OcrOptions;
  /** Decodes image files. Absent: they cannot be read. */
  openImage?: OpenImage;
  /** Models for the pages of PDF and images. Rules replace absent models. */
  models?: PageModels;
  /** Reads the pages of PDF and images. Absent: they are read without a page model. */
  pageModel?: PageModel;
  /** Transcribes audio and video. Absent: such files are refused. */
  transcribe?: Transcribe;
  /** Called when work on a page of a PDF begins, and with 0 when work on the whole document begins. */
  onPage?: (pageNo: number) => void;
  /**
   * Called after each page of a document that is read page by page, with the numbers of finished and requested pages.
   */
  onPageDone?: (done: number, total: number) => void;
  /** Pages of earlier attempts to convert these bytes with these options. */
  keptPages?: KeptPages;
}

/**
 * `pages` is the number of pages, slides or sheets if the format has them, else the number that the saving program recorded,
 * else one per 3,000 characters of text.
 */
export interface ConvertedDocument {
  document: DoclingDocument;
  format: string;
  pages: number;
  /** User-facing messages about omitted content; usually empty. */
  warnings: string[];
  /** Content of the file that Markdown, HTML and text do not contain, by kind. */
  coverage: Coverage[];
  /** For each page of a PDF with text: the share of it that the items of the document contain. */
  shares: PageShare[];
  /** Pages that could not be read and are missing from the document; usually empty. */
  failedPages: FailedPage[];
  /** Models that could not be used; the document is still complete. Usually empty. */
  modelFailures: ModelFailure[];
  /** Confidence of readers and models for each page; empty for formats without such pages. */
  scores: PageScores[];
}
/** A model that could not be used. Rules replaced it. */
export interface ModelFailure {
  stage: keyof PageModels;
  code: ErrorCode;
  message: string;
}
export interface FailedPage {
  /** Starts at 1. */
  pageNo: number;
  message: string;
  /** Set if a model failed. */
  code?: ErrorCode;
  /** True if a part of the page is kept. */
  isKept?: boolean;
}

/** A warning names at most this many damaged entries. */
const maxListedEntries = 20;

/** Detects the format and reads the document. Throws only AppError. Makes no network requests. */
export async function convertBytes(request: ConvertRequest): Promise<ConvertedDocument> {
  const { name, mimetype, paged } = request;
  if (request.bytes.length === 0) throw new AppError('DOCUMENT_EMPTY', `'${name}' has no bytes.`);
  const bytes = isEncryptedOffice(request.bytes)
    ? await decryptOffice(request.bytes, name, paged?.password)
    : request.bytes;
  const candidates = request.transcribe ? [...formats, ...recordings] : formats;
  const format = detectFormat({ name, mimetype, head: bytes }, candidates);
  if (!format) throw createUnsupportedError(request);
  const covered = createCoverage();
  const report: ReadReport = {
    warnings: [],
    failedPages: [],
    modelFailures: [],
    scores: [],
    shares: [],
    recordOmission: covered.recordOmission,
  };
  const { document, pages } = await readWith(format, { ...request, bytes }, report);
  const { recordOmission, ...results } = report;
  const damaged = listDamagedEntries(bytes);
  for (const _entry of damaged) recordOmission('damaged part');
  if (damaged.length > 0) {
    const listed = damaged.slice(0, maxListedEntries).join(', ');
    report.warnings.push(`The file is damaged. Missing or incomplete: ${listed}.`);
  }
  const coverage = covered.listOmissions(document);
  report.warnings.push(...listCoverageWarnings(coverage));
  document.origin = {
    mimetype: format.mediaTypes.find((type) => type === mimetype) ?? format.mediaTypes[0]!,
    binary_hash: BigInt(`0x${createHash('sha256').update(request.bytes).digest('hex').slice(-16)}`),
    filename: name,
  };
  return { document, format: format.name, pages, coverage, ...results };
}

/** Decrypts an encrypted Office document. The cipher code is loaded only when needed. */
async function decryptOffice(bytes: Uint8Array, name: string, password: string | undefined): Promise<Uint8Array> {
  const { decryptPackage } = await import('./compound/crypt/package');
  return decryptPackage(bytes, name, password);
}

const readers = new Map<Format, ReturnType<Format['load']>>();

/** Returns the reader of a format. It is cached here, since even a cached import costs more than converting a small document. */
function loadReader(format: Format): ReturnType<Format['load']> {
  const reader = readers.get(format) ?? format.load();
  readers.set(format, reader);
  return reader;
}

/** What a reader reports besides the document. */
type ReadReport = Pick<ConvertedDocument, 'warnings' | 'failedPages' | 'modelFailures' | 'scores' | 'shares'> & {
  recordOmission: RecordOmission;
};

async function readWith(
  format: Format,
  request: ConvertRequest,
  report: ReadReport,
): Promise<{ document: DoclingDocument; pages: number }> {
  const { bytes, limits, mimetype: _, ...readerOptions } = request;
  try {
    const { read, countPages } = await loadReader(format);
    const options: ReadOptions = {
      ...readerOptions,
      limits: { ...defaultLimits, ...limits },
      warn: (message: string) => void report.warnings.push(message),
      recordOmission: report.recordOmission,
      recordShare: (share: PageShare) => void report.shares.push(share),
      pageFailed: (pageNo: number, message: string, details?: { code: ErrorCode; isKept: boolean }) =>
        void report.failedPages.push({ pageNo, message, ...details }),
      modelFailed: (failure: ModelFailure) => void report.modelFailures.push(failure),
      scored: (scores: PageScores) => void report.scores.push(scores),
    };
    const document = await read(bytes, options);
    if (request.profile === 'reference') removeRunOnMarks(document.texts);
    const pages = Object.keys(document.pages).length || countPages?.(bytes, options) || countTextPages(document);
    return { document, pages };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    // The runtime throws RangeError when a stack, string or array becomes too large.
    const code = error instanceof RangeError ? 'DOCUMENT_TOO_LARGE' : 'CONVERSION_FAILED';
    throw new AppError(code, `'${request.name}' could not be read as ${format.label}: ${reason}`, {}, error);
  }
}

/** The extensions of a format with more than this many, such as source code, are not listed in messages. */
const maxListedExtensions = 50;

function createUnsupportedError({ bytes, name, mimetype }: ConvertRequest): AppError {
  const reason = findUnreadReason({ bytes, name });
  if (reason !== undefined) return new AppError('FORMAT_UNSUPPORTED', reason);
  const what = isCompoundFile(bytes)
    ? 'is a compound file, but not a known message or Office document'
    : `has an unknown format${mimetype ? ` (${mimetype})` : ''}`;
  const extensions = formats.flatMap((format) =>
    format.extensions.length > maxListedExtensions
      ? [`those of ${format.label.toLowerCase()}`]
      : format.extensions.map((extension) => `.${extension}`),
  );
  return new AppError('FORMAT_UNSUPPORTED', `'${name}' ${what}; supported are ${extensions.join(', ')}.`);
}

const charactersPerPage = 3000;

/** Estimates the number of pages from the length of the text. */
function countTextPages({ texts, tables }: DoclingDocument): number {
  let characters = 0;
  for (const { text } of texts) characters += text.length;
  for (const { data } of tables) for (const { text } of data.table_cells) characters += text.length;
  return Math.max(1, Math.ceil(characters / charactersPerPage));
}
