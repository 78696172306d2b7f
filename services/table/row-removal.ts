import { createReadStream } from 'node:fs';
import path from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ObjectStore } from '../storage/object-store-port';
import { withTemporaryFolder } from '../storage/temporary-folder';
import type { Duckdb } from './duckdb';
import { quoteName, quoteText } from './row-columns';

/** What happens while rows are removed. */
export interface RowRemoval {
  /** Called with the texts of the rows of a table. */
  onTexts?: (texts: readonly string[]) => Promise<void>;
  /** True if the remaining tables are left to a later call. */
  isLate?: () => boolean;
}
interface Places {
  store: ObjectStore;
  duckdb: Duckdb;
}

/** Rewrites every table below the prefix that contains rows or chunks of these documents. */
export async function removeRows(
  places: Places,
  prefix: string,
  documentIds: readonly string[],
  { onTexts, isLate = () => false }: RowRemoval = {},
): Promise<{ removed: number; isDone: boolean }> {
  let removed = 0;
  const ids = documentIds.map(quoteText).join(', ');
  if (ids === '') return { removed, isDone: true };
  for await (const key of places.store.list(prefix)) {
    if (!key.endsWith('.parquet')) continue;
    if (isLate()) return { removed, isDone: false };
    const texts = await rewriteTable(places, key, ids);
    removed += texts.length;
    await onTexts?.(texts);
  }
  return { removed, isDone: true };
}

/** Returns the texts of the removed rows, including empty ones. */
async function rewriteTable({ store, duckdb }: Places, key: string, ids: string): Promise<string[]> {
  return store.withFile(key, (file) =>
    withTemporaryFolder(async (folder) => {
      const parquet = path.join(folder, 'table.parquet');
      const texts = await duckdb.use(async (connection) => {
        const source = `read_parquet(${quoteText(file)})`;
        const columns = await readColumns(connection, source);
        const isRemoved = ['id', 'document_id']
          .filter((name) => columns.includes(name))
          .map((name) => `coalesce(${quoteName(name)}, '') IN (${ids})`)
          .join(' OR ');
        if (isRemoved === '') return [];
        const content = columns.includes('content') ? "coalesce(content, '')" : "''";
        const reader = await connection.runAndReadAll(`SELECT ${content} FROM ${source} WHERE ${isRemoved}`);
        if (reader.currentRowCount === 0) return [];
        await connection.run(
          `COPY (SELECT * FROM ${source} WHERE NOT (${isRemoved})) TO ${quoteText(parquet)} (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE 10240)`,
        );
        return reader.getRows().map(([text]) => String(text));
      });
      if (texts.length > 0) await store.put(key, createReadStream(parquet));
      return texts;
    }),
  );
}

async function readColumns(connection: DuckDBConnection, source: string): Promise<string[]> {
  const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${source}`);
  return described.getRows().map(([name]) => String(name));
}
