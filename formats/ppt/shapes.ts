import { AppError } from '../../model/errors';
import { readingOrder } from '../pptx/shapes';
import { additionsOf, numberingsOf } from './numbering';
import { childOf, childrenOf, type PptRecord } from './records';
import { type ShapeText, textsOf } from './text';

/** A place in the units of the slide, or of the group around it. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}
/** A shape with text, or a table as its cells. */
export interface Shape {
  box: Box;
  text: ShapeText | undefined;
  cells: Shape[] | undefined;
}

/** The shapes of a slide or a page of notes by rows from the top; `outline` are texts that stand in the document. */
export function shapesOf(page: PptRecord, outline: readonly ShapeText[], maxDepth: number): Shape[] {
  const root = childOf(childOf(childOf(page, 0x40c), 0xf002), 0xf003);
  const shapes = root === undefined ? [] : inGroup(root, outline, maxDepth);
  return readingOrder(shapes, rowTolerance);
}

function inGroup(group: PptRecord, outline: readonly ShapeText[], depth: number): Shape[] {
  if (depth <= 0) throw new AppError('DOCUMENT_TOO_LARGE', 'The groups of a slide are nested too deep.');
  return childrenOf(group).flatMap((child) => {
    if (child.type === 0xf004) return shapeOf(child, outline);
    if (child.type !== 0xf003) return [];
    const inner = inGroup(child, outline, depth - 1);
    const head = childOf(child, 0xf004);
    const box = head === undefined ? undefined : boxOf(head);
    if (head !== undefined && isTable(head)) return [{ box: box ?? noBox, text: undefined, cells: inner }];
    // Places within a group count in units of its own.
    return inner.map((shape) => ({ ...shape, box: box ?? shape.box }));
  });
}

/** Units of the slide: 0.05 inch. */
const rowTolerance = 28;

const noBox: Box = { left: 0, top: 0, right: 0, bottom: 0 };

function shapeOf(shape: PptRecord, outline: readonly ShapeText[]): Shape[] {
  const isDeleted = ((childOf(shape, 0xf00a)?.data[4] ?? 0) & 8) !== 0;
  const textbox = childOf(shape, 0xf00d);
  if (isDeleted || textbox === undefined) return [];
  const reference = childOf(textbox, 0xf9e)?.data;
  const numberings = () => numberingsOf(additionsOf(childOf(shape, 0xf011)).find(({ type }) => type === 0xfac));
  const text =
    reference && reference.length >= 4
      ? outline[reference.readUInt32LE(0)]
      : textsOf(childrenOf(textbox), numberings)[0];
  return text === undefined ? [] : [{ box: boxOf(shape) ?? noBox, text, cells: undefined }];
}

function boxOf(shape: PptRecord): Box | undefined {
  const anchor = childOf(shape, 0xf010)?.data ?? childOf(shape, 0xf00f)?.data;
  if (anchor === undefined || anchor.length < 8) return undefined;
  if (anchor.length >= 16) {
    const isChild = childOf(shape, 0xf010) === undefined;
    const [a, b, c, d] = [0, 4, 8, 12].map((at) => anchor.readInt32LE(at)) as [number, number, number, number];
    return isChild ? { left: a, top: b, right: c, bottom: d } : { top: a, left: b, right: c, bottom: d };
  }
  const [top, left, right, bottom] = [0, 2, 4, 6].map((at) => anchor.readInt16LE(at));
  return { top: top!, left: left!, right: right!, bottom: bottom! };
}

/** The head of a group that is a table has the property 0x39F with its lowest bit (MS-ODRAW 2.3.4.37). */
function isTable(head: PptRecord): boolean {
  const properties = childOf(head, 0xf122);
  if (properties === undefined) return false;
  const { data, instance } = properties;
  for (let at = 0; at + 6 <= data.length && at < instance * 6; at += 6) {
    if ((data.readUInt16LE(at) & 0x3fff) === 0x39f) return (data.readUInt32LE(at + 2) & 1) === 1;
  }
  return false;
}
