import path from 'node:path';
import type { DoclingDocument, ImageRef } from '../../document/model';
import { AppError } from '../../model/errors';
import type { PageOptions, ReadOptions } from '../format';
import { assembleDocument } from './assemble';
import { isScan, ocrDpi, pageOfWords } from './ocr-page';
import type { RawPage, RenderedImage } from './page';
import { openReader, type PdfReader } from './reader';
import { readLines, type ReadPage } from './upright';

/**
 * A PDF with a text layer as a document: reading order, headings, lists, tables, pictures, each with page and box. A page
 * that cannot be read is told and left out; when none can, DOCUMENT_CORRUPT.
 */
export async function read(bytes: Uint8Array, options: ReadOptions): Promise<DoclingDocument> {
  const { name, limits, paged = {} } = options;
  const reader = await openReader(bytes, name, paged.password);
  try {
    if (reader.pageCount > limits.maxPages)
      throw new AppError(
        'DOCUMENT_TOO_LARGE',
        `'${name}' has ${reader.pageCount} pages; the limit is ${limits.maxPages}.`,
      );
    const pages = await readPages(reader, options);
    const bookmarks = await reader.bookmarks();
    const document = assembleDocument(path.parse(name).name, pages, { bookmarks, tableMode: paged.tableMode });
    await addImages(document, reader, paged);
    return document;
  } finally {
    reader.close();
  }
}

async function readPages(reader: PdfReader, options: ReadOptions): Promise<ReadPage[]> {
  const { name, paged, pageFailed } = options;
  const [first, last] = paged?.range ?? [1, reader.pageCount];
  const pages: ReadPage[] = [];
  let failure: unknown;
  const end = Math.min(last, reader.pageCount);
  for (let pageNo = Math.max(first, 1); pageNo <= end; pageNo += 1) {
    try {
      pages.push(readLines(await readPage(reader, pageNo, options)));
    } catch (error) {
      failure = error;
      pageFailed?.(pageNo, error instanceof Error ? error.message : String(error));
    }
  }
  if (pages.length > 0 || failure === undefined) return pages;
  if (failure instanceof AppError) throw failure;
  const reason = failure instanceof Error ? failure.message : 'no page could be read';
  throw new AppError(
    'DOCUMENT_CORRUPT',
    `'${name}' is a PDF that the reader cannot get through: ${reason}.`,
    {},
    failure,
  );
}

/** The page as it is drawn; where it has no text, or that is not to be used, with what is read in its image. */
async function readPage(reader: PdfReader, pageNo: number, { ocr, warn }: ReadOptions): Promise<RawPage> {
  const page = await reader.page(pageNo);
  if (!ocr || (ocr.mode === 'auto' && !isScan(page))) return page;
  const { png } = await reader.render(pageNo, ocrDpi / 72);
  try {
    return pageOfWords(pageNo, await ocr.recognize(png), 72 / ocrDpi);
  } catch (error) {
    if (ocr.mode === 'force' || !(error instanceof AppError) || error.code !== 'OPTIONAL_PACKAGE_MISSING') throw error;
    warn?.(`the text of page ${pageNo} is not read: ${error.message}`);
    return page;
  }
}

/** Draws the pictures and pages that were asked for, one page after the other. */
async function addImages(
  document: DoclingDocument,
  reader: PdfReader,
  { pictureScale, pageScale }: PageOptions,
): Promise<void> {
  if (pictureScale !== undefined) {
    for (const picture of document.pictures) {
      const place = picture.prov[0];
      if (place) picture.image = imageRef(await reader.render(place.page_no, pictureScale, place.bbox), pictureScale);
    }
  }
  if (pageScale === undefined) return;
  for (const page of Object.values(document.pages))
    page.image = imageRef(await reader.render(page.page_no, pageScale), pageScale);
}

function imageRef({ png, width, height }: RenderedImage, scale: number): ImageRef {
  const uri = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
  return { mimetype: 'image/png', dpi: Math.round(72 * scale), size: { width, height }, uri };
}
