import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { asAppError } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import { createDuckdb, writeLines } from './duckdb';
import { quoteText } from './row-columns';

/** Writes plain JSON rows as one Parquet file and leaves no other files behind. Objects become JSON columns. */
async function writeParquetFile(file: string, rows: readonly Row[]): Promise<void> {
  const duckdb = createDuckdb();
  const folder = path.dirname(file);
  const lines = path.join(folder, `.${path.basename(file)}.${process.pid}.ndjson`);
  const partial = path.join(folder, `.${path.basename(file)}.${process.pid}`);
  try {
    const { select } = await writeLines(lines, rows);
    // Rows of tables always have an id; rows of edges have none.
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

/** Writes the rows of a graph as `nodes.parquet` and, if there are edges, `edges.parquet`. Returns the file names. */
export async function writeGraphParquet(
  folder: string,
  { nodes, edges }: { nodes: readonly Row[]; edges: readonly Row[] },
): Promise<string[]> {
  await writeParquetFile(path.join(folder, 'nodes.parquet'), nodes);
  if (edges.length === 0) return ['nodes.parquet'];
  await writeParquetFile(path.join(folder, 'edges.parquet'), edges);
  return ['nodes.parquet', 'edges.parquet'];
}
