import { gridOf } from '../grid';
import type { DoclingDocument, DocumentOrigin, TableCell } from '../model';

/** How a document is written as JSON. */
export interface JsonOptions {
  /** Omit null members, as the files of the reference do. Default: null members are written. */
  omitNulls?: boolean;
  indent?: number;
  /** Write a missing `origin.uri` or cell `bbox` as null, as clients of the service expect. Default: they are omitted. */
  emptyPlaces?: boolean;
}

/** Serializes a document. The hash of the origin keeps all its digits; the grid of each table is computed. */
export function documentToJson(document: DoclingDocument, options: JsonOptions = {}): string {
  const replacer = options.omitNulls
    ? (_key: string, value: unknown) => (value === null ? undefined : value)
    : undefined;
  const origin = document.origin ? { ...getOrigin(document.origin, options), binary_hash: hashMark } : document.origin;
  const cell = createCellWriter(options);
  const tables = document.tables.map((table) => {
    const data = { ...table.data, table_cells: table.data.table_cells.map(cell) };
    return { ...table, data: { ...data, grid: gridOf(data).map((row) => row.map(cell)) } };
  });
  const text = JSON.stringify({ ...document, origin, tables }, replacer, options.indent);
  if (!document.origin) return text;
  // A text equal to the marker would have its quotes escaped.
  return text.replace(`"${hashMark}"`, () => String(document.origin?.binary_hash));
}

/** Returns the origin in its JSON form. */
export function getOrigin(origin: DocumentOrigin, { emptyPlaces }: Pick<JsonOptions, 'emptyPlaces'>): DocumentOrigin {
  return emptyPlaces ? { ...origin, uri: origin.uri ?? null } : origin;
}

/** Returns a function that brings a cell into its JSON form. */
export function createCellWriter({ emptyPlaces }: Pick<JsonOptions, 'emptyPlaces'>): (cell: TableCell) => TableCell {
  return emptyPlaces ? (cell) => (cell.bbox === undefined ? { bbox: null, ...cell } : cell) : (cell) => cell;
}

/** Placeholder for the hash, because JSON.stringify does not support bigint. */
const hashMark = 'docloom:binary_hash';
