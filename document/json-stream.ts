import { gridOf } from './grid';
import { hashMark } from './json';
import type { DoclingDocument, TableItem } from './model';

/** Items and cells that are written at a time. */
const sliceLength = 500;

/**
 * What `documentToJson` writes, in pieces: the table of a large workbook is longer than any string can be. Joined, the
 * pieces are the same text. Only the plain form, with nulls and without indents.
 */
export function* documentJsonPieces(document: DoclingDocument): Generator<string> {
  const origin = document.origin ? { ...document.origin, binary_hash: hashMark } : document.origin;
  let before = '{';
  for (const [key, value] of Object.entries({ ...document, origin })) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    before = ',';
    if (key === 'tables') yield* arrayPieces(document.tables, tablePieces);
    else if (Array.isArray(value)) yield* slices(value);
    else if (key === 'origin' && document.origin)
      yield JSON.stringify(value).replace(`"${hashMark}"`, String(document.origin.binary_hash));
    else yield JSON.stringify(value);
  }
  yield '}';
}

function* arrayPieces<T>(items: readonly T[], write: (item: T) => Generator<string>): Generator<string> {
  yield '[';
  for (const [index, item] of items.entries()) {
    if (index > 0) yield ',';
    yield* write(item);
  }
  yield ']';
}

function* slices(items: readonly unknown[]): Generator<string> {
  yield '[';
  for (let at = 0; at < items.length; at += sliceLength) {
    const text = JSON.stringify(items.slice(at, at + sliceLength));
    yield `${at > 0 ? ',' : ''}${text.slice(1, -1)}`;
  }
  yield ']';
}

function* tablePieces(table: TableItem): Generator<string> {
  let before = '{';
  for (const [key, value] of Object.entries(table)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    before = ',';
    if (key === 'data') yield* dataPieces(table.data);
    else yield JSON.stringify(value);
  }
  yield '}';
}

function* dataPieces(data: TableItem['data']): Generator<string> {
  let before = '{';
  for (const [key, value] of Object.entries({ ...data, grid: undefined })) {
    if (key !== 'grid' && value === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    before = ',';
    if (key === 'grid') yield* arrayPieces(gridOf(data), (row) => slices(row));
    else if (Array.isArray(value)) yield* slices(value);
    else yield JSON.stringify(value);
  }
  yield '}';
}
