import { open } from 'node:fs/promises';
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBResultReader,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
  JsonDuckDBValueConverter,
  DuckDBListValue,
  DuckDBArrayValue,
  DuckDBStructValue,
  DuckDBMapValue,
  DuckDBDecimalValue,
} from '@duckdb/node-api';
import { AppError } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import { buildColumns, extraColumn, buildReadExpression, type RowColumns, toLine } from './row-columns';
import { roundToShortFloat } from './short-float';

/** The DuckDB of a process: opened on first use, with limited memory, and without network or temporary files. */
export interface Duckdb {
  /**
   * Provides a separate connection for `work`, closed afterwards. `work` may run twice: again with more memory when it runs out
   * of it.
   */
  use<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  close(): void;
}

/**
 * Opens nothing before the first `use`. `memoryMb` limits DuckDB's memory. Work that exceeds it, because DuckDB cannot split a
 * few very large rows, is repeated in a separate database with `maxMemoryMb`.
 */
export function createDuckdb({ memoryMb = 256, maxMemoryMb = 4096, threads = 2 } = {}): Duckdb {
  let opened: Promise<DuckDBInstance> | undefined;
  const open = () => {
    const opening = openInstance({ memoryMb, threads });
    // The next use tries again.
    opening.catch(() => (opened = undefined));
    return opening;
  };
  return {
    async use(work) {
      try {
        return await withConnection(await (opened ??= open()), work);
      } catch (error) {
        if (isDiskFull(error)) throw new AppError('STORAGE_ERROR', 'The disk is full.', {}, error);
        if (!isOutOfMemory(error)) throw error;
      }
      const large = await openInstance({ memoryMb: maxMemoryMb, threads: 1 });
      try {
        return await withConnection(large, work);
      } finally {
        large.closeSync();
      }
    },
    close() {
      // A failed open has already failed its callers and needs no closing.
      opened?.then((instance) => instance.closeSync()).catch(() => undefined);
      opened = undefined;
    },
  };
}

async function withConnection<T>(
  instance: DuckDBInstance,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const connection = await instance.connect();
  try {
    return await work(connection);
  } finally {
    connection.closeSync();
  }
}

/** DuckDB returns the system's message without a code. */
function isDiskFull(error: unknown): boolean {
  return error instanceof Error && error.message.includes('No space left on device');
}

/** True for DuckDB's out-of-memory error, which only the start of its message identifies. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Out of Memory Error');
}

/** An empty in-memory database that downloads no extensions, writes no temporary files and caches no file contents. */
export function openInstance({ memoryMb, threads }: { memoryMb: number; threads: number }): Promise<DuckDBInstance> {
  return DuckDBInstance.create(':memory:', {
    memory_limit: `${memoryMb}MB`,
    threads: String(threads),
    temp_directory: '',
    // The cache would fill the memory up to the limit with tables that are read once.
    enable_external_file_cache: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
}

/** Lines are written in blocks of about this size. */
const blockBytes = 1_000_000;

/** Writes rows to a file of lines. Returns its size and the SQL that reads it. The caller removes the file. */
export async function writeLines(
  file: string,
  rows: readonly Row[],
  columns: RowColumns = buildColumns(rows),
): Promise<{ select: string; bytes: number }> {
  const handle = await open(file, 'wx', 0o600);
  let maxLineBytes = 0;
  let bytes = 0;
  try {
    let block: string[] = [];
    let blockSize = 0;
    for (const row of rows) {
      const line = `${toLine(row, columns)}\n`;
      const length = Buffer.byteLength(line);
      maxLineBytes = Math.max(maxLineBytes, length);
      bytes += length;
      block.push(line);
      blockSize += length;
      if (blockSize < blockBytes) continue;
      await handle.appendFile(block.join(''));
      block = [];
      blockSize = 0;
    }
    if (block.length > 0) await handle.appendFile(block.join(''));
  } finally {
    await handle.close();
  }
  return { select: buildReadExpression(file, columns, maxLineBytes), bytes };
}

/** The rows of a result as plain JSON: empty columns are omitted, integers are numbers, JSON is parsed. */
export function toRows(
  reader: Pick<DuckDBResultReader, 'deduplicatedColumnNames' | 'columnTypes'>,
  values: readonly (readonly DuckDBValue[])[],
): Row[] {
  const names = reader.deduplicatedColumnNames();
  const types = reader.columnTypes();
  return values.map((cells) => {
    const row: Record<string, unknown> = {};
    for (const [index, name] of names.entries()) {
      const value = toPlainValue(cells[index] ?? null, types[index] as DuckDBType);
      if (value === null) continue;
      if (name === extraColumn) Object.assign(row, value);
      // An assignment to __proto__ would be lost.
      else Object.defineProperty(row, name, { value, writable: true, enumerable: true, configurable: true });
    }
    return row as Row;
  });
}

function toPlainValue(value: DuckDBValue, type: DuckDBType): unknown {
  if (value === null) return null;
  if (typeof value === 'string') return type.alias === 'JSON' ? JSON.parse(value) : value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return null;
    return type.typeId === DuckDBTypeId.FLOAT ? roundToShortFloat(value) : value;
  }
  if (typeof value === 'boolean') return value;
  if (value instanceof DuckDBDecimalValue) return value.toDouble();
  if ((value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) && 'valueType' in type) {
    return value.items.map((item) => toPlainValue(item, type.valueType));
  }
  if (value instanceof DuckDBStructValue && type.typeId === DuckDBTypeId.STRUCT && 'entryTypes' in type) {
    return Object.fromEntries(
      Object.entries(value.entries).map(([key, entry], index) => [
        key,
        toPlainValue(entry, type.entryTypes[index] as DuckDBType),
      ]),
    );
  }
  if (value instanceof DuckDBMapValue && type.typeId === DuckDBTypeId.MAP && 'valueType' in type) {
    return Object.fromEntries(
      value.entries.map((entry) => [String(entry.key), toPlainValue(entry.value, type.valueType)]),
    );
  }
  return JsonDuckDBValueConverter(value, type, JsonDuckDBValueConverter);
}
