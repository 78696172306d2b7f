import { AppError } from '../../model/errors';
import { readGlyphs } from './glyphs';
import { readGraphics } from './graphics';
import type { Bookmark, PdfSource, RawPage } from './page';
import { pageFrame } from './frame';
import { allocate, type Pdfium } from './pdfium';

/** pdfium's answer when a password is missing or the kind of protection is not known. */
const passwordError = 4;
const securityError = 5;
/** Outlines deeper or longer than this are made to break readers. */
const maxBookmarkDepth = 20;
const maxBookmarks = 20_000;

/** Opens a PDF. Throws DOCUMENT_ENCRYPTED or DOCUMENT_CORRUPT; the caller closes what it gets. */
export function openPdf(pdfium: Pdfium, bytes: Uint8Array, name: string): PdfSource {
  const memory = allocate(pdfium, bytes.length);
  pdfium.HEAPU8.set(bytes, memory.address);
  const handle = pdfium._FPDF_LoadMemDocument(memory.address, bytes.length, 0);
  if (handle === 0) {
    const error = pdfium._FPDF_GetLastError();
    memory.free();
    if (error === passwordError)
      throw new AppError('DOCUMENT_ENCRYPTED', `'${name}' is a PDF protected by a password.`);
    if (error === securityError)
      throw new AppError('DOCUMENT_ENCRYPTED', `'${name}' is a PDF protected by a scheme that cannot be read.`);
    throw new AppError(
      'DOCUMENT_CORRUPT',
      `'${name}' is not a readable PDF: its structure is damaged (pdfium error ${error}).`,
    );
  }
  return {
    pageCount: pdfium._FPDF_GetPageCount(handle),
    page: (pageNo) => readPage(pdfium, handle, pageNo),
    bookmarks: () => readBookmarks(pdfium, handle),
    close() {
      pdfium._FPDF_CloseDocument(handle);
      memory.free();
    },
  };
}

function readPage(pdfium: Pdfium, document: number, pageNo: number): RawPage {
  const page = pdfium._FPDF_LoadPage(document, pageNo - 1);
  // A page that cannot be loaded is shown as empty, as viewers do: the rest of the document is worth having.
  if (page === 0) return { pageNo, width: 0, height: 0, glyphs: [], rules: [], fills: [], drawings: [], images: [] };
  const text = pdfium._FPDFText_LoadPage(page);
  try {
    const frame = pageFrame(pdfium, page);
    const glyphs = text === 0 ? [] : readGlyphs(pdfium, text, frame);
    return { pageNo, width: frame.width, height: frame.height, glyphs, ...readGraphics(pdfium, page, frame) };
  } finally {
    if (text !== 0) pdfium._FPDFText_ClosePage(text);
    pdfium._FPDF_ClosePage(page);
  }
}

function readBookmarks(pdfium: Pdfium, document: number): Bookmark[] {
  const found: Bookmark[] = [];
  const seen = new Set<number>();
  const walk = (parent: number, level: number): void => {
    let mark = pdfium._FPDFBookmark_GetFirstChild(document, parent);
    while (mark !== 0 && !seen.has(mark) && found.length < maxBookmarks) {
      seen.add(mark);
      const destination = pdfium._FPDFBookmark_GetDest(document, mark);
      const index = destination === 0 ? -1 : pdfium._FPDFDest_GetDestPageIndex(document, destination);
      found.push({ title: bookmarkTitle(pdfium, mark), level, pageNo: index < 0 ? undefined : index + 1 });
      if (level < maxBookmarkDepth) walk(mark, level + 1);
      mark = pdfium._FPDFBookmark_GetNextSibling(document, mark);
    }
  };
  walk(0, 1);
  return found;
}

function bookmarkTitle(pdfium: Pdfium, mark: number): string {
  const length = pdfium._FPDFBookmark_GetTitle(mark, 0, 0);
  const memory = allocate(pdfium, Math.max(length, 2));
  try {
    pdfium._FPDFBookmark_GetTitle(mark, memory.address, length);
    return new TextDecoder('utf-16le').decode(memory.bytes(Math.max(length - 2, 0))).trim();
  } finally {
    memory.free();
  }
}
