import { createReadStream } from 'node:fs';
import path from 'node:path';
import { AppError, asAppError } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import { toSegment } from '../storage/object-keys';
import type { ObjectStore } from '../storage/object-store-port';
import { withTemporaryFolder } from '../storage/temporary-folder';
import { createDuckdb, type Duckdb, toRows, writeLines } from './duckdb';
import { buildColumns, type DeclaredColumns, quoteText } from './row-columns';
import { removeRows, type RowRemoval } from './row-removal';

/** Tables of rows passed between operators, one Parquet file per part. Writes replace a table atomically. */
export interface TablesStore {
  /** `declared` columns are in the table also where no row has a value, so that all parts of an operator have one schema. */
  write(key: TableKey, rows: readonly Row[], declared?: DeclaredColumns): Promise<void>;
  /** Copies a table to a second key, as cheaply as the store allows. Throws TABLE_NOT_FOUND when `from` does not exist. */
  copy(from: TableKey, to: TableKey): Promise<void>;
  /**
   * Rows in the order in which they were written. `range` is in rows (`to` exclusive). Throws TABLE_NOT_FOUND when there is no
   * table.
   */
  read(key: TableKey, range?: { from?: number; to?: number }): Promise<Row[]>;
  count(key: TableKey): Promise<number>;
  exists(key: TableKey): Promise<boolean>;
  /** The parts that an operator of a run has written, including halves of split parts; sorted. */
  listParts(runId: string, operator: string): Promise<string[]>;
  /**
   * Removes the rows of these documents from the tables of the run. `isDone` is false when `isLate` ended the
   * call early; the next call continues. `onTexts` is called with the texts of the rows before they are removed.
   */
  removeRows(
    runId: string,
    documentIds: readonly string[],
    how?: RowRemoval,
  ): Promise<{ removed: number; isDone: boolean }>;
  /** Removes every table of the run. Idempotent. */
  removeRun(runId: string): Promise<void>;
}
/** Stored as `run/<runId>/<operator>/<part>.parquet`. */
export interface TableKey {
  runId: string;
  operator: string;
  part: string;
}

/**
 * Stores tables as Parquet files, which any tool can open. Values are restored from the types of their columns, without other
 * metadata.
 */
export function createTables({ store, duckdb = createDuckdb() }: { store: ObjectStore; duckdb?: Duckdb }): TablesStore {
  const query = (key: TableKey, sql: (source: string) => string) =>
    store.withFile(buildKey(key), (file) =>
      duckdb
        .use(async (connection) => {
          const reader = await connection.runAndReadAll(sql(`read_parquet(${quoteText(file)})`));
          return toRows(reader, reader.getRows());
        })
        .catch((error: unknown) => {
          throw createTableError(error, key);
        }),
    );
  return {
    async write(key, rows, declared) {
      await withTemporaryFolder(async (folder) => {
        const parquet = path.join(folder, 'table.parquet');
        try {
          const { select } = await writeLines(path.join(folder, 'rows.ndjson'), rows, buildColumns(rows, declared));
          await duckdb.use((connection) =>
            connection.run(
              `COPY (${select}) TO ${quoteText(parquet)} (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE 10240)`,
            ),
          );
        } catch (error) {
          throw createTableError(error, key);
        }
        await store.put(buildKey(key), createReadStream(parquet));
      });
    },
    copy: (from, to) => store.withFile(buildKey(from), (file) => store.put(buildKey(to), createReadStream(file))),
    read(key, { from = 0, to } = {}) {
      const limit = to === undefined ? '' : ` LIMIT ${requireWhole(Math.max(0, to - from))}`;
      return query(key, (source) => `SELECT * FROM ${source}${limit} OFFSET ${requireWhole(from)}`);
    },
    async count(key) {
      const [row] = await query(key, (source) => `SELECT count(*) AS n FROM ${source}`);
      return Number(row?.['n']);
    },
    exists: (key) => store.exists(buildKey(key)),
    async listParts(runId, operator) {
      const prefix = `run/${toSegment(runId)}/${toSegment(operator)}/`;
      const parts: string[] = [];
      // Names of parts are safe segments, so keys contain them unchanged.
      for await (const key of store.list(prefix)) parts.push(key.slice(prefix.length).replace(/\.parquet$/, ''));
      return parts.sort();
    },
    removeRows: (runId, documentIds, how) =>
      removeRows({ store, duckdb }, `run/${toSegment(runId)}/`, documentIds, how),
    removeRun: (runId) => store.removePrefix(`run/${toSegment(runId)}/`),
  };
}

function buildKey({ runId, operator, part }: TableKey): string {
  return `run/${toSegment(runId)}/${toSegment(operator)}/${toSegment(part)}.parquet`;
}

function requireWhole(count: number): number {
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new AppError(
    'VALIDATION_ERROR',
    `The range of a table counts rows: expected whole numbers from 0, not ${count}.`,
  );
}

function createTableError(error: unknown, { runId, operator, part }: TableKey): AppError {
  const { code, message, details } = asAppError(error, 'INTERNAL_ERROR');
  return new AppError(code, `The table of ${operator}, part ${part}, run ${runId}: ${message}`, details, error);
}
