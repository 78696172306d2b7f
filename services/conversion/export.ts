import type { ChunkingOptions } from '../../model/conversion/request/chunking';
import type { ConvertOptions } from '../../model/conversion/request/options';
import type { Confidence, CoverageItem, ErrorItem, ResultStatus, Timings } from '../../model/conversion/task/result';
import type { ErrorCode } from '../../model/errors';
import type { PageCount } from '../../model/page/page-count';
import type { VisionPlan } from '../../model/page/vision';
import type { KeptRanges, PageStore } from './page/kept-pages';
import type { PageClock } from './page/page-clock';

/** The requested outputs of a document, and their options. */
export interface ExportOptions {
  options: ConvertOptions;
  /** Set to also write chunks, as the output `chunks` with one JSON object per line. */
  chunking?: ChunkingOptions;
  /** `inbody`: outputs become members of a JSON response. `archive`: outputs become files, with images next to them. */
  packaging: 'inbody' | 'archive';
  /** Folder with tokenizers, layout and table models, and OCR language data. */
  modelsFolder?: string;
  /** A document beyond these limits fails with DOCUMENT_TOO_LARGE. */
  limits?: { maxPages: number };
}

/** Input of a conversion thread. */
export interface ExportTask extends ExportOptions {
  bytes: Uint8Array;
  name: string;
  mimetype?: string;
  /** The models to call for pages and pictures. Contains API keys. */
  vision?: VisionPlan;
  /** The folder of the document, from which it may read neighbouring files. Local conversions only. */
  folder?: string;
  /** The user password of an encrypted document. */
  password?: string;
  /** File paths by output format. The thread writes these files itself instead of returning their bytes. */
  outputFiles?: Readonly<Record<string, string>>;
  /** Parts of the document that are also requested as files. Local conversions only. */
  parts?: readonly ExportedPart[];
  /** Where the thread records the page that it works on. */
  pageClock?: PageClock;
  /** Pages of earlier attempts, and where those of this one are kept. */
  keptRanges?: KeptRanges;
}

/** A kind of part that can be exported as files. */
export type ExportedPart = 'figures' | 'tables';

/** The outcome of a document. A document that cannot be converted has an outcome too. */
export interface ExportedDocument {
  status: ResultStatus;
  errors: ErrorItem[];
  /** Why nothing was converted; `errors` has the same reason in the words of the protocol. */
  failureCode?: ErrorCode;
  timings: Timings;
  confidence: Confidence | null;
  format: string | null;
  mimetype: string | null;
  pages: number;
  /** Hash of the bytes, in decimal digits. */
  hash: string | null;
  characters: number;
  tables: number;
  pictures: number;
  /** UTF-8 text by output format. */
  outputs: Record<string, Uint8Array>;
  /** Sizes in bytes of those `outputFiles` that were written. */
  writtenFiles?: Record<string, number>;
  /** Messages for people about content that the reader left out. */
  warnings?: string[];
  /** Content of the file that Markdown, HTML and text do not contain, by kind. Absent for documents that were not read. */
  coverage?: CoverageItem[];
  /** PDF only: the share of the pages' letters that the document contains, and the pages with missing text. */
  textShare?: { share: number; incomplete: { page: number; share: number }[] };
  /** Images that the outputs refer to by these names. */
  artifacts: { name: string; bytes: Uint8Array }[];
  /** The requested parts, as files. */
  parts?: { name: string; bytes: Uint8Array }[];
}

/** Converts and writes in worker threads. The time limit terminates the work. */
export interface DocumentExporter {
  /**
   * Documents with different `fairnessKey` take turns; `load` is called when it is the document's turn. Throws the signal's
   * reason, or CONVERSION_TIMEOUT, DOCUMENT_TOO_LARGE or CONVERSION_FAILED when the thread was terminated. `timeoutMs` counts
   * from the start of the work.
   */
  exportDocument(
    task: Omit<ExportTask, 'bytes' | 'pageClock' | 'keptRanges'> & {
      load: () => Promise<Uint8Array>;
      /** Or by the size of the document, in bytes. */
      timeoutMs: number | ((bytes: number) => number);
      signal: AbortSignal;
      fairnessKey: string;
      /** Keeps pages, so that another attempt continues after them. Absent: each attempt starts at the first page. */
      pages?: PageStore;
      /** Called at most once a second while a document with pages is read. */
      onPages?: (pages: PageCount) => void;
    },
  ): Promise<ExportedDocument>;
}

/** The result of a document without any outputs. The format is null when it is unknown. */
export function createEmptyExport(format: string | null): Omit<ExportedDocument, 'status' | 'errors' | 'timings'> {
  return {
    confidence: null,
    format,
    mimetype: null,
    pages: 0,
    hash: null,
    characters: 0,
    tables: 0,
    pictures: 0,
    outputs: {},
    artifacts: [],
  };
}
