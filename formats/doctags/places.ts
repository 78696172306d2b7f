import type { DocumentBuilder, Placement } from '../../document/builder';
import type { NodeItem, Provenance, TextItem } from '../../document/model';
import type { Tag } from './tags';

/** A page of the document; its size is in points. */
export interface DoctagsPage {
  pageNo: number;
  width: number;
  height: number;
}

/** Locations are in units of 1/500 of the page width and height. */
const resolution = 500;

/** The state of the reader. */
export interface Reading {
  builder: DocumentBuilder;
  pages: readonly DoctagsPage[];
  /** Index of the current page. */
  at: number;
  /** The previous element as written: models in a loop repeat it forever. */
  before: string;
}

/** Returns the position of an element: each four numbers are a box. Invalid boxes become the whole page. */
export function readProvenance({ pages, at }: Reading, tag: Tag | undefined, text: string): Pick<Placement, 'prov'> {
  const page = pages[at];
  if (!page) return {};
  const charspan = [0, text.length];
  const wholePage = { l: 0, t: 0, r: page.width, b: page.height, coord_origin: 'TOPLEFT' as const };
  const prov: Provenance[] = [];
  const places = tag?.places ?? [];
  for (let first = 0; first + 4 <= places.length; first += 4) {
    const box = computeBox(places.slice(first, first + 4), page);
    if (box) prov.push({ page_no: page.pageNo, bbox: { ...box, coord_origin: 'TOPLEFT' }, charspan });
  }
  return { prov: prov.length > 0 ? prov : [{ page_no: page.pageNo, bbox: wholePage, charspan }] };
}

/** Converts two corners in units of the format; undefined for an empty box. */
function computeBox([x0 = 0, y0 = 0, x1 = 0, y1 = 0]: number[], { width, height }: DoctagsPage) {
  const toPoints = (value: number, length: number) =>
    Math.round((1_000 * Math.min(value, resolution) * length) / resolution) / 1_000;
  const [l, r] = [Math.min(x0, x1), Math.max(x0, x1)].map((value) => toPoints(value, width)) as [number, number];
  const [t, b] = [Math.min(y0, y1), Math.max(y0, y1)].map((value) => toPoints(value, height)) as [number, number];
  return r > l && b > t ? { l, t, r, b } : undefined;
}

/** Returns the text of an element and its descendants without captions. Line breaks are kept. */
export function readText(part: Tag | string): string {
  if (typeof part === 'string') return part;
  return part.content
    .map((inner) => (typeof inner !== 'string' && inner.name === 'caption' ? '' : readText(inner)))
    .join('');
}

/** Returns the children of an element with that name. */
export function listTags({ content }: Tag, name: string): Tag[] {
  return content.filter((part): part is Tag => typeof part !== 'string' && part.name === name);
}

/**
 * Adds a caption below `parent`; the caller references it from its owner. Without its own location, it gets the location of
 * `owner`. Returns undefined if it is empty.
 */
export function addCaption(reading: Reading, tag: Tag, owner: Tag, parent: NodeItem): TextItem | undefined {
  const text = readText(tag).trim();
  if (text === '') return undefined;
  const place = readProvenance(reading, tag.places.length < 4 ? owner : tag, text);
  return reading.builder.text('caption', text, { parent, ...place });
}
