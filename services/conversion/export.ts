import type { ChunkingOptions } from '../../model/conversion/request/chunking';
import type { ConvertOptions } from '../../model/conversion/request/options';
import type { VisionPlan } from '../../model/page/vision';
import type { Confidence, ErrorItem, ResultStatus, Timings } from '../../model/conversion/task/result';

/** Which outputs of a document are wanted, and how. */
export interface ExportOptions {
  options: ConvertOptions;
  /** Cut into chunks, written as `chunks`, one JSON object a line. */
  chunking?: ChunkingOptions;
  /** `inbody`: for members of a JSON answer; `archive`: for files, with images beside them. */
  packaging: 'inbody' | 'archive';
  /** Of tokenizers, of models of layout and tables, and of languages of text recognition. */
  modelsFolder?: string;
  /** Beyond it the document is DOCUMENT_TOO_LARGE. */
  limits?: { maxPages: number };
}

/** What a conversion thread gets. */
export interface ExportTask extends ExportOptions {
  bytes: Uint8Array;
  name: string;
  mimetype?: string;
  /** The models that are asked about pages and pictures; holds keys. */
  vision?: VisionPlan;
  /** The folder of the document, where it may read the files beside it; for local conversions only. */
  folder?: string;
  /** The user's password of an encrypted document; for local conversions only. */
  password?: string;
  /** Files by output format, which the thread writes itself instead of handing their bytes over. */
  outputFiles?: Readonly<Record<string, string>>;
}

/** What became of a document. A document that cannot be converted is an answer too. */
export interface ExportedDocument {
  status: ResultStatus;
  errors: ErrorItem[];
  timings: Timings;
  confidence: Confidence | null;
  format: string | null;
  mimetype: string | null;
  pages: number;
  /** Of the bytes, as digits. */
  hash: string | null;
  characters: number;
  tables: number;
  pictures: number;
  /** UTF-8 by output format. */
  outputs: Record<string, Uint8Array>;
  /** Of `outputFiles`, those that were written, with their sizes in bytes. */
  writtenFiles?: Record<string, number>;
  /** What the reader left out, for people. */
  warnings?: string[];
  /** What the file holds and Markdown, HTML and text do not, by kind. */
  coverage?: { kind: string; count: number; words: number; in_json: boolean }[];
  /** Images that the outputs refer to by these names. */
  artifacts: { name: string; bytes: Uint8Array }[];
}

/** Converts and writes in worker threads, with a time limit that really ends the work. */
export interface DocumentExporter {
  /**
   * Documents of different `fairnessKey` take turns; `load` is called when it is the document's. Throws CONVERSION_TIMEOUT, DOCUMENT_TOO_LARGE and CONVERSION_FAILED
   * when the thread was ended, and the signal's reason; `timeoutMs` runs from the start of the work.
   */
  exportDocument(
    task: Omit<ExportTask, 'bytes'> & {
      load: () => Promise<Uint8Array>;
      timeoutMs: number;
      signal: AbortSignal;
      fairnessKey: string;
    },
  ): Promise<ExportedDocument>;
}

/** The facts of a document of which nothing was exported; the format is null when it is not known. */
export function emptyExport(format: string | null): Omit<ExportedDocument, 'status' | 'errors' | 'timings'> {
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
