import path from 'node:path';
import type { DoclingDocument, ImageRef, Provenance } from '../../document/model';
import { toTopLeft } from '../../document/pages';
import { walkNodes, isGroup } from '../../document/tree';
import { AppError } from '../../model/errors';
import type { OcrOptions } from '../../model/page/ocr';
import type { PageModel } from '../../model/page/vision';
import type { DrawnItems, PageOptions, ReadOptions } from '../format';
import { readByModel } from '../page-model';
import { checkPageRange } from '../page-range';
import { watchRecognition, type WatchedRecognition } from '../unread-pages';
import { accountForText } from './account/text-share';
import { fillSigns, findUnknownSigns, findUnreadableFonts, replaceSigns } from './characters/recognized-signs';
import { openReader, type PdfReader } from './engine/reader';
import type { Box } from './geometry/box';
import type { Font, RawPage, RenderedImage } from './geometry/page';
import { assembleDocument } from './layout/assemble';
import { createPageModelReader, type PageModelReader } from './layout/page-model-reader';
import { keepPage, takePage } from './text/kept-page';
import { isScan, ocrDpi, buildPageOfWords } from './text/ocr-page';
import { readLines, type ReadPage } from './text/upright';

const xfaWarning =
  'the file is an XFA form, which only few viewers can show: the text is that of its pages, which may be a substitute without the fields of the form';

/**
 * Reads a PDF with a text layer as a document: reading order, headings, lists, tables, pictures, each with page and box. An
 * unreadable page is reported and skipped; if no page is readable, throws DOCUMENT_CORRUPT.
 */
export async function read(bytes: Uint8Array, options: ReadOptions): Promise<DoclingDocument> {
  const { name, limits, paged = {} } = options;
  const reader = watchPages(await openReader(bytes, name, paged.password), options.onPage);
  try {
    if (reader.pageCount > limits.maxPages)
      throw new AppError(
        'DOCUMENT_TOO_LARGE',
        `'${name}' has ${reader.pageCount} pages; the limit is ${limits.maxPages}.`,
      );
    if (reader.isXfa) options.warn?.(xfaWarning);
    const document = options.pageModel
      ? await askForPages(reader, options.pageModel, options)
      : await assemble(reader, options);
    await addImages(document, reader, paged);
    if (paged.drawn) await drawItems(document, reader, paged.drawn);
    options.onPage?.(0);
    return document;
  } finally {
    reader.close();
  }
}

/** A reader that reports each page it reads or renders. */
function watchPages(reader: PdfReader, onPage: ReadOptions['onPage']): PdfReader {
  if (!onPage) return reader;
  return {
    ...reader,
    page(pageNo) {
      onPage(pageNo);
      return reader.page(pageNo);
    },
    render(pageNo, scale, part) {
      onPage(pageNo);
      return reader.render(pageNo, scale, part);
    },
  };
}

async function assemble(reader: PdfReader, options: ReadOptions): Promise<DoclingDocument> {
  const { models, modelFailed, paged, profile } = options;
  const draw = async (pageNo: number, scale: number) => (await reader.render(pageNo, scale)).png;
  const eyes = models && createPageModelReader({ models, draw, modelFailed });
  const pages = await readPages(reader, options, eyes);
  options.onPage?.(0);
  const bookmarks = await reader.readBookmarks();
  const { tableMode, headings } = paged ?? {};
  const document = await assembleDocument(path.parse(options.name).name, pages, {
    bookmarks,
    tableMode,
    headings,
    pageModelReader: eyes,
    recordScores: options.scored,
    profile,
  });
  accountForText(document, pages, options);
  const onPages = pages.reduce((sum, { page }) => sum + (page.attachments ?? 0), 0);
  for (let count = 0; count < reader.attachmentCount + onPages; count += 1) options.recordOmission?.('attachment');
  if (profile === 'reference')
    for (const { text } of pages.flatMap(({ page }) => page.comments ?? [])) options.recordOmission?.('comment', text);
  return document;
}

function askForPages(reader: PdfReader, model: PageModel, options: ReadOptions): Promise<DoclingDocument> {
  const [first, last] = findPageRange(reader, options);
  const pages = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => ({
    pageNo: first + index,
    draw: async () => {
      const { png, width, height } = await reader.render(first + index, model.scale);
      return { png, width: width / model.scale, height: height / model.scale };
    },
  }));
  return readByModel(pages, model, { ...options, stem: path.parse(options.name).name });
}

function findPageRange(reader: PdfReader, { paged }: ReadOptions): [first: number, last: number] {
  const [first, last] = paged?.range ?? [1, reader.pageCount];
  checkPageRange(first, reader.pageCount);
  return [Math.max(first, 1), Math.min(last, reader.pageCount)];
}

async function readPages(reader: PdfReader, options: ReadOptions, eyes?: PageModelReader): Promise<ReadPage[]> {
  const { name, pageFailed, onPageDone, ocr, warn } = options;
  const watched = ocr && {
    ...watchRecognition(ocr.recognize, { name, warn }),
    mode: ocr.mode,
    keepsWords: ocr.keepsWords ?? false,
    readImage: ocr.recognize,
  };
  const [first, end] = findPageRange(reader, options);
  const pages: ReadPage[] = [];
  let failure: unknown;
  onPageDone?.(0, end - first + 1);
  for (let pageNo = first; pageNo <= end; pageNo += 1) {
    try {
      pages.push(
        takeEarlier(pageNo, options, watched) ?? (await readAndKeep(reader, pageNo, { options, watched, eyes })),
      );
    } catch (error) {
      failure = error;
      pageFailed?.(pageNo, error instanceof Error ? error.message : String(error));
    }
    onPageDone?.(pageNo - first + 1, end - first + 1);
  }
  watched?.finish(pages.length);
  if (pages.length > 0 || failure === undefined) return pages;
  if (failure instanceof AppError) throw failure;
  const reason = failure instanceof Error ? failure.message : 'no page could be read';
  throw new AppError('DOCUMENT_CORRUPT', `'${name}' is a PDF without a readable page: ${reason}.`, {}, failure);
}

type Watched = WatchedRecognition &
  Pick<OcrOptions, 'mode' | 'keepsWords'> & {
    /** Reads an image without recording what could not be read: the page has its own text. */
    readImage: OcrOptions['recognize'];
  };

/** A page that an earlier attempt has read. */
function takeEarlier(pageNo: number, { keptPages }: ReadOptions, watched: Watched | undefined): ReadPage | undefined {
  const earlier = keptPages && takePage(keptPages, pageNo);
  if (!earlier?.recognized) return earlier?.page;
  // The recognizer finds out which languages are missing when it reads its first page.
  if (!watched || watched.pages.size === 0) return undefined;
  watched.pages.set(pageNo, earlier.recognized);
  return earlier.page;
}

async function readAndKeep(
  reader: PdfReader,
  pageNo: number,
  { options, watched, eyes }: { options: ReadOptions; watched: Watched | undefined; eyes: PageModelReader | undefined },
): Promise<ReadPage> {
  const { keptPages, models } = options;
  let isWhole = true;
  const warn = (message: string) => {
    isWhole = false;
    options.warn?.(message);
  };
  const page = readLines(await readPage(reader, pageNo, { ocr: watched, profile: options.profile, warn }));
  const seen = (await eyes?.findRegions(page)) ?? page;
  // Pages with omissions are not kept, so that the next attempt reads them and reports the omissions again.
  if (models?.layout && !seen.regions) isWhole = false;
  if (keptPages && isWhole) keepPage(keptPages, { page: seen, recognized: watched?.pages.get(pageNo) });
  return seen;
}

/** The page as drawn. If it has no text, or its text is not to be used, OCR of its image adds the text. */
async function readPage(
  reader: PdfReader,
  pageNo: number,
  { ocr, profile, warn }: { ocr: Watched | undefined } & Pick<ReadOptions, 'profile' | 'warn'>,
): Promise<RawPage> {
  const page = await reader.page(pageNo);
  if (!ocr) return page;
  // The reference recognises whole pages only.
  const isInPlace = ocr.mode === 'auto' && profile !== 'reference';
  const unreadable = isInPlace ? findUnreadableFonts(page) : new Set<Font>();
  if (ocr.mode === 'auto' && unreadable.size === 0 && !isScan(page))
    return isInPlace ? fillPage(reader, page, ocr) : page;
  const { png } = await reader.render(pageNo, ocrDpi / 72);
  try {
    const recognized = await ocr.recognize(pageNo, png, ocrDpi / (page.imageDpi ?? ocrDpi));
    return unreadable.size > 0 && recognized.turned === 0
      ? replaceSigns(page, unreadable, recognized, { points: 72 / ocrDpi, keepsWords: ocr.keepsWords })
      : buildPageOfWords(pageNo, recognized, 72 / ocrDpi, ocr.keepsWords);
  } catch (error) {
    if (ocr.mode === 'force' || !(error instanceof AppError) || error.code !== 'OPTIONAL_PACKAGE_MISSING') throw error;
    warn?.(`the text of page ${pageNo} is not read: ${error.message}`);
    return page;
  }
}

/** The page with the characters that recognition names for signs without names in its text. Without OCR, they stay unknown. */
async function fillPage(reader: PdfReader, page: RawPage, { readImage }: Watched): Promise<RawPage> {
  const signs = findUnknownSigns(page);
  if (signs.size === 0) return page;
  const { png } = await reader.render(page.pageNo, ocrDpi / 72);
  try {
    const recognized = await readImage(png);
    return recognized.turned === 0 ? fillSigns(page, signs, recognized, 72 / ocrDpi) : page;
  } catch (error) {
    if (error instanceof AppError && error.code === 'OPTIONAL_PACKAGE_MISSING') return page;
    throw error;
  }
}

/** Renders the requested pictures and pages, one page after the other. */
async function addImages(
  document: DoclingDocument,
  reader: PdfReader,
  { pictureScale, pageScale }: PageOptions,
): Promise<void> {
  if (pictureScale !== undefined) {
    for (const picture of document.pictures) {
      const place = picture.prov[0];
      if (place) {
        const box = buildBox(document, place);
        picture.image = buildImageRef(await reader.render(place.page_no, pictureScale, box), pictureScale);
      }
    }
  }
  if (pageScale === undefined) return;
  for (const page of Object.values(document.pages))
    page.image = buildImageRef(await reader.render(page.page_no, pageScale), pageScale);
}

/** Passes on the images of the requested items; for an item continued elsewhere, that of its first part. */
async function drawItems(
  document: DoclingDocument,
  reader: PdfReader,
  { labels, scale, take }: DrawnItems,
): Promise<void> {
  for (const { ref, node } of walkNodes(document)) {
    const place = isGroup(node) || !labels.has(node.label) ? undefined : node.prov[0];
    if (place) take(ref, (await reader.render(place.page_no, scale, buildBox(document, place))).png);
  }
}

/** The box measured from the lower left corner of its page, as the engine measures it. */
function buildBox({ pages }: DoclingDocument, { page_no: pageNo, bbox }: Provenance): Box {
  if (bbox.coord_origin === 'BOTTOMLEFT') return bbox;
  const height = pages[String(pageNo)]?.size.height ?? 0;
  const [l = 0, t = 0, r = 0, b = 0] = toTopLeft(bbox, height);
  return { l, r, b: height - b, t: height - t };
}

function buildImageRef({ png, width, height }: RenderedImage, scale: number): ImageRef {
  const uri = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
  return { mimetype: 'image/png', dpi: Math.round(72 * scale), size: { width, height }, uri };
}
