import type { ColumnFacts } from '../../model/flow/columns';
import type { Row } from '../../model/flow/row';

/** The DuckDB type of a column of plain JSON values. Text, numbers and lists are native; all else is JSON. */
export type ColumnKind =
  | 'VARCHAR'
  | 'BIGINT'
  | 'DOUBLE'
  | 'BOOLEAN'
  | 'VARCHAR[]'
  | 'BIGINT[]'
  | 'DOUBLE[]'
  | 'FLOAT[]'
  | 'DOUBLE[][]'
  | 'JSON';

/** The columns of a set of rows. `extra` contains names that DuckDB cannot distinguish; these share one column. */
export interface RowColumns {
  kinds: Map<string, ColumnKind>;
  extra: Set<string>;
}

/**
 * This column contains, as one JSON object, the columns whose names DuckDB cannot distinguish (`Title` and `title`) or represent.
 */
export const extraColumn = 'docloom_extra';

/** Lists of at least this many numbers are vectors, stored in single precision like in every vector index. */
const vectorLength = 32;

const loneSurrogates = /\p{Surrogate}/gu;
// oxlint-disable-next-line no-control-regex -- a NUL ends an identifier
const unnameable = /\p{Surrogate}|\0/u;

/** The types of the columns of `Row`, so that a table's types do not depend on the values in a part. */
export const standardKinds: Readonly<Record<string, ColumnKind>> = {
  id: 'VARCHAR',
  name: 'VARCHAR',
  path: 'VARCHAR',
  source: 'VARCHAR',
  mimetype: 'VARCHAR',
  size: 'BIGINT',
  modified_time: 'VARCHAR',
  content_hash: 'VARCHAR',
  acl_hash: 'VARCHAR',
  content: 'VARCHAR',
  pages_processed: 'BIGINT',
  allowed_users: 'VARCHAR[]',
  allowed_principals: 'VARCHAR[]',
  denied_principals: 'VARCHAR[]',
  required_lists: 'VARCHAR[]',
  metadata: 'JSON',
  parent_id: 'VARCHAR',
  member_path: 'VARCHAR',
  member_count: 'BIGINT',
  document_ref: 'VARCHAR',
  document_id: 'VARCHAR',
  chunk_index: 'BIGINT',
  start_index: 'BIGINT',
  headings: 'VARCHAR[]',
  page_numbers: 'BIGINT[]',
  bbox: 'DOUBLE[][]',
};

const kindsOfTypes: Readonly<Record<string, ColumnKind>> = {
  string: 'VARCHAR',
  enum: 'VARCHAR',
  timestamp: 'VARCHAR',
  int32: 'BIGINT',
  int64: 'BIGINT',
  double: 'DOUBLE',
  boolean: 'BOOLEAN',
  list: 'VARCHAR[]',
  vector: 'FLOAT[]',
};

/** Columns that operators declare, by name. */
export type DeclaredColumns = ReadonlyMap<string, Pick<ColumnFacts, 'type'>>;

/**
 * The non-empty columns, each with the type that fits all its values, and the declared ones, whose types do not depend on the
 * values as long as these fit. Always includes `id`.
 */
export function buildColumns(rows: readonly Row[], declared: DeclaredColumns = new Map()): RowColumns {
  const kinds = new Map<string, ColumnKind>([['id', 'VARCHAR']]);
  const names = new Set([...declared.keys(), ...rows.flatMap((row) => Object.keys(row))]);
  const extra = new Set<string>();
  const usedNames = new Map<string, string>([
    [extraColumn, ''],
    ...Object.keys(standardKinds).map((name) => [name, name] as [string, string]),
  ]);
  for (const name of names) {
    const values = rows.map((row) => row[name]).filter(isPresent);
    const facts = declared.get(name);
    if (values.length === 0 && !facts) continue;
    const key = name.toLowerCase();
    if (name === '' || unnameable.test(name) || (usedNames.get(key) ?? name) !== name) {
      if (values.length > 0) extra.add(name);
      continue;
    }
    usedNames.set(key, name);
    kinds.set(name, chooseKind(name, values, facts && (kindsOfTypes[facts.type] ?? 'JSON')));
  }
  return { kinds, extra };
}

const isPresent = (value: unknown) => value !== undefined && value !== null;

function chooseKind(name: string, values: readonly unknown[], declared?: ColumnKind): ColumnKind {
  const standard = Object.hasOwn(standardKinds, name) ? standardKinds[name] : declared;
  if (standard && values.every((value) => fits[standard](value))) return standard;
  const kind = (['VARCHAR', 'BIGINT', 'DOUBLE', 'BOOLEAN'] as const).find((candidate) => values.every(fits[candidate]));
  if (kind) return kind;
  if (values.every((value) => Array.isArray(value) && value.length === 0)) return 'JSON';
  const isVector = values.some((value) => Array.isArray(value) && value.length >= vectorLength);
  const lists = [
    'VARCHAR[]',
    ...(isVector ? (['FLOAT[]'] as const) : []),
    'BIGINT[]',
    'DOUBLE[]',
    'DOUBLE[][]',
  ] as const;
  return lists.find((candidate) => values.every(fits[candidate])) ?? 'JSON';
}

const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value);
const isListOf = (member: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(member);
const fits: Record<ColumnKind, (value: unknown) => boolean> = {
  VARCHAR: (value) => typeof value === 'string',
  BIGINT: Number.isSafeInteger,
  DOUBLE: isNumber,
  BOOLEAN: (value) => typeof value === 'boolean',
  'VARCHAR[]': isListOf((value) => typeof value === 'string'),
  'BIGINT[]': isListOf(Number.isSafeInteger),
  'DOUBLE[]': isListOf(isNumber),
  // A number beyond the range of single precision would become infinite.
  'FLOAT[]': isListOf((value) => isNumber(value) && Number.isFinite(Math.fround(value as number))),
  'DOUBLE[][]': isListOf(isListOf(isNumber)),
  JSON: () => true,
};

/** One line of newline-delimited JSON for `readExpression`. Text is stored as UTF-8, so a lone surrogate becomes U+FFFD. */
export function toLine(row: Row, columns: RowColumns): string {
  const line = JSON.stringify(encode(row, columns, (value) => value));
  // JSON.stringify writes lone surrogates, and only those, as \ud…, which DuckDB rejects. Any other \ud only costs time.
  return line.includes('\\ud') ? JSON.stringify(encode(row, columns, toWellFormed)) : line;
}

function encode(row: Row, { kinds, extra }: RowColumns, clean: (value: unknown) => unknown): Record<string, unknown> {
  const cells: [string, unknown][] = [];
  for (const [name, kind] of kinds) {
    if (!isPresent(row[name])) continue;
    const value = clean(row[name]);
    // JSON is passed as text, which preserves key order and numbers; DuckDB would reformat it.
    cells.push([name, kind === 'JSON' ? JSON.stringify(value) : value]);
  }
  const others = [...extra].filter((name) => isPresent(row[name])).map((name) => [name, row[name]]);
  if (others.length > 0) cells.push([extraColumn, JSON.stringify(clean(Object.fromEntries(others)))]);
  return Object.fromEntries(cells);
}

function toWellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(loneSurrogates, '\ufffd');
  if (Array.isArray(value)) return value.map(toWellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [toWellFormed(key) as string, toWellFormed(member)]),
  );
}

/** SQL that reads a file of lines written with `toLine`. `maxLineBytes` is the length of its longest line. */
export function buildReadExpression(file: string, { kinds, extra }: RowColumns, maxLineBytes: number): string {
  const columns = [...kinds, ...(extra.size > 0 ? [[extraColumn, 'JSON'] as const] : [])];
  const select = columns.map(([name, kind]) =>
    kind === 'JSON' ? `${quoteName(name)}::JSON AS ${quoteName(name)}` : quoteName(name),
  );
  const types = columns.map(([name, kind]) => `${quoteText(name)}: ${quoteText(kind === 'JSON' ? 'VARCHAR' : kind)}`);
  // DuckDB allocates two buffers of this size; its default of 16 MB is too much for small parts.
  const bufferBytes = Math.max(64 * 1024, maxLineBytes + 1024);
  return `SELECT ${select.join(', ')} FROM read_json(${quoteText(file)}, format='newline_delimited', maximum_object_size=${bufferBytes}, columns={${types.join(', ')}})`;
}

/** Quotes a name as an SQL identifier. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a text as an SQL literal. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
