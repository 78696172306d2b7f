import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import { withTemporaryFolder } from '../storage/temporary-folder';
import { writeLines } from './duckdb';
import {
  type ColumnKind,
  buildColumns,
  type DeclaredColumns,
  quoteName,
  type RowColumns,
  standardKinds,
} from './row-columns';
import { type SqlProcess, startSqlProcess } from './sql-process';

/** Runs a SELECT over the rows (table `input`) in a sandboxed child process. */
export interface SqlRunner {
  /** `declared` columns exist for the query also where no row has a value. */
  select(
    rows: readonly Row[],
    sql: string,
    options: { timeoutMs: number; signal: AbortSignal; declared?: DeclaredColumns | undefined },
  ): Promise<Row[]>;
  /**
   * The names of the result columns of a SELECT over `columns`, without running it. Throws SQL_FILTER_ERROR with the engine's
   * message.
   */
  listResultColumns(
    columns: readonly (readonly [name: string, kind: ColumnKind])[],
    sql: string,
    options: { timeoutMs: number; signal: AbortSignal },
  ): Promise<string[]>;
  close(): Promise<void>;
}

/** Upper limit of the memory of a query with a large input. */
const maxMemoryMb = 1280;
const copiesInMemory = 4;
const bytesPerMb = 1024 * 1024;

/** Limits of one query: DuckDB's memory in addition to its input, and the size of the result. */
export interface SqlLimits {
  memoryMb?: number;
  maxRows?: number;
  maxResultMb?: number;
}

/**
 * Runs users' queries in child processes without environment, files or network. The first query starts a child; from then on one
 * is always ready. Cancelling a query kills its child.
 */
export function createSqlRunner({ memoryMb = 256, maxRows = 100_000, maxResultMb = 256 }: SqlLimits = {}): SqlRunner {
  const pool = createProcessPool(memoryMb);
  return {
    select: (rows, sql, limits) =>
      withTemporaryFolder(async (folder) => {
        const columns = buildColumnsForSql(rows, limits.declared);
        const { select: load, bytes } = await writeLines(path.join(folder, 'input.ndjson'), rows, columns);
        const resultFile = path.join(folder, 'result.ndjson');
        const request = {
          load,
          sql,
          memoryMb: computeMemoryMb(bytes, memoryMb),
          resultFile,
          // A query that keeps every row of a large input is allowed.
          maxRows: Math.max(maxRows, rows.length),
          maxResultBytes: Math.max(maxResultMb * bytesPerMb, 2 * bytes),
        };
        await pool.lend((child) => child.ask(request, limits));
        const lines = (await readFile(resultFile, 'utf8')).split('\n');
        return lines.filter(Boolean).map((line) => JSON.parse(line) as Row);
      }),
    async listResultColumns(columns, sql, limits) {
      const load = `SELECT ${columns.map(([name, kind]) => `NULL::${kind} AS ${quoteName(name)}`).join(', ')} LIMIT 0`;
      const request = { load, sql, memoryMb, resultFile: '', maxRows: 0, maxResultBytes: 0, bindOnly: true };
      return (await pool.lend((child) => child.ask(request, limits))).columns ?? [];
    },
    close: () => pool.close(),
  };
}

/** Processes for queries: one idle process is kept, so that a query need not wait for a start. */
function createProcessPool(memoryMb: number) {
  const idle: SqlProcess[] = [];
  const working = new Set<SqlProcess>();
  let isClosed = false;
  const take = () => {
    let child = idle.pop();
    while (child && !child.isAlive()) child = idle.pop();
    return child ?? startSqlProcess({ memoryMb });
  };
  const giveBack = (child: SqlProcess) => {
    if (isClosed || idle.length > 0) child.kill();
    else idle.push(child.isAlive() ? child : startSqlProcess({ memoryMb }));
  };
  return {
    async lend<T>(work: (child: SqlProcess) => Promise<T>): Promise<T> {
      if (isClosed)
        throw new AppError('SERVICE_UNAVAILABLE', 'The process is shutting down; no more queries are taken.');
      const child = take();
      working.add(child);
      try {
        return await work(child);
      } finally {
        working.delete(child);
        giveBack(child);
      }
    },
    async close(): Promise<void> {
      isClosed = true;
      for (const child of [...idle.splice(0), ...working]) child.kill();
    },
  };
}

/** DuckDB keeps several copies of large rows in memory while it loads and reads them. */
function computeMemoryMb(inputBytes: number, minMb: number): number {
  const neededMb = minMb + Math.ceil((copiesInMemory * inputBytes) / bytesPerMb);
  return Math.max(minMb, Math.min(maxMemoryMb, neededMb));
}

/** Includes every standard column, so that a query means the same for a part in which a column is empty. No value is rounded. */
function buildColumnsForSql(rows: readonly Row[], declared?: DeclaredColumns): RowColumns {
  const { kinds, extra } = buildColumns(rows, declared);
  const exact = [...Object.entries(standardKinds), ...kinds].map(
    ([name, kind]) => [name, kind === 'FLOAT[]' ? 'DOUBLE[]' : kind] as const,
  );
  return { kinds: new Map(exact), extra };
}
