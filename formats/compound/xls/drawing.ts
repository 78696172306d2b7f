import type { DocumentBuilder } from '../../../document/builder';
import type { ImageRef } from '../../../document/model';
import { addAll } from '../../../model/lists/add-all';
import { addCaption, describeChart } from '../../ooxml/chart';
import { formatCellName, type Rectangle } from '../../ooxml/xlsx/grid';
import type { CellComment, PlacedItem } from '../../ooxml/xlsx/workbook-context';
import {
  art,
  artProperty,
  type ArtRecord,
  findChild,
  readChildren,
  isDeleted,
  findProperty,
  readRecord,
} from '../art-records';
import { readChart } from './chart';
import { biff, type BiffRecord } from './records';
import { createCursor, readString, type StringForm } from './strings';

/** Everything needed to read the objects of a sheet. */
export interface DrawingContext {
  builder: DocumentBuilder;
  stream: Buffer;
  form: StringForm;
  /** Returns the picture with that number in the workbook's store. */
  image: (number: number) => ImageRef | undefined;
  maxDepth: number;
}

/** An object record, with the text and the chart after it. */
interface SheetObject {
  kind: number;
  id: number;
  /** Where Excel 5 and 95, which have no drawings, put the object. */
  place: Rectangle;
  text: string;
  chartAt: number | undefined;
}

/** Kinds of objects (MS-XLS 2.5.143). */
const objectKinds = { chart: 5, note: 0x19 } as const;

/** Reads the pictures, charts and text boxes of a sheet with their positions, and the comments on its cells. */
export function readObjects(
  context: DrawingContext,
  records: readonly BiffRecord[],
): { items: PlacedItem[]; comments: Map<string, CellComment[]> } {
  const objects = readObjectRecords(records, context.form);
  const drawing = readRecord(Buffer.concat(records.flatMap(listDrawingParts)), 0);
  const items: PlacedItem[] = [];
  const { builder, stream, form } = context;
  if (!form.isUnicode) {
    for (const { chartAt, place } of objects)
      if (chartAt !== undefined) items.push(createChartItem(builder, place, () => readChart(stream, chartAt, form)));
  }
  let next = 0;
  for (const { shape, place } of drawing === undefined ? [] : listShapes(drawing, context.maxDepth)) {
    // Shapes and objects have the same order. The outermost shape has no object.
    const object = findChild(shape, art.clientData) === undefined ? undefined : objects[next++];
    if (place !== undefined && !isDeleted(shape)) addAll(items, createItems(context, shape, place, object));
  }
  return { items, comments: readComments(records, objects, context.form) };
}

/** Returns the bytes of the drawing: its own records, and the continuations of objects, texts and charts between them. */
function listDrawingParts({ type, parts }: BiffRecord): readonly Buffer[] {
  if (type === biff.drawing) return parts;
  if (type === biff.textObject) return parts.slice(countParts(parts));
  return type === biff.obj || type === biff.eof ? parts.slice(1) : [];
}

/** Counts the record itself, its character records, and one formatting record (MS-XLS 2.4.329). */
function countParts(parts: readonly Buffer[]): number {
  const head = parts[0]!;
  let characters = head.length < 12 ? 0 : head.readUInt16LE(10);
  if (characters === 0) return 1;
  let next = 1;
  while (characters > 0 && next < parts.length) {
    const part = parts[next++]!;
    characters -= Math.max(1, Math.floor((part.length - 1) / ((part[0] ?? 0) & 1 ? 2 : 1)));
  }
  return next + 1;
}

function readObjectRecords(records: readonly BiffRecord[], form: StringForm): SheetObject[] {
  const objects: SheetObject[] = [];
  for (const record of records) {
    const cursor = createCursor(record);
    const last = objects.at(-1);
    if (record.type === biff.obj) {
      cursor.skip(4);
      const [kind, id] = [cursor.uint16(), cursor.uint16()];
      objects.push({ kind, id, place: readOldPlace(record), text: '', chartAt: undefined });
    } else if (record.type === biff.bof && last?.kind === objectKinds.chart) last.chartAt ??= record.at;
    else if (record.type === biff.textObject && last) last.text = readObjectText(record, form);
  }
  return objects;
}

/** Returns the cells under an object of Excel 5 or 95: each corner has a column and a row, with offsets after them. */
function readOldPlace({ parts }: BiffRecord): Rectangle {
  const data = parts[0]!;
  const [left, top, right, bottom] = [10, 14, 18, 22].map((at) =>
    at + 2 <= data.length ? data.readUInt16LE(at) : 0,
  ) as [...[number, number, number, number]];
  return { top, left, bottom: Math.max(bottom, top) + 1, right: Math.max(right, left) + 1 };
}

/** The characters are in the continuation records (MS-XLS 2.4.329). */
function readObjectText(record: BiffRecord, form: StringForm): string {
  const cursor = createCursor(record);
  cursor.skip(10);
  const length = cursor.uint16();
  const text = createCursor({ ...record, parts: record.parts.slice(1) });
  return readString(text, length, form).replaceAll('\r', '').trim();
}

interface PlacedShape {
  shape: ArtRecord;
  place: Rectangle | undefined;
}

/** Returns all shapes in order. Shapes of a group have the position of the group. */
function listShapes(container: ArtRecord, depth: number, outer?: Rectangle): PlacedShape[] {
  if (depth <= 0) return [];
  let place = outer;
  return readChildren(container).flatMap((child) => {
    if (child.type === art.shapeGroup) return listShapes(child, depth - 1, place);
    if (child.type !== art.shape) return [];
    const childPlace = findPlace(child) ?? place;
    // The first shape of a group is the group itself.
    if (container.type === art.shapeGroup) place ??= childPlace;
    return [{ shape: child, place: childPlace }];
  });
}

/** Returns the cells under a shape (MS-XLS 2.5.193). */
function findPlace(shape: ArtRecord): Rectangle | undefined {
  const anchor = findChild(shape, art.anchor)?.data;
  if (anchor === undefined || anchor.length < 18) return undefined;
  const [left, top, right, bottom] = [2, 6, 10, 14].map((at) => anchor.readUInt16LE(at)) as [
    ...[number, number, number, number],
  ];
  return { top, left, bottom: Math.max(bottom, top) + 1, right: Math.max(right, left) + 1 };
}

function createItems(
  { builder, stream, form, image }: DrawingContext,
  shape: ArtRecord,
  place: Rectangle,
  object: SheetObject | undefined,
): PlacedItem[] {
  if (object?.kind === objectKinds.note) return [];
  const items: PlacedItem[] = [];
  const picture = findProperty(shape, art.properties, artProperty.picture) || undefined;
  if (picture !== undefined) {
    const imageRef = image(picture);
    items.push({
      place,
      add: (options) => void builder.picture({ ...options, ...(imageRef ? { image: imageRef } : {}) }),
    });
  }
  const { chartAt, text = '' } = object ?? {};
  if (chartAt !== undefined) items.push(createChartItem(builder, place, () => readChart(stream, chartAt, form)));
  if (text !== '') items.push({ place, add: (options) => void builder.text('text', text, options) });
  return items;
}

/** Creates a chart at these cells as a picture with its data. */
export function createChartItem(
  builder: DocumentBuilder,
  place: Rectangle,
  read: () => ReturnType<typeof readChart>,
): PlacedItem {
  return {
    place,
    add(options) {
      const picture = builder.picture(options);
      describeChart(builder, picture, read(), options);
      addCaption(builder, picture);
    },
  };
}

/** The row of a note record that continues the one before. */
const noRow = 0xffff;

/** Reads notes. They refer to the object with their text (MS-XLS 2.4.179); before Excel 97 they contain the text. */
function readComments(
  records: readonly BiffRecord[],
  objects: readonly SheetObject[],
  form: StringForm,
): Map<string, CellComment[]> {
  const texts = new Map(objects.filter(({ kind }) => kind === objectKinds.note).map(({ id, text }) => [id, text]));
  const comments = new Map<string, CellComment[]>();
  let last: CellComment | undefined;
  for (const record of records) {
    if (record.type !== biff.note) continue;
    const cursor = createCursor(record);
    const [row, column] = [cursor.uint16(), cursor.uint16()];
    const cell = formatCellName(row, column);
    cursor.skip(2);
    if (!form.isUnicode) {
      const text = readString(cursor, (record.parts[0]?.length ?? 6) - 6, form);
      if (row === noRow && last) last.text += text;
      else {
        last = { author: '', time: undefined, text };
        comments.set(cell, [...(comments.get(cell) ?? []), last]);
      }
      continue;
    }
    const text = texts.get(cursor.uint16());
    if (text === undefined) continue;
    const author = readString(cursor, cursor.uint16(), form).trim();
    comments.set(cell, [...(comments.get(cell) ?? []), { author, time: undefined, text }]);
  }
  return comments;
}
