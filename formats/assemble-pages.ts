import type { DoclingDocument } from '../document/model';
import { AppError } from '../model/errors';
import { getStem, type ReadOptions } from './format';
import { checkPageRange } from './page-range';
import type { Bookmark } from './pdf/geometry/page';
import { assembleDocument } from './pdf/layout/assemble';
import type { ReadPage } from './pdf/text/upright';

/** The first and last page to read of a document with this many. Throws for too many pages and for a range beyond them. */
export function choosePages(count: number, { name, limits, paged = {} }: ReadOptions): [begin: number, end: number] {
  if (count > limits.maxPages)
    throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has ${count} pages; the limit is ${limits.maxPages}.`);
  const [first, last] = paged.range ?? [1, count];
  checkPageRange(first, count);
  return [Math.max(first, 1), Math.min(last, count)];
}

/** The document of pages that were not read from a PDF, by the layout analysis of PDF. */
export function assemblePages(
  pages: readonly ReadPage[],
  bookmarks: readonly Bookmark[],
  { name, paged = {}, profile, scored }: ReadOptions,
): Promise<DoclingDocument> {
  const { tableMode, headings } = paged;
  return assembleDocument(getStem(name), pages, { bookmarks, tableMode, headings, recordScores: scored, profile });
}
