import { findChild, listElements, type XmlElement } from '../../xml/xml';
import { type Placeholder, findPlaceholder, type Theme } from './theme';

/** A box in EMU from the top left corner of the slide. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** A shape of a slide; groups contain further shapes. */
export interface Shape {
  element: XmlElement;
  box: Box | undefined;
  placeholder: Placeholder | undefined;
  children: Shape[];
}

const shapeNames = new Set(['p:sp', 'p:pic', 'p:graphicFrame', 'p:grpSp', 'p:cxnSp']);
/** Shapes whose tops differ by less (0.05 inch) are in one row. */
const rowToleranceEmu = 45_720;

/** Returns the shapes of a slide in file order, with boxes resolved through layout, master and groups. */
export function readShapes(slide: XmlElement, theme: Theme): Shape[] {
  return readTree(findChild(findChild(slide, 'p:cSld'), 'p:spTree'), theme, (box) => box);
}

function readTree(tree: XmlElement | undefined, theme: Theme, toSlide: (box: Box) => Box): Shape[] {
  return listElements(tree).flatMap((element) => {
    if (element.name === 'mc:AlternateContent') {
      const choice = findChild(element, 'mc:Choice') ?? findChild(element, 'mc:Fallback');
      return readTree(choice, theme, toSlide);
    }
    if (!shapeNames.has(element.name)) return [];
    const placeholder = findPlaceholder(element);
    const candidates = [element, ...(placeholder === undefined ? [] : theme.inherited(placeholder))];
    const box = candidates.map(findBox).find((found) => found !== undefined);
    const isGroup = element.name === 'p:grpSp';
    const children = isGroup ? readTree(element, theme, scaleFromGroup(element, toSlide)) : [];
    return [{ element, box: box === undefined ? undefined : toSlide(box), placeholder, children }];
  });
}

function findTransform(element: XmlElement): XmlElement | undefined {
  if (element.name === 'p:graphicFrame') return findChild(element, 'p:xfrm');
  return findChild(findChild(element, element.name === 'p:grpSp' ? 'p:grpSpPr' : 'p:spPr'), 'a:xfrm');
}

function findBox(element: XmlElement): Box | undefined {
  return readBox(findTransform(element), 'a:off', 'a:ext');
}

function readBox(transform: XmlElement | undefined, offset: string, extent: string): Box | undefined {
  const off = findChild(transform, offset)?.attributes;
  const ext = findChild(transform, extent)?.attributes;
  const [left, top, width, height] = [off?.['x'], off?.['y'], ext?.['cx'], ext?.['cy']].map(Number);
  if (![left, top, width, height].every(Number.isFinite)) return undefined;
  return { left: left!, top: top!, width: width!, height: height! };
}

/** Converts boxes of a group's children, which have their own coordinate system (`a:chOff`, `a:chExt`), to those of the slide. */
function scaleFromGroup(group: XmlElement, toSlide: (box: Box) => Box): (box: Box) => Box {
  const outer = findBox(group);
  const inner = readBox(findTransform(group), 'a:chOff', 'a:chExt');
  if (outer === undefined || inner === undefined) return toSlide;
  const scaleX = inner.width === 0 ? 1 : outer.width / inner.width;
  const scaleY = inner.height === 0 ? 1 : outer.height / inner.height;
  return (box) =>
    toSlide({
      left: outer.left + (box.left - inner.left) * scaleX,
      top: outer.top + (box.top - inner.top) * scaleY,
      width: box.width * scaleX,
      height: box.height * scaleY,
    });
}

/**
 * Sorts shapes by rows from top to bottom, and left to right within a row; shapes without a position come last. Groups are kept
 * together.
 */
export function sortForReading<T extends { box: Pick<Box, 'left' | 'top'> | undefined }>(
  shapes: readonly T[],
  rowTolerance = rowToleranceEmu,
): T[] {
  const getTop = ({ box }: T) => box?.top ?? Number.MAX_SAFE_INTEGER;
  const getLeft = ({ box }: T) => box?.left ?? Number.MAX_SAFE_INTEGER;
  const sorted = [...shapes].sort((shape, other) => getTop(shape) - getTop(other));
  const rows: T[][] = [];
  let lastTop = Number.NEGATIVE_INFINITY;
  for (const shape of sorted) {
    if (getTop(shape) - lastTop > rowTolerance) rows.push([]);
    rows[rows.length - 1]!.push(shape);
    lastTop = getTop(shape);
  }
  return rows.flatMap((row) => row.sort((shape, other) => getLeft(shape) - getLeft(other)));
}
