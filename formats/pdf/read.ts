import path from 'node:path';
import type { DoclingDocument } from '../../document/model';
import { AppError } from '../../model/errors';
import type { ReadOptions } from '../format';
import { assembleDocument } from './assemble';
import type { Bookmark, PdfSource, RawPage } from './page';
import { loadPdfium, releasePdfium } from './pdfium';
import { openPdf } from './source';

/** A PDF with a text layer as a document: reading order, headings, lists, tables, pictures, each with page and box. */
export async function read(bytes: Uint8Array, { name, limits }: ReadOptions): Promise<DoclingDocument> {
  const { pages, bookmarks } = await readPages(bytes, name, limits.maxPages);
  return assembleDocument(path.parse(name).name, pages, bookmarks);
}

async function readPages(
  bytes: Uint8Array,
  name: string,
  maxPages: number,
): Promise<{ pages: RawPage[]; bookmarks: Bookmark[] }> {
  const pdfium = await loadPdfium();
  let isBroken = false;
  try {
    const source = openPdf(pdfium, bytes, name);
    const result = readAll(source, name, maxPages);
    source.close();
    return result;
  } catch (error) {
    if (error instanceof AppError) throw error;
    // A trap inside the engine leaves its memory in an unknown state: nothing is closed, the next document gets a fresh engine.
    isBroken = true;
    throw new AppError(
      'DOCUMENT_CORRUPT',
      `'${name}' is a PDF that the reader cannot get through: ${String(error)}.`,
      {},
      error,
    );
  } finally {
    releasePdfium(pdfium, isBroken);
  }
}

function readAll(source: PdfSource, name: string, maxPages: number): { pages: RawPage[]; bookmarks: Bookmark[] } {
  if (source.pageCount > maxPages) {
    source.close();
    throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has ${source.pageCount} pages; the limit is ${maxPages}.`);
  }
  const pages = Array.from({ length: source.pageCount }, (_, index) => source.page(index + 1));
  return { pages, bookmarks: source.bookmarks() };
}
