import { maxGridPlaces, tableCell } from '../../../document/grid';
import type { TableCell, TableData } from '../../../document/model';
import { AppError } from '../../../model/errors';
import { type CellTexts, readCell } from './cell';
import { type IwaFormat, readFormat } from './cell-format';
import { type Merge, listMerges } from './merges';
import type { Message } from './message';
import { types } from './message-types';
import type { IwaObject, IwaObjects } from './objects';

/** Offset of places without a cell. */
const noCell = 0xffff;

/** A table with its comments, which are objects of the document. */
export interface IwaTable {
  data: TableData;
  /** Empty if the document does not show it. */
  name: string;
  comments: number[];
  /** Number of cells stored in a form that this reader does not know. */
  unknownCells: number;
}

/** Reads a table from its model; undefined if it has no rows or columns. `isTrimmed` drops empty rows and columns at the end. */
export function findTable(
  { message: model }: IwaObject,
  objects: IwaObjects,
  { name, isTrimmed }: { name: string; isTrimmed: boolean },
): IwaTable | undefined {
  const [rows, columns] = [model.number(6) ?? 0, model.number(7) ?? 0];
  const store = model.message(4);
  if (rows < 1 || columns < 1 || !store) return undefined;
  if (rows * columns > maxGridPlaces) {
    throw new AppError('DOCUMENT_TOO_LARGE', `A table of '${name}' has ${rows} × ${columns} places.`);
  }
  const texts = buildCellTexts(store, objects);
  const merges = new Map(listMerges(model, store, objects).map((merge) => [merge.row * columns + merge.column, merge]));
  const comments = mapEntries(store.reference(19), objects, (entry) => entry.reference(10));
  const commentIds: number[] = [];
  let unknownCells = 0;
  const cells: TableCell[] = [];
  const [headerRows, headerColumns] = [model.number(9) ?? 0, model.number(10) ?? 0];
  for (const { row, column, bytes } of iteratePlaces(store, objects)) {
    if (row >= rows || column >= columns) continue;
    const { text, value, comment, isUnknown } = readCell(bytes, texts);
    if (isUnknown) unknownCells += 1;
    const note = comment === undefined ? undefined : comments.get(comment);
    if (note !== undefined) commentIds.push(note);
    if (text === '') continue;
    cells.push(
      tableCell(row, column, text, {
        ...buildSpan(merges.get(row * columns + column), { row, column, rows, columns }),
        column_header: row < headerRows,
        row_header: row >= headerRows && column < headerColumns,
        ...(value === undefined ? {} : { value }),
      }),
    );
  }
  const size = isTrimmed ? measureCells(cells) : { num_rows: rows, num_cols: columns };
  const isNamed = model.number(22) === 1;
  const title = isNamed ? (model.text(8)?.trim() ?? '') : '';
  return { data: { table_cells: cells, ...size }, name: title, comments: commentIds, unknownCells };
}

function buildSpan(merge: Merge | undefined, { row, column, rows, columns }: Merge): Partial<TableCell> {
  if (!merge) return {};
  return {
    row_span: Math.max(1, Math.min(merge.rows, rows - row)),
    col_span: Math.max(1, Math.min(merge.columns, columns - column)),
  };
}

function measureCells(cells: readonly TableCell[]): Pick<TableData, 'num_rows' | 'num_cols'> {
  return {
    num_rows: cells.reduce((max, cell) => Math.max(max, cell.end_row_offset_idx), 0),
    num_cols: cells.reduce((max, cell) => Math.max(max, cell.end_col_offset_idx), 0),
  };
}

function buildCellTexts(store: Message, objects: IwaObjects): CellTexts {
  // Cells of version 4 have a separate list.
  const formats = mapEntries(store.reference(22) ?? store.reference(11), objects, (entry) => entry.message(6));
  const choices = mapEntries(store.reference(16), objects, (entry) =>
    findChoices(objects.get(entry.reference(4) ?? -1)),
  );
  const customs = collectCustomFormats(objects);
  const formatsByKey = new Map<number | undefined, IwaFormat>();
  return {
    plain: mapEntries(store.reference(4), objects, (entry) => entry.text(3)),
    rich: mapEntries(store.reference(17), objects, (entry) => findRichText(entry, objects)),
    format(key) {
      const cachedFormat = formatsByKey.get(key);
      if (cachedFormat) return cachedFormat;
      const format = key === undefined ? undefined : formats.get(key);
      const custom = format?.message(42) ?? customs.get(readKey(format?.bytes(41)));
      const read = addChoices(
        readFormat(format, custom?.message(3)),
        format?.number(1) === choiceFormat ? choices.get(format.number(38) ?? -1) : undefined,
      );
      formatsByKey.set(key, read);
      return read;
    },
  };
}

/** The kind of the format of a cell with a pop-up menu, whose value is the number of the chosen item. */
const choiceFormat = 266;

/** The texts of a pop-up menu; the first item is the empty one. */
function findChoices(menu: IwaObject | undefined): string[] | undefined {
  if (menu?.type !== types.popUpMenu) return undefined;
  return menu.message.messages(2).map((item) => item.message(5)?.text(1) ?? '');
}

function addChoices(format: IwaFormat, choices: readonly string[] | undefined): IwaFormat {
  if (!choices) return format;
  return {
    ...format,
    number(value) {
      const chosen = choices[value];
      return value > 0 && !chosen ? format.number(value) : { text: chosen ?? '' };
    },
  };
}

/** Returns the formats that the author made, by their identifier. */
function collectCustomFormats(objects: IwaObjects): Map<string, Message> {
  const messages = new Map<string, Message>();
  for (const { type, message } of objects.values()) {
    if (type !== types.customFormats) continue;
    const formats = message.messages(2);
    for (const [index, id] of message.allBytes(1).entries()) {
      const format = formats[index];
      if (format) messages.set(readKey(id), format);
    }
  }
  return messages;
}

function readKey(bytes: Uint8Array | undefined): string {
  return bytes ? Buffer.from(bytes).toString('hex') : '';
}

/** Returns the entries of a list by key, without those that `readValue` returns undefined for. */
function mapEntries<Value>(
  list: number | undefined,
  objects: IwaObjects,
  readValue: (entry: Message) => Value | undefined,
): Map<number, Value> {
  const values = new Map<number, Value>();
  const listObject = list === undefined ? undefined : objects.get(list);
  if (listObject?.type !== types.dataList) return values;
  const segments = listObject.message.references(4).flatMap((id) => objects.get(id) ?? []);
  for (const { message } of [listObject, ...segments]) {
    for (const entry of message.messages(3)) {
      const value = readValue(entry);
      if (value !== undefined) values.set(entry.number(1) ?? 0, value);
    }
  }
  return values;
}

function findRichText(entry: Message, objects: IwaObjects): string | undefined {
  const payload = objects.get(entry.reference(9) ?? -1);
  const storage = objects.get(payload?.message.reference(1) ?? -1);
  if (storage?.type !== types.storage) return undefined;
  const decoder = new TextDecoder();
  return storage.message
    .allBytes(3)
    .map((piece) => decoder.decode(piece))
    .join('')
    .trim();
}

/** Yields the cells of all tiles. A row is a buffer of packed cells, with the offset of the cell for each column. */
function* iteratePlaces(
  store: Message,
  objects: IwaObjects,
): Generator<{ row: number; column: number; bytes: Uint8Array }> {
  const tileSize = store.message(3)?.number(2) ?? 256;
  for (const entry of store.message(3)?.messages(1) ?? []) {
    const tile = objects.get(entry.reference(2) ?? -1);
    if (tile?.type !== types.tile) continue;
    const firstRow = (entry.number(1) ?? 0) * tileSize;
    for (const row of tile.message.messages(5)) {
      const wide = row.bytes(6);
      const buffer = wide ?? row.bytes(3);
      const offsets = wide ? row.bytes(7) : row.bytes(4);
      if (!buffer || !offsets) continue;
      const scale = wide && row.number(8) ? 4 : 1;
      const view = new DataView(offsets.buffer, offsets.byteOffset, offsets.byteLength);
      for (let column = 0; column * 2 + 2 <= offsets.length; column++) {
        const start = view.getUint16(column * 2, true);
        if (start !== noCell && start * scale + 12 <= buffer.length)
          yield { row: firstRow + (row.number(1) ?? 0), column, bytes: buffer.subarray(start * scale) };
      }
    }
  }
}
