import type { DoclingDocument } from '../../document/model';
import { AppError } from '../../model/errors';
import { stemOf, type ReadOptions } from '../format';
import { assembleDocument } from '../pdf/assemble';
import { pageOfWords } from '../pdf/ocr-page';
import type { RawPage } from '../pdf/page';
import { type ReadPage, readLines } from '../pdf/upright';

/**
 * An image as a document: one page each, whose text is what the recogniser reads, laid out as that of a PDF; without text,
 * or without recogniser, one picture. Throws what `openImage` throws.
 */
export async function read(bytes: Uint8Array, options: ReadOptions): Promise<DoclingDocument> {
  const { name, limits, openImage, ocr, paged, warn } = options;
  if (!openImage)
    throw new AppError(
      'FORMAT_UNSUPPORTED',
      `'${name}' is an image, and no decoder of images was given to the reader.`,
    );
  const opened = await openImage(bytes, name);
  if (opened.pages > limits.maxPages)
    throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has ${opened.pages} pages; the limit is ${limits.maxPages}.`);
  const [first, last] = paged?.range ?? [1, opened.pages];
  const pages: ReadPage[] = [];
  const images = new Map<number, { png: Uint8Array; width: number; height: number }>();
  for (let pageNo = Math.max(1, first); pageNo <= Math.min(last, opened.pages); pageNo += 1) {
    const page = await opened.page(pageNo);
    if (paged?.pageScale !== undefined || paged?.pictureScale !== undefined) images.set(pageNo, page);
    const points = 72 / page.dpi;
    const words = ocr ? await ocr.recognize(page.png) : undefined;
    pages.push(readLines(words ? pageOfWords(pageNo, words, points) : pictureOnly(pageNo, page, points)));
  }
  if (!ocr) warn?.('the text of images is not read: text recognition is off');
  const document = assembleDocument(stemOf(name), pages, { bookmarks: [], tableMode: paged?.tableMode });
  if (paged?.pictureScale !== undefined) keepPictures(document, images);
  return document;
}

function pictureOnly(pageNo: number, { width, height }: { width: number; height: number }, points: number): RawPage {
  const [w, h] = [width * points, height * points];
  const images = [{ l: 0, b: 0, r: w, t: h }];
  return { pageNo, width: w, height: h, glyphs: [], rules: [], fills: [], drawings: [], images, links: [] };
}

/** A picture that is the whole page is the image itself. */
function keepPictures(
  document: DoclingDocument,
  images: ReadonlyMap<number, { png: Uint8Array; width: number; height: number }>,
): void {
  for (const picture of document.pictures) {
    const image = images.get(picture.prov[0]?.page_no ?? 0);
    if (!image) continue;
    const uri = `data:image/png;base64,${Buffer.from(image.png).toString('base64')}`;
    picture.image = { mimetype: 'image/png', dpi: 72, size: { width: image.width, height: image.height }, uri };
  }
}
