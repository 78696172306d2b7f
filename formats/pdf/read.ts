import path from 'node:path';
import type { DoclingDocument } from '../../document/model';
import { AppError } from '../../model/errors';
import type { ReadOptions } from '../format';
import { assembleDocument } from './assemble';
import type { Bookmark, PdfSource } from './page';
import { loadPdfium, releasePdfium } from './pdfium';
import { openPdf } from './source';
import { readLines, type ReadPage } from './upright';

/** A PDF with a text layer as a document: reading order, headings, lists, tables, pictures, each with page and box. */
export async function read(bytes: Uint8Array, { name, limits }: ReadOptions): Promise<DoclingDocument> {
  const { pages, bookmarks } = await readPages(bytes, name, limits.maxPages);
  return assembleDocument(path.parse(name).name, pages, bookmarks);
}

interface ReadPdf {
  pages: ReadPage[];
  bookmarks: Bookmark[];
}

async function readPages(bytes: Uint8Array, name: string, maxPages: number): Promise<ReadPdf> {
  const pdfium = await loadPdfium();
  try {
    return readAll(openPdf(pdfium, bytes, name), name, maxPages);
  } catch (error) {
    // A trap inside the engine leaves its memory in an unknown state: the next document gets a fresh one.
    if (!isTrap(error)) throw error;
    releasePdfium(pdfium, true);
    const what = `'${name}' is a PDF that the reader cannot get through: ${error.message}.`;
    throw new AppError('DOCUMENT_CORRUPT', what, {}, error);
  } finally {
    releasePdfium(pdfium, false);
  }
}

function readAll(source: PdfSource, name: string, maxPages: number): ReadPdf {
  let isOpen = true;
  try {
    const { pageCount } = source;
    if (pageCount > maxPages)
      throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has ${pageCount} pages; the limit is ${maxPages}.`);
    const pages = Array.from({ length: pageCount }, (_, index) => readLines(source.page(index + 1)));
    return { pages, bookmarks: source.bookmarks() };
  } catch (error) {
    isOpen = !isTrap(error);
    throw error;
  } finally {
    if (isOpen) source.close();
  }
}

/** `WebAssembly.RuntimeError`, or the abort of the engine, which is one too. */
function isTrap(error: unknown): error is Error {
  return error instanceof Error && error.name === 'RuntimeError';
}
