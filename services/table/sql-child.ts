import { closeSync, openSync, writeSync } from 'node:fs';
import {
  type DuckDBConnection,
  type DuckDBInstance,
  type DuckDBPreparedStatement,
  StatementType,
} from '@duckdb/node-api';
import { isOutOfMemory, openInstance, toRows } from './duckdb';

/** What the parent asks: load `input` by `load`, run `sql`, write the rows as lines to `resultFile`. */
export interface SqlRequest {
  load: string;
  sql: string;
  memoryMb: number;
  resultFile: string;
  maxRows: number;
  maxResultBytes: number;
  /** Only bind `sql` to the columns of `load`; nothing is run or written. */
  bindOnly?: boolean;
}
/** `ready` comes once, after the start; then one reply for every request. `worn`: the process should not be used again. */
export type SqlReply =
  | { type: 'ready' }
  | { type: 'done'; columns?: string[] }
  | { type: 'failed'; message: string; worn: boolean };

/** Every query gets a database of its own, since a locked one cannot load the next input. */
const open = () => openInstance({ memoryMb: Number(process.env['DOCLOOM_SQL_MEMORY_MB']), threads: 1 });

/** The table of the rows until the query is known to be one. */
const loaded = 'input_rows';

async function answer(instance: DuckDBInstance, request: SqlRequest): Promise<SqlReply> {
  let isQuoting = false;
  try {
    const connection = await instance.connect();
    await connection.run(`SET memory_limit = '${request.memoryMb}MB'`);
    await connection.run(`CREATE TABLE ${loaded} AS ${request.load}`);
    await connection.run(`CREATE TABLE input AS SELECT * FROM ${loaded} LIMIT 0`);
    // From here on nothing but the table can be reached, and the user's query cannot undo it.
    await connection.run('SET enable_external_access = false');
    await connection.run('SET lock_configuration = true');
    // Over a table without rows no error can quote a document.
    const bound = await prepareSelect(connection, request.sql);
    if (request.bindOnly) return { type: 'done', columns: namesOf(bound) };
    await connection.run('DROP TABLE input');
    await connection.run(`ALTER TABLE ${loaded} RENAME TO input`);
    isQuoting = true;
    await writeResult(await prepareSelect(connection, request.sql), request);
    return { type: 'done' };
  } catch (error) {
    const isFull = isOutOfMemory(error);
    return { type: 'failed', message: messageOf(error as Error, isFull, isQuoting), worn: isFull };
  } finally {
    instance.closeSync();
  }
}

/** What is wrong with a query, in words that hold no text of a document: messages go to logs and histories. */
class QueryRefusal extends Error {}

function messageOf(error: Error, isFull: boolean, isQuoting: boolean): string {
  const { message } = error;
  const [first = ''] = message.split('\n');
  // Its advice on settings is not for those who wrote the query.
  if (isFull) return first;
  if (error instanceof QueryRefusal) return message;
  // Names of columns may come from documents, too.
  if (!isQuoting)
    return message
      .split('\n')
      .filter((line) => !/^\s*(?:Candidate|Did you mean)/.test(line))
      .join('\n');
  const [kind] = /^[A-Z][A-Za-z ]{2,40} Error(?=:)/.exec(first) ?? ['Error'];
  return `${kind} while the query ran. What the database says of it is not shown, since it may quote documents.`;
}

function namesOf(prepared: DuckDBPreparedStatement): string[] {
  return Array.from({ length: prepared.columnCount }, (_, index) => prepared.columnName(index));
}

async function prepareSelect(connection: DuckDBConnection, sql: string): Promise<DuckDBPreparedStatement> {
  // DuckDB counts PRAGMA, SHOW and DESCRIBE among the selects.
  const start = /^(?:[\s(]|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*([a-z]*)/i.exec(sql)?.[1]?.toLowerCase() ?? '';
  if (!['select', 'with', 'from', 'values'].includes(start))
    throw new QueryRefusal(`expected a SELECT over the table input, not a statement that begins with '${start}'`);
  const statements = await connection.extractStatements(sql);
  if (statements.count !== 1) throw new QueryRefusal(`expected one statement, not ${statements.count}`);
  const prepared = await statements.prepare(0);
  if (prepared.statementType === StatementType.SELECT) return prepared;
  throw new QueryRefusal(`expected a SELECT, not a statement of the type ${StatementType[prepared.statementType]}`);
}

async function writeResult(
  statement: DuckDBPreparedStatement,
  { resultFile, maxRows, maxResultBytes }: SqlRequest,
): Promise<void> {
  // Streamed, so that a query without end stops at the limit and not at the memory.
  const result = await statement.stream();
  const file = openSync(resultFile, 'wx', 0o600);
  try {
    let rows = 0;
    let bytes = 0;
    for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
      rows += chunk.rowCount;
      if (rows > maxRows) throw new QueryRefusal(`the result has more than ${maxRows} rows`);
      for (const row of toRows(result, chunk.getRows())) {
        const line = Buffer.from(`${JSON.stringify(row)}\n`);
        bytes += line.length;
        if (bytes > maxResultBytes) throw new QueryRefusal(`the result has more than ${maxResultBytes} bytes`);
        for (let written = 0; written < line.length;) written += writeSync(file, line, written);
      }
    }
  } finally {
    closeSync(file);
  }
}

async function serve(): Promise<void> {
  let next = open();
  // The first request should not wait for the database either.
  await next;
  process.on('message', (request: SqlRequest) => {
    const current = next;
    void current
      .then((instance) => answer(instance, request))
      .then((reply) => {
        next = open();
        process.send?.(reply);
      });
  });
  // Without a parent nobody reads the answer.
  process.on('disconnect', () => process.exit(0));
  process.send?.({ type: 'ready' } satisfies SqlReply);
}

if (process.send) void serve();
