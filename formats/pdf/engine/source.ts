import { AppError } from '../../../model/errors';
import { explainPassword } from '../../password';
import { readAppearances } from '../forms/appearances';
import { insertEntries, takeDrawnNumbers } from '../forms/entries';
import { type Forms, openForms } from '../forms/forms';
import { type Frame, readPageFrame } from '../geometry/frame';
import type { Bookmark, PdfSource, RawPage } from '../geometry/page';
import { countAttachments, countPageAttachments, readAttachments } from './attachments';
import { readGlyphs } from './glyphs';
import { readGraphics } from './graphics';
import { readLinks } from './links';
import { allocate, type Pdfium } from './pdfium';
import { renderPage } from './render';
import { readStruckAreas } from './struck-text';
import { readTags } from './tags';

/** pdfium's error codes for a missing or wrong password and for an unknown protection scheme. */
const passwordError = 4;
const securityError = 5;
/** Only malicious files have deeper or longer outlines. */
const maxBookmarkDepth = 20;
const maxBookmarks = 20_000;

/** Opens a PDF, which the caller must close. Throws DOCUMENT_ENCRYPTED or DOCUMENT_CORRUPT. */
export function openPdf(pdfium: Pdfium, bytes: Uint8Array, name: string, password?: string): PdfSource {
  const memory = allocate(pdfium, bytes.length);
  pdfium.HEAPU8.set(bytes, memory.address);
  const handle = loadWith(pdfium, memory.address, bytes.length, password);
  if (handle === 0) {
    const error = pdfium._FPDF_GetLastError();
    memory.free();
    if (error === passwordError)
      throw new AppError('DOCUMENT_ENCRYPTED', `'${name}' is a PDF ${explainPassword(password)}.`);
    if (error === securityError)
      throw new AppError('DOCUMENT_ENCRYPTED', `'${name}' is a PDF protected by a scheme that cannot be read.`);
    throw new AppError(
      'DOCUMENT_CORRUPT',
      `'${name}' is not a readable PDF: its structure is damaged (pdfium error ${error}).`,
    );
  }
  const forms = openForms(pdfium, handle);
  let copied = 0;
  const openCopy = () => (copied ||= loadWith(pdfium, memory.address, bytes.length, password));
  return {
    pageCount: pdfium._FPDF_GetPageCount(handle),
    page: (pageNo) =>
      withPage({ pdfium, handle, name }, pageNo, (page, frame) =>
        readPage(pdfium, { handle, page, pageNo, forms, openCopy }, frame),
      ),
    render: (pageNo, scale, part) =>
      withPage({ pdfium, handle, name }, pageNo, (page, { width, height }) =>
        renderPage(pdfium, page, { width, height, scale, part }),
      ),
    bookmarks: () => readBookmarks(pdfium, handle),
    attachmentCount: countAttachments(pdfium, handle),
    isXfa: forms.isXfa,
    attachments: () => readAttachments(pdfium, handle),
    close() {
      forms.close();
      if (copied !== 0) pdfium._FPDF_CloseDocument(copied);
      pdfium._FPDF_CloseDocument(handle);
      memory.free();
    },
  };
}

function loadWith(pdfium: Pdfium, address: number, length: number, password: string | undefined): number {
  if (password === undefined) return pdfium._FPDF_LoadMemDocument(address, length, 0);
  const text = new TextEncoder().encode(`${password}\0`);
  const memory = allocate(pdfium, text.length);
  pdfium.HEAPU8.set(text, memory.address);
  try {
    return pdfium._FPDF_LoadMemDocument(address, length, memory.address);
  } finally {
    memory.free();
  }
}

function withPage<T>(
  { pdfium, handle, name }: { pdfium: Pdfium; handle: number; name: string },
  pageNo: number,
  use: (page: number, frame: Frame) => T,
): T {
  const page = pdfium._FPDF_LoadPage(handle, pageNo - 1);
  if (page === 0)
    throw new AppError('DOCUMENT_CORRUPT', `Page ${pageNo} of '${name}' is damaged and cannot be loaded.`);
  try {
    return use(page, readPageFrame(pdfium, page));
  } finally {
    pdfium._FPDF_ClosePage(page);
  }
}

interface OpenPage {
  handle: number;
  page: number;
  pageNo: number;
  forms: Forms;
  /** Opens the document once more, for changes; 0 if that fails. */
  openCopy: () => number;
}

function readPage(pdfium: Pdfium, { handle, page, pageNo, forms, openCopy }: OpenPage, frame: Frame): RawPage {
  const text = pdfium._FPDFText_LoadPage(page);
  try {
    const printed = text === 0 ? [] : readGlyphs(pdfium, text, frame, readTags(pdfium, handle, page));
    const fields = forms.readEntries(page, frame);
    const numbers = fields.filter(({ kind }) => kind === 'number');
    const boxes = [...forms.listAppearances(page, frame), ...numbers.map(({ box }) => box)];
    const copy = boxes.length > 0 ? openCopy() : 0;
    const drawn = copy === 0 ? [] : readAppearances(pdfium, { copy, pageNo, printed }, { boxes, frame });
    const { entries, left: appearances } = takeDrawnNumbers(fields, drawn);
    const glyphs = entries.length > 0 ? insertEntries(printed, entries) : printed;
    const links = readLinks(pdfium, handle, page, frame);
    const comments = forms.readComments(page, frame);
    const struck = readStruckAreas(pdfium, page, frame);
    const attachments = countPageAttachments(pdfium, page);
    return {
      pageNo,
      width: frame.width,
      height: frame.height,
      glyphs: appearances.length > 0 ? [...glyphs, ...appearances] : glyphs,
      links,
      ...readGraphics(pdfium, page, frame),
      ...(comments.length > 0 ? { comments } : {}),
      ...(struck.length > 0 ? { struck } : {}),
      ...(attachments > 0 ? { attachments } : {}),
    };
  } finally {
    if (text !== 0) pdfium._FPDFText_ClosePage(text);
  }
}

function readBookmarks(pdfium: Pdfium, document: number): Bookmark[] {
  const bookmarks: Bookmark[] = [];
  const seen = new Set<number>();
  const walk = (parent: number, level: number): void => {
    let mark = pdfium._FPDFBookmark_GetFirstChild(document, parent);
    while (mark !== 0 && !seen.has(mark) && bookmarks.length < maxBookmarks) {
      seen.add(mark);
      const destination = pdfium._FPDFBookmark_GetDest(document, mark);
      const index = destination === 0 ? -1 : pdfium._FPDFDest_GetDestPageIndex(document, destination);
      bookmarks.push({ title: getBookmarkTitle(pdfium, mark), level, pageNo: index < 0 ? undefined : index + 1 });
      if (level < maxBookmarkDepth) walk(mark, level + 1);
      mark = pdfium._FPDFBookmark_GetNextSibling(document, mark);
    }
  };
  walk(0, 1);
  return bookmarks;
}

function getBookmarkTitle(pdfium: Pdfium, mark: number): string {
  const length = pdfium._FPDFBookmark_GetTitle(mark, 0, 0);
  const memory = allocate(pdfium, Math.max(length, 2));
  try {
    pdfium._FPDFBookmark_GetTitle(mark, memory.address, length);
    return new TextDecoder('utf-16le').decode(memory.bytes(Math.max(length - 2, 0))).trim();
  } finally {
    memory.free();
  }
}
