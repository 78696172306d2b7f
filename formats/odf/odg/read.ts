import { createDocument } from '../../../document/builder';
import type { GroupItem } from '../../../document/model';
import { AppError } from '../../../model/errors';
import { findLargest, findSmallest } from '../../extremes';
import { type ReadDocument, getStem } from '../../format';
import { sortReadingRows, type RowPlace } from '../../reading-rows';
import { listElements, type XmlElement } from '../../xml/xml';
import { createContext } from '../blocks';
import type { OdfContext } from '../context';
import { addDrawing } from '../drawing';
import { createSlideFurniture } from '../furniture';
import { openOdf, parsePoints } from '../package';
import { findPageSize, createProvenance } from '../page-box';

/** Reads each page of a drawing as a page with one group: the texts and pictures of shapes, from top to bottom and left to right. */
export const read: ReadDocument = (bytes, options) => {
  const { name, limits } = options;
  const office = openOdf(bytes, options, 'drawing');
  const pages = listElements(office.body, 'draw:page');
  if (pages.length > limits.maxPages) {
    throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has ${pages.length} pages; the limit is ${limits.maxPages}.`);
  }
  const context = createContext(createDocument(getStem(name)), office, options);
  const addFurniture = createSlideFurniture(context);
  for (const [index, page] of pages.entries()) {
    const group = addPage(context, page, index + 1);
    addFurniture(page, group, (length) => [createProvenance(index + 1, undefined, { width: 0, height: 0 }, length)]);
  }
  return context.builder.document;
};

function addPage(context: OdfContext, page: XmlElement, number: number): GroupItem {
  const { builder, office } = context;
  const size = findPageSize(office, page.attributes['draw:master-page-name']);
  builder.page(number, size.width, size.height);
  const parent = builder.group('chapter', { name: page.attributes['draw:name'] ?? `page ${number}` });
  const shapes = listElements(page).filter((element) => element.name.startsWith('draw:'));
  for (const { shape } of sortReadingRows(shapes.map((element) => locateShape(element)))) {
    const createProv = (length: number) => [createProvenance(number, shape, size, length)];
    addDrawing(context, shape, { parent, prov: createProv });
  }
  return parent;
}

interface PlacedShape extends RowPlace {
  shape: XmlElement;
}

/** Returns the position of a shape; a group has the position of its first placed shape. */
function locateShape(shape: XmlElement): PlacedShape {
  const { attributes } = shape;
  // Rotated shapes have a translation instead of a position.
  const moved = /translate\s*\(\s*(\S+)\s+(\S+?)\s*\)/.exec(attributes['draw:transform'] ?? '');
  const left = parsePoints(attributes['svg:x'] ?? attributes['svg:x1'] ?? moved?.[1]);
  const top = parsePoints(attributes['svg:y'] ?? attributes['svg:y1'] ?? moved?.[2]);
  if (left !== undefined && top !== undefined)
    return { shape, left, top, bottom: top + (parsePoints(attributes['svg:height']) ?? 0) };
  const inner = shape.name === 'draw:g' || shape.name === 'draw:a' ? listElements(shape) : [];
  const places = inner.map((element) => locateShape(element)).filter((item) => Number.isFinite(item.top));
  if (places.length === 0) return { shape, left: 0, top: Infinity, bottom: Infinity };
  return {
    shape,
    left: findSmallest(places.map((place) => place.left)),
    top: findSmallest(places.map((place) => place.top)),
    bottom: findLargest(places.map((place) => place.bottom)),
  };
}
