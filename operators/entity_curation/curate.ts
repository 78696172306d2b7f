import type { TargetTable } from '../../model/entity/document-class';
import { isObject } from '../../model/json';
import { type DateOrder, findDate } from '../facts/dates';
import { normalizeCurrency, roundHalfUp, findNumber, type NumberFormat, toNumber } from '../facts/numbers';
import { weightToKilograms } from '../facts/weights';

/** How to read ambiguous values. */
export interface CurationOptions {
  dateOrder: DateOrder;
  numberFormat: NumberFormat;
}

/** The tables of one document, and the values that could not be read. */
export interface Curated {
  /** An object when the class has one row, a list when a nested field may occur several times. */
  tables: Record<string, TableRow | TableRow[]>;
  problems: string[];
  /** Number of dates that could mean another day. */
  ambiguousDates: number;
}
type TableRow = Record<string, unknown>;
type Column = TargetTable['columns'][number];

const maxProblemLength = 200;
const yesWords = new Set('yes true ja oui sí si sim tak ano да 是 はい x ✓ ☒ ☑ 1 y'.split(' '));
const noWords = new Set('no false nein non não nao nie ne нет 否 いいえ ☐ 0 n'.split(' '));

/**
 * Converts the entities of a document to tables. An unreadable value becomes null and a problem; a missing value becomes null.
 */
export function convertEntities(
  entities: Readonly<Record<string, unknown>>,
  tables: readonly TargetTable[],
  options: CurationOptions,
): Curated {
  const result: Curated = { tables: {}, problems: [], ambiguousDates: 0 };
  for (const table of tables) {
    const list = findNestedList(entities, table);
    const buildRow = (entry?: unknown): TableRow =>
      Object.fromEntries(
        table.columns.map((column) => {
          const value = getValue(entities, column, list?.name, entry);
          return [column.name, readCell({ table: table.name, column, value }, options, result)];
        }),
      );
    result.tables[table.name] = list ? list.entries.map(buildRow) : buildRow();
  }
  return result;
}

/** The nested field that a table expands: each of its entries becomes a row. */
function findNestedList(
  entities: Readonly<Record<string, unknown>>,
  table: TargetTable,
): { name: string; entries: unknown[] } | undefined {
  const nested = new Set(table.columns.map(getPath).flatMap(([first, second]) => (first && second ? [first] : [])));
  for (const name of nested) {
    const value = entities[name];
    if (Array.isArray(value)) return { name, entries: value };
    // The only nested field: no value means no rows, a single value means one row.
    if (nested.size === 1) return { name, entries: value === undefined || value === null ? [] : [value] };
  }
  return undefined;
}

/** The path of the field that a column shows; empty for a constant. */
function getPath({ source }: Column): string[] {
  if ('field' in source) return source.field;
  const { arguments: args } = source.transform;
  const argument = args.find(({ name, value }) => name === 'value' && value !== undefined) ?? args[0];
  return typeof argument?.value === 'object' ? argument.value.field : [];
}

function getValue(entities: unknown, column: Column, list: string | undefined, entry: unknown): unknown {
  const path = getPath(column);
  if (path.length === 0) return getConstant(column);
  const [start, rest] = path[0] === list ? [entry, path.slice(1)] : [entities, path];
  return rest.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), start);
}

/** The argument of a transform may be a constant. */
function getConstant({ source }: Column): unknown {
  return 'transform' in source ? source.transform.arguments[0]?.value : undefined;
}

function readCell(
  { table, column, value }: { table: string; column: Column; value: unknown },
  options: CurationOptions,
  result: Curated,
): unknown {
  if (value === undefined || value === null || value === '') return null;
  const text = writeAsText(value);
  const { source } = column;
  if ('transform' in source && source.transform.transform_name === 'make_date_uniform') {
    const date = findDate(text, options.dateOrder);
    if (date?.isAmbiguous) result.ambiguousDates += 1;
    return recordUnreadable(date?.day, `${table}.${column.name}: ${text}`, result);
  }
  const read = 'transform' in source ? transformText(source.transform.transform_name, text, options) : text;
  const cell = read === undefined ? undefined : parseTyped(column.type, read, value, options);
  return recordUnreadable(cell, `${table}.${column.name}: ${text}`, result);
}

/** Returns the cell; null, with a problem in the result, if it is undefined. */
function recordUnreadable(cell: unknown, problem: string, { problems }: Curated): unknown {
  if (cell !== undefined) return cell;
  problems.push(problem.slice(0, maxProblemLength));
  return null;
}

function writeAsText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((member) => typeof member !== 'object')) return value.join(', ');
  return JSON.stringify(value);
}

function transformText(name: string, text: string, { numberFormat }: CurationOptions): string | number | undefined {
  if (name === 'currency_to_numeric') return normalizeCurrency(text, numberFormat);
  return name === 'weight_to_numeric' ? weightToKilograms(text, numberFormat) : toNumber(text, numberFormat);
}

/** Converts a value to the type of its column; undefined when that is not possible. */
function parseTyped(
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
      // A transform already returns a decimal; its separators must not be interpreted again.
      if (typeof read === 'string' && /^-?\d+\.\d{6}$/.test(read)) return read;
      const number = typeof read === 'number' ? String(read) : findNumber(read, { format: numberFormat })?.decimal;
      return number && roundHalfUp(number, 6);
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
      if (yesWords.has(word)) return true;
      return noWords.has(word) ? false : undefined;
    }
  }
}
