import { createReadStream } from 'node:fs';
import path from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ObjectStore } from '../storage/object-store-port';
import { withTemporaryFolder } from '../storage/temporary-folder';
import type { Duckdb } from './duckdb';
import { quoteName, quoteText } from './row-columns';

/** Deletion of rows from tables. */
export interface RowRemoval {
  onTexts?: (texts: readonly string[]) => Promise<void>;
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
    const texts = await rewrite(places, key, ids);
    removed += texts.length;
    await onTexts?.(texts);
  }
  return { removed, isDone: true };
}

/** Returns the texts of the removed rows, including empty ones. */
async function rewrite({ store, duckdb }: Places, key: string, ids: string): Promise<string[]> {
  return store.withFile(key, (file) =>
    withTemporaryFolder(async (folder) => {
      const parquet = path.join(folder, 'table.parquet');
      const texts = await duckdb.use(async (connection) => {
        const source = `read_parquet(${quoteText(file)})`;
        const columns = await readColumns(connection, source);
        const belongs = ['id', 'document_id']
          .filter((name) => columns.includes(name))
          .map((name) => `coalesce(${quoteName(name)}, '') IN (${ids})`)
          .join(' OR ');
        if (belongs === '') return [];
        const content = columns.includes('content') ? "coalesce(content, '')" : "''";
        const reader = await connection.runAndReadAll(`SELECT ${content} FROM ${source} WHERE ${belongs}`);
        if (reader.currentRowCount === 0) return [];
        await connection.run(
          `COPY (SELECT * FROM ${source} WHERE NOT (${belongs})) TO ${quoteText(parquet)} (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE 10240)`,
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
