import type { TargetTable } from '../../model/entity/document-class';
import { type DateOrder, findDate } from '../facts/dates';
import { currencyToNumeric, fixed, findNumber, type NumberFormat, toNumber } from '../facts/numbers';
import { weightToKilograms } from '../facts/weights';

/** How values are read where they can be read in two ways. */
export interface CurationOptions {
  dateOrder: DateOrder;
  numberFormat: NumberFormat;
}

/** The tables of one document, and what could not be read. */
export interface Curated {
  /** An object where the class has one row, a list where a field with parts may occur several times. */
  tables: Record<string, TableRow | TableRow[]>;
  problems: string[];
  /** Dates that could mean another day. */
  ambiguousDates: number;
}
type TableRow = Record<string, unknown>;
type Column = TargetTable['columns'][number];

const yes = new Set('yes true ja oui sí si sim tak ano да 是 はい x ✓ ☒ ☑ 1 y'.split(' '));
const no = new Set('no false nein non não nao nie ne нет 否 いいえ ☐ 0 n'.split(' '));

/** Brings the entities of a document into tables. A value that cannot be read is null and a problem; a missing one is null. */
export function curate(
  entities: Readonly<Record<string, unknown>>,
  tables: readonly TargetTable[],
  options: CurationOptions,
): Curated {
  const result: Curated = { tables: {}, problems: [], ambiguousDates: 0 };
  for (const table of tables) {
    const list = listOf(entities, table);
    const cell = (column: Column, entry?: unknown) =>
      readCell({ table: table.name, column, value: valueOf(entities, column, list?.name, entry) }, options, result);
    const rowOf = (entry?: unknown): TableRow =>
      Object.fromEntries(table.columns.map((column) => [column.name, cell(column, entry)]));
    result.tables[table.name] = list ? list.entries.map(rowOf) : rowOf();
  }
  return result;
}

/** The list among the fields that a table takes parts of: each of its entries makes a row. */
function listOf(
  entities: Readonly<Record<string, unknown>>,
  table: TargetTable,
): { name: string; entries: unknown[] } | undefined {
  const nested = new Set(table.columns.map(pathOf).flatMap(([first, second]) => (first && second ? [first] : [])));
  for (const name of nested) {
    const value = entities[name];
    if (Array.isArray(value)) return { name, entries: value };
    // The only field with parts: nothing found means no rows, one found means one.
    if (nested.size === 1) return { name, entries: value === undefined || value === null ? [] : [value] };
  }
  return undefined;
}

function pathOf(column: Column): string[] {
  const { source } = column;
  if ('field' in source) return source.field;
  const value =
    source.transform.arguments.find(({ name }) => name === 'value')?.value ?? source.transform.arguments[0]?.value;
  return typeof value === 'object' ? value.field : [];
}

function valueOf(entities: unknown, column: Column, list: string | undefined, entry: unknown): unknown {
  const path = pathOf(column);
  if (path.length === 0) return constantOf(column);
  const [start, rest] = path[0] === list ? [entry, path.slice(1)] : [entities, path];
  return rest.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), start);
}

/** A transform may have a constant for its argument. */
function constantOf({ source }: Column): unknown {
  return 'transform' in source ? source.transform.arguments[0]?.value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readCell(
  { table, column, value }: { table: string; column: Column; value: unknown },
  options: CurationOptions,
  result: Curated,
): unknown {
  if (value === undefined || value === null || value === '') return null;
  const text = textOf(value);
  const { source } = column;
  if ('transform' in source && source.transform.transform_name === 'make_date_uniform') {
    const date = findDate(text, options.dateOrder);
    if (date?.isAmbiguous) result.ambiguousDates += 1;
    return known(date?.day, `${table}.${column.name}: ${text}`, result);
  }
  const read = 'transform' in source ? transformed(source.transform.transform_name, text, options) : text;
  const cell = read === undefined ? undefined : typed(column.type, read, value, options);
  return known(cell, `${table}.${column.name}: ${text}`, result);
}

function known(cell: unknown, problem: string, { problems }: Curated): unknown {
  if (cell !== undefined) return cell;
  problems.push(problem.slice(0, 200));
  return null;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return value.join(', ');
  return JSON.stringify(value);
}

function transformed(name: string, text: string, { numberFormat }: CurationOptions): string | number | undefined {
  if (name === 'currency_to_numeric') return currencyToNumeric(text, numberFormat);
  return name === 'weight_to_numeric' ? weightToKilograms(text, numberFormat) : toNumber(text, numberFormat);
}

/** The value in the type of its column; undefined where it has none of that type. */
function typed(
  type: Column['type'],
  read: string | number,
  value: unknown,
  { numberFormat }: CurationOptions,
): unknown {
  switch (type) {
    case 'string':
    case 'date':
      return String(read);
    case 'decimal': {
      const found = typeof read === 'number' ? String(read) : findNumber(read, { format: numberFormat })?.decimal;
      // What a transform gave is a decimal already, and separators in it mean nothing else.
      return typeof read === 'string' && /^-?\d+\.\d{6}$/.test(read) ? read : found && fixed(found, 6);
    }
    case 'float':
      return typeof read === 'number' ? read : toNumber(read, numberFormat);
    case 'int':
    case 'long': {
      const number = typeof read === 'number' ? read : toNumber(read, numberFormat);
      return Number.isSafeInteger(number) ? number : undefined;
    }
    case 'boolean': {
      if (typeof value === 'boolean') return value;
      const word = String(read).trim().toLowerCase();
      return yes.has(word) || (no.has(word) ? false : undefined);
    }
  }
}
