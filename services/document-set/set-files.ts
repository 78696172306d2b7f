import { createReadStream } from 'node:fs';
import path from 'node:path';
import { omitAccessFields } from '../../model/access-list';
import type { Row } from '../../model/flow/row';
import { toShownPlace } from '../../model/source/shown-place';
import type { ObjectStore } from '../storage/object-store-port';
import { withTemporaryFolder } from '../storage/temporary-folder';
import { type Duckdb, toRows, writeLines } from '../table/duckdb';
import { extraColumn, quoteName, quoteText } from '../table/row-columns';

/** The location of a row: its file, and its position among the rows of the set. */
export interface Place {
  row_id: string;
  segment: string;
  place: string;
}

/** The columns from which the shown path of a row is derived. */
const placeColumns = ['source', 'metadata'];

/** A row as users see it. */
export type Shown = Record<string, unknown>;

interface Files {
  store: ObjectStore;
  duckdb: Duckdb;
}

/** Writes rows as a Parquet file. */
export async function putSegment({ store, duckdb }: Files, key: string, rows: readonly Row[]): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const parquet = path.join(folder, 'rows.parquet');
    const { select } = await writeLines(path.join(folder, 'rows.ndjson'), rows);
    await duckdb.use((connection) =>
      connection.run(`COPY (${select}) TO ${quoteText(parquet)} (FORMAT parquet, COMPRESSION zstd)`),
    );
    await store.put(key, createReadStream(parquet));
  });
}

/** The rows at these places, in the same order, with these columns. */
export async function readPlaces(files: Files, places: readonly Place[], columns: readonly string[]): Promise<Shown[]> {
  const rows = new Map<string, Row>();
  for (const [segment, ids] of groupBySegment(places)) {
    for (const row of await readSegment(files, segment, ids, columns)) rows.set(row.id, row);
  }
  return places.flatMap(({ row_id }) => {
    const row = rows.get(row_id);
    return row ? [showRow(row, columns)] : [];
  });
}

/** Groups row ids by the file that contains them. */
export function groupBySegment(places: readonly Pick<Place, 'row_id' | 'segment'>[]): Map<string, string[]> {
  const idsBySegment = new Map<string, string[]>();
  for (const { segment, row_id } of places) {
    const ids = idsBySegment.get(segment);
    if (ids) ids.push(row_id);
    else idsBySegment.set(segment, [row_id]);
  }
  return idsBySegment;
}

/** Reads these rows of a file, with all columns unless `columns` is set. */
export function readSegment(
  { store, duckdb }: Files,
  key: string,
  ids: readonly string[],
  columns?: readonly string[],
) {
  return store.withFile(key, (file) =>
    duckdb.use(async (connection) => {
      const source = `read_parquet(${quoteText(file)})`;
      const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${source}`);
      const storedColumns = described.getRows().map(([name]) => String(name));
      const needed = new Set([
        'id',
        extraColumn,
        ...(columns ?? storedColumns),
        ...(columns?.includes('path') ? placeColumns : []),
      ]);
      const requestedNames = storedColumns.filter((name) => needed.has(name));
      const reader = await connection.runAndReadAll(
        `SELECT ${requestedNames.map(quoteName).join(', ')} FROM ${source} WHERE id IN (${ids.map(quoteText).join(', ')})`,
      );
      return toRows(reader, reader.getRows());
    }),
  );
}

/** Whether a file contains rows of one of these documents. False when the file was deleted. */
export async function containsDocuments(
  { store, duckdb }: Files,
  key: string,
  documentIds: readonly string[],
): Promise<boolean> {
  if (!(await store.exists(key))) return false;
  return store.withFile(key, (file) =>
    duckdb.use(async (connection) => {
      const source = `read_parquet(${quoteText(file)})`;
      const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${source}`);
      const isChunked = described.getRows().some(([name]) => name === 'document_id');
      const document = isChunked ? 'coalesce(document_id, id)' : 'id';
      const ids = documentIds.map(quoteText).join(', ');
      const reader = await connection.runAndReadAll(`SELECT 1 FROM ${source} WHERE ${document} IN (${ids}) LIMIT 1`);
      return reader.currentRowCount > 0;
    }),
  );
}

/** The row with these columns, without server paths and access lists. */
export function showRow(input: Row, columns: readonly string[]): Shown {
  const row: Record<string, unknown> = { ...input, ...toShownPlace(input) };
  const entries = columns
    .filter((name) => row[name] !== undefined)
    .map((name) => [name, omitAccessLists(name, row[name])] as const);
  return Object.fromEntries(entries);
}

/** Removes access lists that a source put into the metadata. */
function omitAccessLists(column: string, value: unknown): unknown {
  if (column !== 'metadata' || typeof value !== 'object' || value === null) return value;
  return omitAccessFields(value as Record<string, unknown>);
}
