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
import type { Row } from '../model/row';
import { columnsOf, extraColumn, readExpression, type RowColumns, toLine } from './row-columns';

/** One DuckDB for a process: opened at first use, bounded, without network and without spilling to disk. */
export interface Duckdb {
  /** Lends a connection of its own; it ends with the call. */
  use<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  close(): void;
}

/** Nothing is opened before the first `use`. `memoryMb` bounds DuckDB's buffers, not the process. */
export function createDuckdb({ memoryMb = 512, threads = 2 }: { memoryMb?: number; threads?: number } = {}): Duckdb {
  let opened: Promise<DuckDBInstance> | undefined;
  return {
    async use(work) {
      opened ??= openInstance({ memoryMb, threads });
      const connection = await (await opened).connect();
      try {
        return await work(connection);
      } finally {
        connection.closeSync();
      }
    },
    close() {
      void opened?.then((instance) => instance.closeSync());
      opened = undefined;
    },
  };
}

/** An empty database in memory that fetches no extension and writes no temporary file. */
export function openInstance({ memoryMb, threads }: { memoryMb: number; threads: number }): Promise<DuckDBInstance> {
  return DuckDBInstance.create(':memory:', {
    memory_limit: `${memoryMb}MB`,
    threads: String(threads),
    temp_directory: '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
}

/** Rows as a file of lines and the SQL that reads it. Whoever writes it removes it. */
export async function writeLines(
  file: string,
  rows: readonly Row[],
  columns: RowColumns = columnsOf(rows),
): Promise<string> {
  const handle = await open(file, 'wx', 0o600);
  let longest = 0;
  try {
    let block: string[] = [];
    let size = 0;
    for (const row of rows) {
      const line = `${toLine(row, columns)}\n`;
      longest = Math.max(longest, Buffer.byteLength(line));
      block.push(line);
      size += line.length;
      if (size < 1_000_000) continue;
      await handle.appendFile(block.join(''));
      block = [];
      size = 0;
    }
    if (block.length > 0) await handle.appendFile(block.join(''));
  } finally {
    await handle.close();
  }
  return readExpression(file, columns, longest);
}

/** The rows of a result as plain JSON: a column without a value is absent, whole numbers are numbers, JSON is parsed. */
export function toRows(
  reader: Pick<DuckDBResultReader, 'deduplicatedColumnNames' | 'columnTypes'>,
  values: readonly (readonly DuckDBValue[])[],
): Row[] {
  const names = reader.deduplicatedColumnNames();
  const types = reader.columnTypes();
  return values.map((cells) => {
    const row: Record<string, unknown> = {};
    for (const [index, name] of names.entries()) {
      const value = plain(cells[index] ?? null, types[index] as DuckDBType);
      if (value === null) continue;
      if (name === extraColumn) Object.assign(row, value);
      // Assignment to __proto__ would be lost.
      else Object.defineProperty(row, name, { value, writable: true, enumerable: true, configurable: true });
    }
    return row as Row;
  });
}

function plain(value: DuckDBValue, type: DuckDBType): unknown {
  if (value === null) return null;
  if (typeof value === 'string') return type.alias === 'JSON' ? JSON.parse(value) : value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean') return value;
  if (value instanceof DuckDBDecimalValue) return value.toDouble();
  if ((value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) && 'valueType' in type) {
    return value.items.map((item) => plain(item, type.valueType));
  }
  if (value instanceof DuckDBStructValue && type.typeId === DuckDBTypeId.STRUCT && 'entryTypes' in type) {
    return Object.fromEntries(
      Object.entries(value.entries).map(([key, entry], index) => [
        key,
        plain(entry, type.entryTypes[index] as DuckDBType),
      ]),
    );
  }
  if (value instanceof DuckDBMapValue && type.typeId === DuckDBTypeId.MAP && 'valueType' in type) {
    return Object.fromEntries(value.entries.map((entry) => [String(entry.key), plain(entry.value, type.valueType)]));
  }
  return JsonDuckDBValueConverter(value, type, JsonDuckDBValueConverter);
}
