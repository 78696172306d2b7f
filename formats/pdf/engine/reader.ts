import { AppError } from '../../../model/errors';
import type { Box } from '../geometry/box';
import type { Bookmark, PdfSource, RawPage, RenderedImage } from '../geometry/page';
import { loadPdfium, type Pdfium, releasePdfium } from './pdfium';
import { openPdf } from './source';

/** A PDF that stays readable when a page breaks the engine: the next call opens it anew in a fresh one. */
export interface PdfReader {
  pageCount: number;
  page(pageNo: number): Promise<RawPage>;
  render(pageNo: number, scale: number, part?: Box): Promise<RenderedImage>;
  bookmarks(): Promise<Bookmark[]>;
  close(): void;
}

/** A fresh engine takes 0.1 s, so a document that breaks it again and again is given up. */
const mostTraps = 5;

/** Opens a PDF. Throws DOCUMENT_ENCRYPTED or DOCUMENT_CORRUPT. */
export async function openReader(bytes: Uint8Array, name: string, password?: string): Promise<PdfReader> {
  let open: { pdfium: Pdfium; source: PdfSource } | undefined;
  let traps = 0;

  async function use<T>(work: (source: PdfSource) => T): Promise<T> {
    if (traps > mostTraps)
      throw new AppError('DOCUMENT_CORRUPT', `'${name}' is a PDF that breaks the reader again and again.`);
    const pdfium = open?.pdfium ?? (await loadPdfium());
    try {
      open ??= { pdfium, source: openPdf(pdfium, bytes, name, password) };
      return work(open.source);
    } catch (error) {
      if (!isTrap(error)) throw error;
      // A trap inside the engine leaves its memory in an unknown state: it is let go as it is.
      traps += 1;
      open = undefined;
      releasePdfium(pdfium, true);
      const what = `'${name}' is a PDF that the reader cannot get through: ${error.message}.`;
      throw new AppError('DOCUMENT_CORRUPT', what, {}, error);
    }
  }

  return {
    pageCount: await use(({ pageCount }) => pageCount),
    page: (pageNo) => use((source) => source.page(pageNo)),
    render: (pageNo, scale, part) => use((source) => source.render(pageNo, scale, part)),
    bookmarks: () => use((source) => source.bookmarks()),
    close() {
      if (!open) return;
      open.source.close();
      releasePdfium(open.pdfium, false);
      open = undefined;
    },
  };
}

/** `WebAssembly.RuntimeError`, or the abort of the engine, which is one too. */
function isTrap(error: unknown): error is Error {
  return error instanceof Error && error.name === 'RuntimeError';
}
