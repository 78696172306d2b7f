import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { toCsvCell, toExactCell } from '../../model/export/csv-cell';
import type { Row } from '../../model/flow/row';
import type { Duckdb } from '../table/duckdb';
import {
  buildColumns,
  type ColumnKind,
  quoteText,
  buildReadExpression,
  type RowColumns,
  toLine,
} from '../table/row-columns';

const linesPerWrite = 500;

/** The export formats and their media types. */
export const exportFormats = {
  parquet: 'application/vnd.apache.parquet',
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
} as const;
export type ExportFormat = keyof typeof exportFormats;

type Pages = AsyncIterable<Record<string, unknown>[]>;

/**
 * Streams rows as a file. Holds one page of rows in memory at a time. In CSV, values that a spreadsheet would run as formulas are
 * prefixed with an apostrophe, unless `exact` is set.
 */
export type ExportRows = (
  format: ExportFormat,
  columns: readonly string[],
  pages: Pages,
  options?: { exact?: boolean },
) => Readable;

/** Creates the export of rows. DuckDB writes the Parquet files. */
export function createRowExport(duckdb: Duckdb): ExportRows {
  return (format, columns, pages, { exact = false } = {}) => {
    if (format === 'jsonl') return Readable.from(writeJsonLines(pages), { objectMode: false });
    if (format === 'csv')
      return Readable.from(writeCsv(columns, pages, exact ? toExactCell : toCsvCell), { objectMode: false });
    return Readable.from(writeParquet(duckdb, columns, pages), { objectMode: false });
  };
}

/**
 * Reads the first page before it returns the pages, so that an unavailable server is reported before the response has started.
 */
export async function readFirstPage(pages: AsyncGenerator<Record<string, unknown>[]>): Promise<Pages> {
  const first = await pages.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* pages;
  })();
}

async function* writeJsonLines(pages: Pages): AsyncGenerator<string> {
  for await (const rows of pages) yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** CSV as defined in RFC 4180. Lists and objects are written as JSON. Missing values and empty texts look the same. */
async function* writeCsv(
  columns: readonly string[],
  pages: Pages,
  writeText: (value: string) => string,
): AsyncGenerator<string> {
  const write = (value: unknown) => writeCell(value, writeText);
  yield `${columns.map(write).join(',')}\r\n`;
  for await (const rows of pages)
    yield rows.map((row) => `${columns.map((name) => write(row[name])).join(',')}\r\n`).join('');
}

function writeCell(value: unknown, writeText: (value: string) => string): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? writeText(value) : toExactCell(JSON.stringify(value));
}

/** Column types are known only after the last row, so the rows are written to a file first. A table needs at least one column. */
async function* writeParquet(
  duckdb: Duckdb,
  requestedColumns: readonly string[],
  pages: Pages,
): AsyncGenerator<Buffer> {
  const columns = requestedColumns.length > 0 ? requestedColumns : ['id'];
  const folder = await mkdtemp(path.join(tmpdir(), 'docloom-export-'));
  const raw = path.join(folder, 'raw');
  const lines = path.join(folder, 'lines');
  const target = path.join(folder, 'parquet');
  try {
    const shape = await writeRaw(raw, pages);
    for (const name of columns) if (!shape.kinds.has(name) && !shape.extra.has(name)) shape.kinds.set(name, 'VARCHAR');
    if (!columns.includes('id')) shape.kinds.delete('id');
    const longest = await encode(raw, lines, shape);
    const select = buildReadExpression(lines, shape, longest);
    await duckdb.use((connection) =>
      connection.run(
        `COPY (${select}) TO ${quoteText(target)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 10240)`,
      ),
    );
    for await (const chunk of createReadStream(target)) yield chunk as Buffer;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeRaw(file: string, pages: Pages): Promise<RowColumns> {
  const handle = await open(file, 'wx', 0o600);
  const shape: RowColumns = { kinds: new Map(), extra: new Set() };
  try {
    for await (const rows of pages) {
      widenShape(shape, buildColumns(rows as Row[]));
      await handle.appendFile(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    }
  } finally {
    await handle.close();
  }
  return shape;
}

/** Adds the columns of further rows. A column with different types becomes a type that fits both. */
function widenShape(shape: RowColumns, more: RowColumns): void {
  for (const name of more.extra) shape.extra.add(name);
  for (const [name, kind] of more.kinds) {
    const present = shape.kinds.get(name);
    shape.kinds.set(name, present === undefined ? kind : pickWider(present, kind));
  }
  for (const name of shape.extra) shape.kinds.delete(name);
}

function pickWider(left: ColumnKind, right: ColumnKind): ColumnKind {
  if (left === right) return left;
  const both = [left, right];
  if (both.every((kind) => kind === 'BIGINT' || kind === 'DOUBLE')) return 'DOUBLE';
  if (both.every((kind) => kind === 'BIGINT[]' || kind === 'DOUBLE[]' || kind === 'FLOAT[]')) return 'DOUBLE[]';
  return 'JSON';
}

/** Writes the lines that DuckDB reads. Returns the length of the longest line in bytes. */
async function encode(from: string, to: string, shape: RowColumns): Promise<number> {
  const source = await open(from);
  const target = await open(to, 'wx', 0o600);
  let longest = 0;
  try {
    let block: string[] = [];
    for await (const text of source.readLines()) {
      const line = `${toLine(JSON.parse(text) as Row, shape)}\n`;
      longest = Math.max(longest, Buffer.byteLength(line));
      if (block.push(line) < linesPerWrite) continue;
      await target.appendFile(block.join(''));
      block = [];
    }
    if (block.length > 0) await target.appendFile(block.join(''));
  } finally {
    await source.close();
    await target.close();
  }
  return longest;
}
