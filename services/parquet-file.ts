import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { asAppError } from '../model/errors';
import type { Row } from '../model/row';
import { createDuckdb, writeLines } from './duckdb';
import { quoteText } from './row-columns';

/** Writes rows of plain JSON as one Parquet file beside which nothing stays; objects become JSON columns. */
export async function writeParquetFile(file: string, rows: readonly Row[]): Promise<void> {
  const duckdb = createDuckdb();
  const folder = path.dirname(file);
  const lines = path.join(folder, `.${path.basename(file)}.${process.pid}.ndjson`);
  const partial = path.join(folder, `.${path.basename(file)}.${process.pid}`);
  try {
    const { select } = await writeLines(lines, rows);
    // Rows of tables always have an id; those of edges have none.
    const columns = rows.some(({ id }) => id !== undefined) ? '*' : '* EXCLUDE (id)';
    await duckdb.use((connection) =>
      connection.run(
        `COPY (SELECT ${columns} FROM (${select})) TO ${quoteText(partial)} (FORMAT parquet, COMPRESSION zstd)`,
      ),
    );
    await rename(partial, file);
  } catch (error) {
    throw asAppError(error);
  } finally {
    duckdb.close();
    await rm(lines, { force: true });
    await rm(partial, { force: true });
  }
}
