import type { DocumentBuilder } from '../../../document/builder';
import type { GroupItem, ImageRef, Provenance } from '../../../document/model';
import type { OoxmlPackage } from '../package';
import type { Shape } from './shapes';
import type { Theme } from './theme';

/** EMU (English Metric Units) per point. */
export const emuPerPoint = 12_700;

/** Data shared by the shapes of one slide. */
export interface SlideContext {
  builder: DocumentBuilder;
  office: OoxmlPackage;
  part: string;
  theme: Theme;
  image: (part: string) => ImageRef | undefined;
  group: GroupItem;
  pageNo: number;
  /** Size of the slide, in points. */
  size: { width: number; height: number };
}

/** Returns the position of a shape in points from the top left corner. A shape without a position covers the slide. */
export function createProvenance(
  { pageNo, size }: SlideContext,
  { box }: Pick<Shape, 'box'>,
  length: number,
): Provenance[] {
  const toPoints = (emu: number) => Math.round((emu / emuPerPoint) * 100) / 100;
  const bbox =
    box === undefined
      ? { l: 0, t: 0, r: size.width, b: size.height }
      : {
          l: toPoints(box.left),
          t: toPoints(box.top),
          r: toPoints(box.left + box.width),
          b: toPoints(box.top + box.height),
        };
  return [{ page_no: pageNo, bbox: { ...bbox, coord_origin: 'TOPLEFT' }, charspan: [0, length] }];
}
