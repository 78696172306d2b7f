import type { DoclingDocument } from '../../document/model';
import { AppError } from '../../model/errors';
import { assemblePages, choosePages } from '../assemble-pages';
import type { ReadOptions } from '../format';
import { accountForText } from '../pdf/account/text-share';
import type { RawPage } from '../pdf/geometry/page';
import { buildPageOfWords } from '../pdf/text/ocr-page';
import { type ReadPage, readLines } from '../pdf/text/upright';
import type { Chunk } from './chunks';
import { type MapArea, readMapAreas } from './links';
import { type DjvuDocument, openDocument } from './open-document';
import { type PageInfo, readPageInfo } from './page-info';
import { findWords } from './page-words';
import { readTextLayer, type TextLayer } from './text-layer';

/** Limit for the characters and zones of a page. Pages of newspapers have fewer. */
const maxCharacters = 100_000;
/** Warnings name no more pages than this. */
const maxNamedPages = 20;

/**
 * Reads the text layer of the pages with the layout analysis of PDF. Images of pages are not decoded: a warning names the pages
 * without text. A damaged page is reported and skipped. Throws the error of a page if no text can be read, and
 * FORMAT_UNSUPPORTED if no page has text.
 */
export async function read(bytes: Uint8Array, options: ReadOptions): Promise<DoclingDocument> {
  const djvu = openDocument(bytes, options);
  const pages = readPages(djvu, choosePages(djvu.pageCount, options), options);
  const document = await assemblePages(pages, djvu.bookmarks, options);
  accountForText(document, pages, options);
  return document;
}

function readPages(djvu: DjvuDocument, [begin, end]: readonly [number, number], options: ReadOptions): ReadPage[] {
  const { name, pageFailed, onPageDone } = options;
  const pages: ReadPage[] = [];
  const withoutText: number[] = [];
  let failure: AppError | undefined;
  for (let pageNo = begin; pageNo <= end; pageNo += 1) {
    try {
      const page = readPage(djvu, pageNo, options);
      if (page.glyphs.length === 0) withoutText.push(pageNo);
      pages.push(readLines(page));
    } catch (error) {
      if (!(error instanceof AppError) || djvu.isTooLarge()) throw error;
      failure = error;
      pageFailed?.(pageNo, error.message);
    }
    onPageDone?.(pageNo - begin + 1, end - begin + 1);
  }
  if (failure && withoutText.length === pages.length)
    throw new AppError(failure.code, `No text of '${name}' can be read. ${failure.message}`, {}, failure);
  reportPagesWithoutText(withoutText, pages.length, options);
  return pages;
}

function reportPagesWithoutText(
  pages: readonly number[],
  count: number,
  { name, warn, recordOmission }: ReadOptions,
): void {
  if (pages.length === 0) return;
  if (pages.length === count)
    throw new AppError(
      'FORMAT_UNSUPPORTED',
      `'${name}' has no text layer, and the images of DjVu pages are not read; save it as PDF.`,
    );
  pages.forEach(() => recordOmission?.('page without text'));
  const named = pages.slice(0, maxNamedPages).join(', ');
  const more = pages.length > maxNamedPages ? ` and ${pages.length - maxNamedPages} more` : '';
  const subject = pages.length === 1 ? `Page ${named} has` : `Pages ${named}${more} have`;
  warn?.(`${subject} no text layer. The images of DjVu pages are not read.`);
}

/** Reads the words and links of a page. Throws DOCUMENT_CORRUPT. */
function readPage(djvu: DjvuDocument, pageNo: number, options: ReadOptions): RawPage {
  const chunks = djvu.page(pageNo);
  const info = readPageInfo(chunks.find(({ id }) => id === 'INFO')?.data);
  const { read, upright } = findWords(readText(djvu, chunks, options.limits.maxDepth), info);
  const points = 72 / info.dpi;
  // The confidence of the program that recognized the text is unknown.
  const { ocrScore: _, ...page } = buildPageOfWords(pageNo, read, points);
  for (const { uri, comment, box } of findMapAreas(djvu, { chunks, pageNo, upright }, options)) {
    if (comment !== '') options.recordOmission?.('comment', comment);
    if (!/^(?:https?|mailto|ftp|tel):/i.test(uri)) continue;
    page.links.push({ box: { l: box.l * points, b: box.b * points, r: box.r * points, t: box.t * points }, uri });
  }
  return page;
}

interface PageChunks {
  chunks: readonly Chunk[];
  pageNo: number;
  upright: PageInfo;
}

function findMapAreas(djvu: DjvuDocument, { chunks, pageNo, upright }: PageChunks, { warn }: ReadOptions): MapArea[] {
  try {
    return chunks
      .filter(({ id }) => id === 'ANTa' || id === 'ANTz')
      .flatMap((chunk) => readMapAreas(djvu.expand(chunk).toString('utf8'), upright));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'DOCUMENT_CORRUPT') throw error;
    warn?.(`The links of page ${pageNo} are missing: ${error.message}`);
    return [];
  }
}

function readText(djvu: DjvuDocument, chunks: readonly Chunk[], maxDepth: number): TextLayer {
  const chunk = chunks.find(({ id }) => id === 'TXTa' || id === 'TXTz');
  if (!chunk) return { text: Buffer.alloc(0), root: undefined };
  const layer = readTextLayer(djvu.expand(chunk), { maxZones: maxCharacters, maxDepth });
  if (layer.text.length > 4 * maxCharacters || layer.text.toString('utf8').length > maxCharacters)
    throw new AppError('DOCUMENT_TOO_LARGE', `The page has more than ${maxCharacters} characters.`);
  return layer;
}
