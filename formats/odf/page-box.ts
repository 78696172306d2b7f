import type { Provenance } from '../../document/model';
import { findChild, listDescendants, listElements, type XmlElement } from '../xml/xml';
import { type OdfPackage, parsePoints } from './package';

/** Size of a page in points. */
export interface Size {
  width: number;
  height: number;
}

/** Returns the position of a shape in points from the top left corner of the page. A shape without a position covers the page. */
export function createProvenance(page: number, shape: XmlElement | undefined, size: Size, length: number): Provenance {
  const { attributes = {} } = shape ?? {};
  const [l, t] = [parsePoints(attributes['svg:x']), parsePoints(attributes['svg:y'])];
  const [width, height] = [parsePoints(attributes['svg:width']), parsePoints(attributes['svg:height'])];
  const isPlaced = l !== undefined && t !== undefined && width !== undefined && height !== undefined;
  const box = isPlaced ? { l, t, r: l + width, b: t + height } : { l: 0, t: 0, r: size.width, b: size.height };
  return { page_no: page, bbox: { ...box, coord_origin: 'TOPLEFT' }, charspan: [0, length] };
}

/** The size of new Impress slides: 28 × 15.75 cm. */
const defaultSize: Size = { width: 793.7, height: 446.46 };

/** Returns the size in the layout of the page's master, or the default size. */
export function findPageSize({ styles }: OdfPackage, master: string | undefined): Size {
  const masters = listElements(findChild(styles, 'office:master-styles'), 'style:master-page');
  const element = masters.find(({ attributes }) => attributes['style:name'] === master) ?? masters[0];
  const name = element?.attributes['style:page-layout-name'];
  const layouts = styles === undefined ? [] : listDescendants(styles, 'style:page-layout');
  const layout = layouts.find(({ attributes }) => attributes['style:name'] === name);
  const { attributes = {} } = findChild(layout, 'style:page-layout-properties') ?? {};
  return {
    width: parsePoints(attributes['fo:page-width']) ?? defaultSize.width,
    height: parsePoints(attributes['fo:page-height']) ?? defaultSize.height,
  };
}
