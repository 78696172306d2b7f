import { AppError } from '../../../model/errors';
import type { Box } from '../geometry/box';
import type { Bookmark, PdfSource, RawPage, RenderedImage } from '../geometry/page';
import type { PdfAttachment } from './attachments';
import { isMemoryRefused, limitMemory, loadPdfium, type Pdfium, releasePdfium } from './pdfium';
import { openPdf } from './source';
import { checkStreams } from './stream-limits';

/** A PDF that stays readable after a page crashes the engine: the next call reopens it in a fresh one. */
export interface PdfReader {
  pageCount: number;
  attachmentCount: number;
  /** True for a form in Adobe's XFA language without pages of its own: what the pages show is a substitute. */
  isXfa: boolean;
  page(pageNo: number): Promise<RawPage>;
  render(pageNo: number, scale: number, part?: Box): Promise<RenderedImage>;
  readBookmarks(): Promise<Bookmark[]>;
  /** The attached files: those of the document, then those of its pages. */
  readAttachments(): Promise<PdfAttachment[]>;
  close(): void;
}

/** A fresh engine takes 0.1 s to load, so a document that keeps crashing it is given up. */
const maxTraps = 5;

/** Memory that the engine may use in addition to the file and a copy of it: pages of large scans need a few hundred MB. */
const maxMemory = 448 * 1024 * 1024;

/** Opens a PDF. Throws DOCUMENT_ENCRYPTED, DOCUMENT_CORRUPT, or DOCUMENT_TOO_LARGE if it expands too far. */
export async function openReader(bytes: Uint8Array, name: string, password?: string): Promise<PdfReader> {
  let open: { pdfium: Pdfium; source: PdfSource } | undefined;
  let traps = 0;
  let tooLarge: AppError | undefined;
  checkStreams(bytes, name);

  async function use<T>(work: (source: PdfSource) => T): Promise<T> {
    if (tooLarge) throw tooLarge;
    if (traps > maxTraps)
      throw new AppError('DOCUMENT_CORRUPT', `'${name}' is a PDF that crashed the reader more than ${maxTraps} times.`);
    const pdfium = open?.pdfium ?? (await loadPdfium());
    if (!open) limitMemory(pdfium, maxMemory + 2 * bytes.length);
    try {
      open ??= { pdfium, source: openPdf(pdfium, bytes, name, password) };
      const result = work(open.source);
      // Parts of the engine carry on after an allocation fails, so the result may be incomplete.
      if (isMemoryRefused(pdfium)) throw (tooLarge = createMemoryError(name));
      return result;
    } catch (error) {
      if (!isTrap(error)) throw error;
      // A trap leaves the engine's memory in an unknown state, so drop the engine without closing the document.
      traps += 1;
      open = undefined;
      releasePdfium(pdfium, true);
      // Another attempt would take as long.
      if (isMemoryRefused(pdfium)) throw (tooLarge = createMemoryError(name));
      const what = `'${name}' is a PDF that crashes the reader: ${error.message}.`;
      throw new AppError('DOCUMENT_CORRUPT', what, {}, error);
    }
  }

  return {
    ...(await use(({ pageCount, attachmentCount, isXfa }) => ({ pageCount, attachmentCount, isXfa }))),
    page: (pageNo) => use((source) => source.page(pageNo)),
    render: (pageNo, scale, part) => use((source) => source.render(pageNo, scale, part)),
    readBookmarks: () => use((source) => source.bookmarks()),
    readAttachments: () => use((source) => source.attachments()),
    close() {
      if (!open) return;
      open.source.close();
      releasePdfium(open.pdfium, false);
      open = undefined;
    },
  };
}

function createMemoryError(name: string): AppError {
  const what = `'${name}' is a PDF that needs more memory than its limit of ${maxMemory / 1024 ** 2} MB and twice its size.`;
  return new AppError('DOCUMENT_TOO_LARGE', what);
}

/** True for a `WebAssembly.RuntimeError`; pdfium's abort throws one too. */
function isTrap(error: unknown): error is Error {
  return error instanceof Error && error.name === 'RuntimeError';
}
