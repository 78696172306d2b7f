import type { DoclingDocument } from '../../document/model';
import { toTopLeft } from '../../document/pages';
import { AppError } from '../../model/errors';
import { assemblePages, choosePages } from '../assemble-pages';
import type { ReadOptions } from '../format';
import { createImages } from '../ooxml/image';
import { type Box, computeCoverage } from '../pdf/geometry/box';
import type { Bookmark } from '../pdf/geometry/page';
import { type ReadPage, readLines } from '../pdf/text/upright';
import { listDescendants } from '../xml/xml';
import { openXps, resolvePart, type XpsPackage } from './package';
import { createFontLookup, readXpsPage, type XpsPage } from './page';

/** A picture and the image in its place must cover at least this share of each other. */
const minCovered = 0.8;
const maxBookmarks = 20_000;

/**
 * Reads the pages with the layout analysis of PDF. A damaged page is reported and skipped; if no page can be read, throws
 * DOCUMENT_CORRUPT.
 */
export async function read(bytes: Uint8Array, options: ReadOptions): Promise<DoclingDocument> {
  const { name, limits } = options;
  const xps = openXps(bytes, name, limits);
  const [begin, end] = choosePages(xps.pages.length, options);
  const face = createFontLookup(xps);
  const pages: ReadPage[] = [];
  const images = new Map<number, XpsPage['images']>();
  let failure: unknown;
  for (let pageNo = begin; pageNo <= end; pageNo += 1) {
    try {
      const xpsPage = readXpsPage(xps, pageNo, face);
      images.set(pageNo, xpsPage.images);
      pages.push(readLines(xpsPage.page));
    } catch (error) {
      // The limits of the package apply to all pages together.
      if (error instanceof AppError && error.code === 'DOCUMENT_TOO_LARGE') throw error;
      failure = error;
      options.pageFailed?.(pageNo, error instanceof Error ? error.message : String(error));
    }
    options.onPageDone?.(pageNo - begin + 1, end - begin + 1);
  }
  if (pages.length === 0 && failure !== undefined)
    throw new AppError('DOCUMENT_CORRUPT', `No page of '${name}' can be read.`, {}, failure);
  const document = await assemblePages(pages, readOutline(xps), options);
  addImages(document, xps, images);
  return document;
}

/** Returns the entries of the outlines as bookmarks. Entries that name a place on a page have no page number. */
function readOutline(xps: XpsPackage): Bookmark[] {
  const pageNumbers = new Map(xps.pages.map((part, index) => [part.toLowerCase(), index + 1]));
  const entries = xps.structures.flatMap((part) => {
    const root = xps.xml(part);
    return root ? listDescendants(root, 'OutlineEntry').map(({ attributes }) => ({ attributes, part })) : [];
  });
  return entries.slice(0, maxBookmarks).map(({ attributes, part }) => ({
    title: attributes['Description'] ?? '',
    level: Number(attributes['OutlineLevel']) || 1,
    pageNo: pageNumbers.get(resolvePart(part, attributes['OutlineTarget'] ?? '').toLowerCase()),
  }));
}

/** Gives each picture the data of the image in its place. */
function addImages(document: DoclingDocument, xps: XpsPackage, images: ReadonlyMap<number, XpsPage['images']>): void {
  const load = createImages({ zip: { read: (part) => xps.read(part), declaredSize: (part) => xps.sizeOf(part) } });
  for (const picture of document.pictures) {
    const place = picture.prov[0];
    if (!place) continue;
    const box = toLowerLeft(place.bbox, document.pages[String(place.page_no)]?.size.height ?? 0);
    const coveringImage = images
      .get(place.page_no)
      ?.find((item) => computeCoverage(box, item.box) >= minCovered && computeCoverage(item.box, box) >= minCovered);
    const image = coveringImage && load(coveringImage.part);
    if (image) picture.image = image;
  }
}

function toLowerLeft(bbox: DoclingDocument['pictures'][number]['prov'][number]['bbox'], height: number): Box {
  if (bbox.coord_origin === 'BOTTOMLEFT') return bbox;
  const [l = 0, t = 0, r = 0, b = 0] = toTopLeft(bbox, height);
  return { l, r, b: height - b, t: height - t };
}
