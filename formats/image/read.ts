import type { DoclingDocument } from '../../document/model';
import { toTopLeft } from '../../document/pages';
import { walkNodes, isGroup } from '../../document/tree';
import { AppError } from '../../model/errors';
import type { OpenedImage } from '../../model/page/ocr';
import type { PageModel } from '../../model/page/vision';
import { type DrawnItems, getStem, type ReadOptions } from '../format';
import { readByModel } from '../page-model';
import { checkPageRange } from '../page-range';
import type { RawPage } from '../pdf/geometry/page';
import { assembleDocument } from '../pdf/layout/assemble';
import { createPageModelReader } from '../pdf/layout/page-model-reader';
import { buildPageOfWords } from '../pdf/text/ocr-page';
import { type ReadPage, readLines } from '../pdf/text/upright';
import { watchRecognition } from '../unread-pages';

/**
 * Reads an image with one document page per image page. OCR text is laid out like the text of a PDF. Without text or OCR the
 * page is one picture. Throws the errors of `openImage`.
 */
export async function read(bytes: Uint8Array, options: ReadOptions): Promise<DoclingDocument> {
  const { name, limits, openImage, ocr, paged, warn, models, modelFailed } = options;
  if (!openImage) throw new AppError('FORMAT_UNSUPPORTED', `'${name}' is an image, and no image decoder is available.`);
  const opened = await openImage(bytes, name);
  if (opened.pages > limits.maxPages)
    throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has ${opened.pages} pages; the limit is ${limits.maxPages}.`);
  const [first, last] = paged?.range ?? [1, opened.pages];
  checkPageRange(first, opened.pages);
  if (options.pageModel) return readWithModel(opened, options.pageModel, options);
  const pages: ReadPage[] = [];
  const draw = async (pageNo: number) => (await opened.page(pageNo)).png;
  const pageReader = models && createPageModelReader({ models, draw, modelFailed });
  const watched = ocr && watchRecognition(ocr.recognize, { name, warn });
  const images = new Map<number, { png: Uint8Array; width: number; height: number }>();
  const [begin, end] = [Math.max(1, first), Math.min(last, opened.pages)];
  options.onPageDone?.(0, end - begin + 1);
  for (let pageNo = begin; pageNo <= end; pageNo += 1) {
    const page = await opened.page(pageNo);
    if (paged?.pageScale !== undefined || paged?.pictureScale !== undefined || paged?.drawn) images.set(pageNo, page);
    const points = 72 / page.dpi;
    const words = watched && (await watched.recognize(pageNo, page.png));
    const read = readLines(
      words ? buildPageOfWords(pageNo, words, points, ocr?.keepsWords) : buildPicturePage(pageNo, page, points),
    );
    pages.push((await pageReader?.findRegions(read)) ?? read);
    options.onPageDone?.(pageNo - begin + 1, end - begin + 1);
  }
  watched?.finish(pages.length);
  if (!ocr) warn?.('the text of images is not read: text recognition is off');
  const { tableMode, headings } = paged ?? {};
  const document = await assembleDocument(getStem(name), pages, {
    bookmarks: [],
    tableMode,
    headings,
    pageModelReader: pageReader,
    recordScores: options.scored,
  });
  if (paged?.pictureScale !== undefined) keepPictures(document, images);
  if (paged?.drawn) await drawItems(document, (pageNo) => Promise.resolve(images.get(pageNo)), paged.drawn);
  return document;
}

async function readWithModel(opened: OpenedImage, model: PageModel, options: ReadOptions): Promise<DoclingDocument> {
  const { name, paged } = options;
  const [first, last] = paged?.range ?? [1, opened.pages];
  const end = Math.min(last, opened.pages);
  const begin = Math.max(1, first);
  const pages = Array.from({ length: Math.max(0, end - begin + 1) }, (_, index) => ({
    pageNo: begin + index,
    draw: async () => {
      const { png, width, height, dpi } = await opened.page(begin + index);
      return { png, width: (width * 72) / dpi, height: (height * 72) / dpi };
    },
  }));
  const document = await readByModel(pages, model, { ...options, stem: getStem(name) });
  if (paged?.drawn) await drawItems(document, (pageNo) => opened.page(pageNo), paged.drawn);
  return document;
}

/** Cuts the requested items out of their pages and passes on their images. */
async function drawItems(
  document: DoclingDocument,
  pageAt: (pageNo: number) => Promise<{ png: Uint8Array; width: number; height: number } | undefined>,
  { labels, crop, take }: DrawnItems,
): Promise<void> {
  for (const { ref, node } of walkNodes(document)) {
    const place = isGroup(node) || !labels.has(node.label) ? undefined : node.prov[0];
    const size = document.pages[String(place?.page_no)]?.size;
    const page = place && size ? await pageAt(place.page_no) : undefined;
    if (!place || !size || !page) continue;
    const [l = 0, t = 0, r = 0, b = 0] = toTopLeft(place.bbox, size.height);
    const [x, y] = [page.width / size.width, page.height / size.height];
    const left = Math.max(0, Math.floor(l * x));
    const top = Math.max(0, Math.floor(t * y));
    const width = Math.min(page.width, Math.ceil(r * x)) - left;
    const height = Math.min(page.height, Math.ceil(b * y)) - top;
    const isWhole = width === page.width && height === page.height;
    if (width > 0 && height > 0) take(ref, isWhole ? page.png : await crop(page.png, { left, top, width, height }));
  }
}

/** Builds a page that consists of one picture. */
function buildPicturePage(
  pageNo: number,
  { width, height }: { width: number; height: number },
  points: number,
): RawPage {
  const [w, h] = [width * points, height * points];
  const images = [{ l: 0, b: 0, r: w, t: h }];
  return { pageNo, width: w, height: h, glyphs: [], rules: [], fills: [], drawings: [], images, links: [] };
}

/** Stores the image of the page with its picture, which covers the whole page. */
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
