import { type Attributes, formatFloat, type GraphValue, isRecord, TypedValue } from '../core/value';
import { writePythonJson, writePythonText } from './python-text';

/** The quoted header of the peer's files; only a line break when there are no columns. */
export function writePeerHeader(columns: readonly string[]): string {
  return `${columns.map(quote).join(',')}\n`;
}

/** Rows as pandas writes them with all strings quoted. The type of a column decides how its cells are formatted. */
export function* writePeerCells(records: readonly Attributes[], columns: readonly string[]): Generator<string> {
  const spellings = columns.map((column) => chooseSpelling(records, column));
  for (const record of records)
    yield `${columns.map((column, index) => formatCell(record[column] ?? null, spellings[index], column)).join(',')}\n`;
}

type Spelling = 'floats' | 'objects' | { times: 'days' | 'seconds' | 'micros' };

// Integers with missing values, or mixed with floats, become floats. All times of a column have one format.
function chooseSpelling(records: readonly Attributes[], column: string): Spelling {
  const values = records.map((record) => record[column] ?? null).filter((value) => value !== null);
  if (values.length === 0) return 'objects';
  if (values.every((value) => value instanceof TypedValue && value.kind === 'datetime'))
    return chooseTimeSpelling(values);
  if (!values.every(isNumber)) return 'objects';
  const hasGap = values.length < records.length;
  const hasFloat = values.some((value) => !isInteger(value));
  return (hasGap || hasFloat) && !exceedsInt64(values) ? 'floats' : 'objects';
}

// Integers outside the signed and unsigned 64-bit range make the column an object column.
function exceedsInt64(values: readonly GraphValue[]): boolean {
  const large = values.filter((value) => typeof value === 'bigint');
  if (large.some((value) => value >= 1n << 64n || value < -(1n << 63n))) return true;
  const isUnsigned = large.some((value) => value >= 1n << 63n);
  return isUnsigned && values.some((value) => isInteger(value) && Number(value) < 0);
}

function chooseTimeSpelling(values: readonly GraphValue[]): Spelling {
  const texts = values.map((value) => (value as TypedValue).text);
  if (new Set(texts.map((text) => /([+-]\d\d:\d\d)$/.exec(text)?.[1])).size > 1) return 'objects';
  if (texts.some((text) => text.includes('.'))) return { times: 'micros' };
  const isDays = texts.every((text) => /T00:00:00$/.test(text));
  return { times: isDays ? 'days' : 'seconds' };
}

function formatCell(value: GraphValue, spelling: Spelling | undefined, column: string): string {
  if (value === null || (typeof value === 'number' && Number.isNaN(value))) return '""';
  if (typeof value === 'string') return quote(value);
  if (spelling === 'floats') return formatFloat(Number(value instanceof TypedValue ? value.text : value));
  if (value instanceof TypedValue) return formatTypedCell(value, spelling);
  if (typeof value === 'object')
    return quote(column === '__provenance__' && isRecord(value) ? writePythonJson(value) : writePythonText(value));
  return writePythonText(value);
}

function formatTypedCell(value: TypedValue, spelling: Spelling | undefined): string {
  if (value.kind === 'decimal' || value.kind === 'float' || value.kind === 'uuid') return value.text;
  if (value.kind === 'bytes' || value.kind === 'path') return quote(writePythonText(value));
  if (value.kind === 'enum') return quote(value.member && !value.member.isString ? value.member.name : value.text);
  const text = writePythonText(value);
  if (typeof spelling !== 'object' || value.kind !== 'datetime') return quote(text);
  if (spelling.times === 'days') return quote(text.slice(0, 10));
  const isShort = spelling.times === 'micros' && !text.includes('.');
  return quote(isShort ? `${text.slice(0, 19)}.000000${text.slice(19)}` : text);
}

const isNumber = (value: GraphValue) =>
  typeof value === 'number' || typeof value === 'bigint' || (value instanceof TypedValue && value.kind === 'float');
const isInteger = (value: GraphValue) =>
  typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
// The peer doubles backslashes but does not undo that when reading.
const quote = (text: string) => `"${text.replace(/\\/g, '\\\\').replace(/"/g, '""')}"`;
