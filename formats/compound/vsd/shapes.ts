import { type Blocks, hasPointers, part, type Pointer } from './blocks';
import { iterateChunks, type Chunk } from './chunks';
import { formatField } from './fields';

/** Position in the coordinates of the group or page, in inches from its bottom left corner. */
export interface Transform {
  pinX: number;
  pinY: number;
  width: number;
  height: number;
  localX: number;
  localY: number;
}

export interface VisioShape {
  id: number;
  /** The id of its group; 0 for shapes of the page. */
  parent: number;
  /** The master whose shape this one repeats where it has no value. */
  master: number;
  masterShape: number;
  isPicture: boolean;
  /** The text with marks instead of its fields. */
  text: string | undefined;
  fields: Buffer[];
  /** Strings that fields refer to: texts and formats. */
  names: Map<number, string>;
  transform: Transform | undefined;
}

/** The shapes of a page or master in the order of the file, and the size of the page in inches. */
export interface Sheet {
  shapes: VisioShape[];
  width: number;
  height: number;
  /** How many inches of the real world an inch of the page stands for. */
  scale: number;
}

const shapeTypes: ReadonlySet<number> = new Set([part.group, part.shape, part.foreign]);
/** Larger numbers indicate damage and are ignored. */
const maxInches = 1e9;
/** The id in a block that holds one shape only. */
const ownBlock = 0xffff_ffff;

/** Reads a page or a master: one block of chunks, or a list of blocks with one shape each. */
export function readSheet(blocks: Blocks, pointer: Pointer): Sheet {
  const sheet: Sheet = { shapes: [], width: 8.5, height: 11, scale: 1 };
  if (!hasPointers(pointer)) {
    addChunks(sheet, blocks.read(pointer), pointer.index);
    return sheet;
  }
  for (const inner of blocks.list(pointer))
    if (inner.type === part.pageSheet || shapeTypes.has(inner.type)) addChunks(sheet, blocks.read(inner), inner.index);
  return sheet;
}

function addChunks(sheet: Sheet, block: Buffer, index: number): void {
  let shape: VisioShape | undefined;
  for (const chunk of iterateChunks(block)) {
    if (shapeTypes.has(chunk.type) && chunk.data.length >= 30) {
      shape = readShape(chunk, index);
      sheet.shapes.push(shape);
    } else if (chunk.type === part.pageSize) readPageSize(sheet, chunk.data);
    else if (shape) readPart(shape, chunk);
  }
}

function readShape({ type, id, data }: Chunk, index: number): VisioShape {
  return {
    id: id === ownBlock ? index : id,
    parent: data.readUInt32LE(10),
    master: data.readUInt32LE(18),
    masterShape: data.readUInt32LE(26),
    isPicture: type === part.foreign,
    text: undefined,
    fields: [],
    names: new Map(),
    transform: undefined,
  };
}

function readPart(shape: VisioShape, { type, id, data }: Chunk): void {
  if (type === part.text && data.length >= 8) shape.text = cutAtZero(data.toString('utf16le', 8));
  else if (type === part.field) shape.fields.push(data);
  else if (type === part.name) shape.names.set(id, cutAtZero(data.toString('utf16le')));
  else if (type === part.transform && data.length >= 54) {
    const [pinX, pinY, width, height, localX, localY] = readNumbers(data);
    shape.transform = { pinX, pinY, width, height, localX, localY };
  }
}

function cutAtZero(text: string): string {
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

function readPageSize(sheet: Sheet, data: Buffer): void {
  if (data.length < 54) return;
  const [width, height, , , pageScale, drawingScale] = readNumbers(data);
  if (width <= 0 || height <= 0) return;
  const scale = drawingScale / pageScale;
  Object.assign(sheet, { width, height, scale: scale > 0 && Number.isFinite(scale) ? scale : 1 });
}

type SixNumbers = [number, number, number, number, number, number];

/** Reads six numbers, each after a byte with its unit. */
function readNumbers(data: Buffer): SixNumbers {
  return [0, 1, 2, 3, 4, 5].map((index) => {
    const number = data.readDoubleLE(1 + 9 * index);
    return Math.abs(number) < maxInches ? number : 0;
  }) as SixNumbers;
}

/** Returns the text of a shape with its fields. Its master provides what the shape lacks. */
export function joinShapeText(shape: VisioShape, master: VisioShape | undefined): string {
  const raw = shape.text ?? master?.text ?? '';
  const fields = shape.fields.length > 0 ? shape.fields : (master?.fields ?? []);
  const names = new Map([...(master?.names ?? []), ...shape.names]);
  let next = 0;
  return raw
    .replaceAll('\ufffc', () => {
      next += 1;
      return formatField(fields[next - 1], names);
    })
    .replaceAll('\u2028', '\n')
    .replaceAll(/\r\n?/g, '\n')
    .trim();
}
