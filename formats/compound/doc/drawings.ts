import { type ArtPicture, findFirstPicture, readStore } from '../art-pictures';
import {
  art,
  artProperty,
  type ArtRecord,
  findChild,
  readChildren,
  headerBytes,
  findProperty,
  readRecord,
} from '../art-records';
import { readEntries } from './file';
import { structures } from './structure';
import type { WordFile } from './word-file';

/** The content of a shape: a picture, or a text box as a range of the file's text. */
export interface ShapeContent {
  picture: number | undefined;
  box: readonly [from: number, to: number] | undefined;
}

/** Pictures and text boxes of a document. */
export interface Drawings {
  /** Returns the picture at an offset of the data stream; undefined if there is none. */
  inline(at: number): ArtPicture | undefined;
  /** Returns the shapes anchored at a text position. Each shape is returned only once, even if the file is damaged. */
  anchored(at: number): ShapeContent[];
  /** Returns the text boxes that have not been requested. */
  unreadTextBoxes(): Iterable<readonly [from: number, to: number]>;
  /** Returns the picture with that number in the store. */
  stored(number: number): ArtPicture | undefined;
}

const anchorBytes = 26;
const boxBytes = 22;
/** Offset of the shape number in a text box entry. */
const shapeOfBoxAt = 14;
/** The fields of a picture's header that are read (PICF): after the length of the picture, that of the header, and the kind. */
const pictureHeader = { lengthAt: 4, kindAt: 6, bytes: 8 };
/** Kinds of pictures in the data stream (MS-DOC 2.9.158): both are drawings, the second with a name before it. */
const pictureKinds = { shape: 0x64, shapeOfFile: 0x66 } as const;

/** Reads the anchors and the content of shapes (MS-DOC 2.8.37 and 2.9.172). */
export function readDrawings(file: WordFile, maxDepth: number): Drawings {
  const content = file.structure(structures.drawings);
  const group = readRecord(content, 0);
  const stored = readStore(group, file.main);
  const shapes =
    group === undefined
      ? new Map<number, ArtRecord[]>()
      : collectShapesById(content.subarray(headerBytes + group.data.length), maxDepth);
  const anchors = new Map(
    readEntries(file.structure(structures.shapes), anchorBytes).map(({ from, data }) => [from, data]),
  );
  const [start, end] = file.stories.textBoxes;
  const boxes = new Map(
    readEntries(file.structure(structures.textBoxes), boxBytes).map(({ from, to, data }) => [
      data.readUInt32LE(shapeOfBoxAt),
      [Math.min(start + from, end), Math.min(start + to, end)] as const,
    ]),
  );
  return {
    inline: (at) => findInlinePicture(file.data, at),
    anchored(at) {
      const id = anchors.get(at)?.readUInt32LE(0) ?? 0;
      const records = shapes.get(id) ?? [];
      shapes.delete(id);
      return records.map((shape) => {
        const box = boxes.get(readId(shape));
        boxes.delete(readId(shape));
        return { picture: findProperty(shape, art.properties, artProperty.picture) || undefined, box };
      });
    },
    unreadTextBoxes: () => boxes.values(),
    stored,
  };
}

/** Returns the picture after its header. Pictures that are not drawings have no readable image. */
function findInlinePicture(data: Buffer, at: number): ArtPicture | undefined {
  if (at + pictureHeader.bytes > data.length) return undefined;
  const picture = data.subarray(at, at + data.readUInt32LE(at));
  const headLength = data.readUInt16LE(at + pictureHeader.lengthAt);
  const kind = data.readUInt16LE(at + pictureHeader.kindAt);
  if (kind !== pictureKinds.shape && kind !== pictureKinds.shapeOfFile) return { bytes: undefined };
  const nameBytes = kind === pictureKinds.shapeOfFile ? 1 + (picture[headLength] ?? 0) : 0;
  return findFirstPicture(picture.subarray(headLength + nameBytes)) ?? { bytes: undefined };
}

/**
 * Maps shape numbers to shapes. The number of a group maps to all shapes in it. A byte before each drawing states the part
 * of the document that it belongs to.
 */
function collectShapesById(drawings: Buffer, maxDepth: number): Map<number, ArtRecord[]> {
  const shapes = new Map<number, ArtRecord[]>();
  let at = 1;
  for (let drawing = readRecord(drawings, at); drawing; drawing = readRecord(drawings, at)) {
    at += headerBytes + drawing.data.length + 1;
    for (const child of readChildren(findChild(drawing, art.shapeGroup) ?? drawing)) {
      const inner = listShapes(child, maxDepth);
      const [head] = inner;
      if (head) shapes.set(readId(head), inner);
    }
  }
  return shapes;
}

function listShapes(record: ArtRecord, depth: number): ArtRecord[] {
  if (record.type === art.shape) return [record];
  if (record.type !== art.shapeGroup || depth <= 0) return [];
  return readChildren(record).flatMap((child) => listShapes(child, depth - 1));
}

function readId(shape: ArtRecord): number {
  const head = findChild(shape, art.shapeHead)?.data;
  return head !== undefined && head.length >= 4 ? head.readUInt32LE(0) : 0;
}
