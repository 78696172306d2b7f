import { maxGridPlaces, tableCell } from '../../../document/grid';
import type { TableCell, TableData } from '../../../document/model';
import { AppError } from '../../../model/errors';
import type { IwaObject, IwaObjects } from './objects';
import type { Message } from './message';
import { types } from './message-types';

/** Texts of a table by the numbers that its cells use. */
interface Texts {
  plain: Map<number, string>;
  rich: Map<number, string>;
}

/** Reads a table from its model; undefined if it has no cells. The content of a merged cell is in its first position. */
export function tableOf({ message: model }: IwaObject, objects: IwaObjects, name: string): TableData | undefined {
  const [rows, columns] = [model.number(6) ?? 0, model.number(7) ?? 0];
  const store = model.message(4);
  if (rows < 1 || columns < 1 || !store) return undefined;
  if (rows * columns > maxGridPlaces) {
    throw new AppError('DOCUMENT_TOO_LARGE', `A table of '${name}' has ${rows} × ${columns} places.`);
  }
  const headers = model.number(9) ?? 0;
  const texts: Texts = {
    plain: textsOf(store.reference(4), objects, (entry) => entry.text(3)),
    rich: textsOf(store.reference(17), objects, (entry) => richTextOf(entry, objects)),
  };
  const cells: TableCell[] = [];
  for (const { row, column, bytes } of placesOf(store, objects)) {
    if (row >= rows || column >= columns) continue;
    const text = cellText(bytes, texts);
    if (text !== '') cells.push(tableCell(row, column, text, { column_header: row < headers }));
  }
  return { table_cells: cells, num_rows: rows, num_cols: columns };
}

function textsOf(
  list: number | undefined,
  objects: IwaObjects,
  textOf: (entry: Message) => string | undefined,
): Map<number, string> {
  const found = new Map<number, string>();
  const own = list === undefined ? undefined : objects.get(list);
  if (own?.type !== types.dataList) return found;
  const segments = own.message.references(4).flatMap((id) => objects.get(id) ?? []);
  for (const { message } of [own, ...segments]) {
    for (const entry of message.messages(3)) {
      const text = textOf(entry);
      if (text !== undefined) found.set(entry.number(1) ?? 0, text);
    }
  }
  return found;
}

function richTextOf(entry: Message, objects: IwaObjects): string | undefined {
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
function* placesOf(store: Message, objects: IwaObjects): Generator<{ row: number; column: number; bytes: Uint8Array }> {
  for (const entry of store.message(3)?.messages(1) ?? []) {
    const tile = objects.get(entry.reference(2) ?? -1);
    if (tile?.type !== types.tile) continue;
    const firstRow = entry.number(1) ?? 0;
    for (const row of tile.message.messages(5)) {
      const wide = row.bytes(6);
      const buffer = wide ?? row.bytes(3);
      const offsets = wide ? row.bytes(7) : row.bytes(4);
      if (!buffer || !offsets) continue;
      const scale = wide && row.number(8) ? 4 : 1;
      const view = new DataView(offsets.buffer, offsets.byteOffset, offsets.byteLength);
      for (let column = 0; column * 2 + 2 <= offsets.length; column++) {
        const start = view.getInt16(column * 2, true) * scale;
        if (start >= 0 && start + 12 <= buffer.length)
          yield { row: firstRow + (row.number(1) ?? 0), column, bytes: buffer.subarray(start) };
      }
    }
  }
}

const appleEpoch = Date.UTC(2001, 0, 1);
/** Flags and widths of the values in a cell, in storage order. */
const values = { decimal: [0x1, 16], double: [0x2, 8], seconds: [0x4, 8], plain: [0x8, 4], rich: [0x10, 4] } as const;
type ValueName = keyof typeof values;

/** Returns the text of a packed cell of version 5. Formulas have their cached result; cells of other versions are empty. */
function cellText(bytes: Uint8Array, texts: Texts): string {
  if (bytes[0] !== 5) return '';
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flags = view.getUint32(8, true);
  const places: Partial<Record<ValueName, number>> = {};
  let at = 12;
  for (const [name, [flag, width]] of Object.entries(values) as [ValueName, readonly [number, number]][]) {
    if ((flags & flag) === 0) continue;
    if (at + width > bytes.length) return '';
    places[name] = at;
    at += width;
  }
  const { decimal, double, seconds, plain, rich } = places;
  switch (bytes[1]) {
    case 2:
    case 10:
      if (decimal !== undefined) return decimalText(bytes.subarray(decimal, decimal + 16));
      return double === undefined ? '' : String(view.getFloat64(double, true));
    case 3:
      return plain === undefined ? '' : (texts.plain.get(view.getUint32(plain, true)) ?? '');
    case 5:
      return seconds === undefined ? '' : dateText(view.getFloat64(seconds, true));
    case 6:
      return double === undefined ? '' : view.getFloat64(double, true) > 0 ? 'TRUE' : 'FALSE';
    case 7:
      return double === undefined ? '' : `${view.getFloat64(double, true)} s`;
    case 9:
      return rich === undefined ? '' : (texts.rich.get(view.getUint32(rich, true)) ?? '');
    default:
      return '';
  }
}

function dateText(seconds: number): string {
  const date = new Date(appleEpoch + seconds * 1_000);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 19).replace('T', ' ');
}

/** Formats an IEEE 128-bit decimal in binary encoding: an integer and a power of ten. */
function decimalText(bytes: Uint8Array): string {
  const exponent = (((bytes[15]! & 0x7f) << 7) | (bytes[14]! >> 1)) - 6_176;
  let digits = BigInt(bytes[14]! & 1);
  for (let at = 13; at >= 0; at--) digits = digits * 256n + BigInt(bytes[at]!);
  const sign = (bytes[15]! & 0x80) === 0 || digits === 0n ? '' : '-';
  if (exponent >= 0) return exponent > 60 ? '' : sign + String(digits * 10n ** BigInt(exponent));
  if (exponent < -60) return '';
  const text = String(digits).padStart(1 - exponent, '0');
  const fraction = text.slice(exponent).replace(/0+$/, '');
  return `${sign}${text.slice(0, exponent)}${fraction === '' ? '' : `.${fraction}`}`;
}
