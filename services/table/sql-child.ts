import { closeSync, openSync, writeSync } from 'node:fs';
import {
  type DuckDBConnection,
  type DuckDBInstance,
  type DuckDBPreparedStatement,
  StatementType,
} from '@duckdb/node-api';
import { isOutOfMemory, openInstance, toRows } from './duckdb';

/** A request of the parent: create `input` with the SQL in `load`, run `sql`, and write the rows as lines to `resultFile`. */
export interface SqlRequest {
  load: string;
  sql: string;
  memoryMb: number;
  resultFile: string;
  maxRows: number;
  maxResultBytes: number;
  /** Only bind `sql` to the columns of `load`, without running it or writing a result. */
  bindOnly?: boolean;
}
/** `ready` is sent once after the start, then one reply per request. `worn`: do not use the process again. */
export type SqlReply =
  | { type: 'ready' }
  | { type: 'done'; columns?: string[] }
  | { type: 'failed'; message: string; worn: boolean };

/** Every query gets a new database, because a locked one cannot load the next input. */
const open = () => openInstance({ memoryMb: Number(process.env['DOCLOOM_SQL_MEMORY_MB']), threads: 1 });

/** Name of the table until the query has been checked. */
const uncheckedTable = 'input_rows';

async function answer(instance: DuckDBInstance, request: SqlRequest): Promise<SqlReply> {
  // Once the table has rows, messages of the database may quote them.
  let mayQuote = false;
  try {
    const connection = await instance.connect();
    await connection.run(`SET memory_limit = '${request.memoryMb}MB'`);
    await connection.run(`CREATE TABLE ${uncheckedTable} AS ${request.load}`);
    await connection.run(`CREATE TABLE input AS SELECT * FROM ${uncheckedTable} LIMIT 0`);
    // From here on only the table is accessible, and the user's query cannot undo that.
    await connection.run('SET enable_external_access = false');
    await connection.run('SET lock_configuration = true');
    // Binds against an empty table, so that no error can quote a document.
    const bound = await prepareSelect(connection, request.sql);
    if (request.bindOnly) return { type: 'done', columns: listNames(bound) };
    await connection.run('DROP TABLE input');
    await connection.run(`ALTER TABLE ${uncheckedTable} RENAME TO input`);
    mayQuote = true;
    await writeResult(await prepareSelect(connection, request.sql), request);
    return { type: 'done' };
  } catch (error) {
    const isFull = isOutOfMemory(error);
    return { type: 'failed', message: formatMessage(error as Error, isFull, mayQuote), worn: isFull };
  } finally {
    instance.closeSync();
  }
}

/** An error of a query whose message contains no document text, because messages go to logs and histories. */
class QueryRefusal extends Error {}

function formatMessage(error: Error, isFull: boolean, mayQuote: boolean): string {
  const { message } = error;
  const [first = ''] = message.split('\n');
  // The rest of the message is advice on settings, which is not meant for the query's author.
  if (isFull) return first;
  if (error instanceof QueryRefusal) return message;
  // Names of columns may come from documents too.
  if (!mayQuote)
    return message
      .split('\n')
      .filter((line) => !/^\s*(?:Candidate|Did you mean)/.test(line))
      .join('\n');
  const [kind] = /^[A-Z][A-Za-z ]{2,40} Error(?=:)/.exec(first) ?? ['Error'];
  return `${kind} while the query ran. The message of the database is not shown, because it may quote documents.`;
}

function listNames(prepared: DuckDBPreparedStatement): string[] {
  return Array.from({ length: prepared.columnCount }, (_, index) => prepared.columnName(index));
}

async function prepareSelect(connection: DuckDBConnection, sql: string): Promise<DuckDBPreparedStatement> {
  // DuckDB counts PRAGMA, SHOW and DESCRIBE as selects.
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
  // Streamed, so that an endless query stops at the row limit before it fills the memory.
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
  // Open the database before the first request arrives.
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
  // Without a parent, nobody reads the reply.
  process.on('disconnect', () => process.exit(0));
  process.send?.({ type: 'ready' } satisfies SqlReply);
}

if (process.send) void serve();
