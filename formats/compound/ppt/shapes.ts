import { AppError } from '../../../model/errors';
import { sortForReading } from '../../ooxml/pptx/shapes';
import { art, artProperty, type ArtRecord, findChild, readChildren, isDeleted, findProperty } from '../art-records';
import { listAdditions, readNumberings } from './numbering';
import { type ShapeText, listTexts } from './text';

/** A rectangle in units of the slide or of the enclosing group. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}
/** A shape with a text, a picture, or the cells of a table. */
export interface Shape {
  box: Box;
  text: ShapeText | undefined;
  cells: Shape[] | undefined;
  /** Number in the picture store. */
  picture: number | undefined;
  /** Number of the embedded object that the shape shows. */
  object: number | undefined;
  /** On a master, the text of a placeholder is a hint for the author. */
  isPlaceholder: boolean;
  /** The text is a placeholder for the slide number. */
  isSlideNumber: boolean;
}

/**
 * Returns the shapes of a slide or notes page in rows from the top. `outline` holds the texts that are stored in the document.
 */
export function listShapes(page: ArtRecord, outline: readonly ShapeText[], maxDepth: number): Shape[] {
  const root = findChild(findChild(findChild(page, 0x40c), art.drawing), art.shapeGroup);
  const shapes = root === undefined ? [] : listGroupShapes(root, outline, maxDepth);
  return sortForReading(shapes, rowTolerance);
}

function listGroupShapes(group: ArtRecord, outline: readonly ShapeText[], depth: number): Shape[] {
  if (depth <= 0) throw new AppError('DOCUMENT_TOO_LARGE', 'The slides nest groups too deeply.');
  return readChildren(group).flatMap((child) => {
    if (child.type === art.shape) return readShape(child, outline);
    if (child.type !== art.shapeGroup) return [];
    const inner = listGroupShapes(child, outline, depth - 1);
    const head = findChild(child, art.shape);
    const box = head === undefined ? undefined : findBox(head);
    if (head !== undefined && isTable(head))
      return [{ box: box ?? noBox, text: undefined, cells: inner, ...noContent }];
    // Positions inside a group use the units of the group.
    return inner.map((shape) => ({ ...shape, box: box ?? shape.box }));
  });
}

/** In slide units: 0.05 inch. */
const rowTolerance = 28;

/** PlaceholderAtom, ExObjRefAtom and SlideNumberMCAtom (MS-PPT 2.7.8, 2.7.7, 2.9.61). */
const placeholderAtom = 0xbc3;
const objectReference = 0xbc1;
const slideNumberAtom = 0xfd8;

const noContent = { picture: undefined, object: undefined, isPlaceholder: false, isSlideNumber: false };

const noBox: Box = { left: 0, top: 0, right: 0, bottom: 0 };

function readShape(shape: ArtRecord, outline: readonly ShapeText[]): Shape[] {
  if (isDeleted(shape)) return [];
  const text = findShapeText(shape, outline);
  const picture = findProperty(shape, art.properties, artProperty.picture) || undefined;
  const reference = findChild(findChild(shape, art.clientData), objectReference)?.data;
  const object = reference && reference.length >= 4 ? reference.readUInt32LE(0) : undefined;
  if (text === undefined && picture === undefined && object === undefined) return [];
  const isPlaceholder = findChild(findChild(shape, art.clientData), placeholderAtom) !== undefined;
  const isSlideNumber =
    findChild(findChild(shape, art.textbox), slideNumberAtom) !== undefined &&
    text?.paragraphs.map((paragraph) => paragraph.text.trim()).join('') === '*';
  return [{ box: findBox(shape) ?? noBox, text, cells: undefined, picture, object, isPlaceholder, isSlideNumber }];
}

function findShapeText(shape: ArtRecord, outline: readonly ShapeText[]): ShapeText | undefined {
  const textbox = findChild(shape, art.textbox);
  if (textbox === undefined) return undefined;
  const reference = findChild(textbox, 0xf9e)?.data;
  if (reference && reference.length >= 4) return outline[reference.readUInt32LE(0)];
  const numberings = () =>
    readNumberings(listAdditions(findChild(shape, art.clientData)).find(({ type }) => type === 0xfac));
  return listTexts(readChildren(textbox), numberings)[0];
}

function findBox(shape: ArtRecord): Box | undefined {
  const anchor = findChild(shape, art.anchor)?.data ?? findChild(shape, art.childAnchor)?.data;
  if (anchor === undefined || anchor.length < 8) return undefined;
  if (anchor.length >= 16) {
    const isChild = findChild(shape, art.anchor) === undefined;
    const [first, second, right, bottom] = [0, 4, 8, 12].map((at) => anchor.readInt32LE(at)) as [
      number,
      number,
      number,
      number,
    ];
    // Children of groups have left before top.
    const [left, top] = isChild ? [first, second] : [second, first];
    return { left, top, right, bottom };
  }
  const [top, left, right, bottom] = [0, 2, 4, 6].map((at) => anchor.readInt16LE(at));
  return { top: top!, left: left!, right: right!, bottom: bottom! };
}

/** The lowest bit of this property marks a group as a table (MS-ODRAW 2.3.4.37). */
function isTable(head: ArtRecord): boolean {
  return ((findProperty(head, art.tertiaryProperties, artProperty.tableFlags) ?? 0) & 1) === 1;
}
