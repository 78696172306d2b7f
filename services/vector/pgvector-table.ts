import type { IndexRecord, IndexSpec } from '../search/ports';
import { quoteIdentifier } from './pgvector-connection';
import { listSearchValues, searchColumns } from './pgvector-words';
import { recordColumns } from './store';

/** The operator that computes the distance of a space, and the ending of the operator class of its index. */
const spaces: Readonly<Record<string, { operator: string; operatorClass: string }>> = {
  l2: { operator: '<->', operatorClass: 'l2_ops' },
  cosinesimil: { operator: '<=>', operatorClass: 'cosine_ops' },
  innerproduct: { operator: '<#>', operatorClass: 'ip_ops' },
};
/** Dimensions that an index supports: whole numbers of 4 bytes, then of 2 bytes. Larger vectors are searched exactly. */
const maxDimensions = 2_000;
const maxHalfDimensions = 4_000;
const accessTypes = {
  allowed_users: 'text[]',
  allowed_principals: 'text[]',
  denied_principals: 'text[]',
  required_lists: 'jsonb',
} as const;

/** The columns in the order of `listValues`. */
export function listColumnNames(hasVectors: boolean): string[] {
  const ownColumns = [...recordColumns, ...Object.keys(accessTypes), ...(hasVectors ? ['embedding'] : [])];
  return [...ownColumns, ...Object.keys(searchColumns)];
}

/** The statements that create the table of a collection. Ids compare byte by byte, whatever the collation of the database. */
export function createTableSql({ name, vectorDimension }: IndexSpec): string[] {
  const table = quoteIdentifier(name);
  const texts = recordColumns
    .filter((column) => column !== 'id' && column !== 'metadata')
    .map((column) => `${column} text NOT NULL`);
  const lists = Object.entries(accessTypes).map(
    ([column, type]) => `${column} ${type} NOT NULL DEFAULT ${type === 'jsonb' ? "'[]'" : "'{}'"}`,
  );
  const vector = vectorDimension === undefined ? [] : [`embedding vector(${vectorDimension})`];
  const columns = [
    'id text COLLATE "C" PRIMARY KEY',
    ...texts,
    "metadata jsonb NOT NULL DEFAULT '{}'",
    ...lists,
    ...vector,
  ];
  return [
    `CREATE TABLE ${table} (${columns.join(', ')})`,
    `CREATE INDEX ON ${table} (job_id, document_id)`,
    ...addSearchSql(name),
  ];
}

/** The statements that prepare a table for searches by words and by principal. */
export function addSearchSql(name: string): string[] {
  const table = quoteIdentifier(name);
  const columns = Object.entries(searchColumns).map(([column, type]) => `ADD COLUMN IF NOT EXISTS ${column} ${type}`);
  return [
    `ALTER TABLE ${table} ${columns.join(', ')}`,
    `CREATE INDEX ON ${table} USING gin (words)`,
    `CREATE INDEX ON ${table} USING gin (exact)`,
    `CREATE INDEX ON ${table} USING gin (allowed_users, allowed_principals)`,
    `CREATE INDEX ON ${table} (document_id)`,
    `CREATE INDEX ON ${table} (analysis)`,
  ];
}

/** The statement for the vector index; undefined where the vectors are too long for one. */
export function createIndexSql(spec: IndexSpec, dimension: number): string | undefined {
  const { operatorClass } = spaces[spec.spaceType] ?? spaces['l2']!;
  if (dimension > maxHalfDimensions) return undefined;
  const isHalf = dimension > maxDimensions;
  const column = isHalf
    ? `(embedding::halfvec(${dimension})) halfvec_${operatorClass}`
    : `embedding vector_${operatorClass}`;
  const isInverted = spec.indexType?.startsWith('IVF') ?? false;
  const kind = isInverted
    ? `ivfflat (${column}) WITH (lists = ${spec.lists ?? 100})`
    : `hnsw (${column}) WITH (m = ${Math.min(100, spec.m)}, ef_construction = ${Math.max(2 * spec.m, Math.min(1_000, spec.efConstruction))})`;
  const name = quoteIdentifier(`${spec.name.slice(0, 50)}_docloom_v`);
  return `CREATE INDEX IF NOT EXISTS ${name} ON ${quoteIdentifier(spec.name)} USING ${kind}`;
}

/** The operator that orders by distance. */
export function getOperator(space: string): string {
  return (spaces[space] ?? spaces['l2'])?.operator ?? '<->';
}

/** A vector in the notation of pgvector. */
export function writeVector(vector: readonly number[]): string {
  return `[${vector.join(',')}]`;
}

/** The values of a record as expressions; `add` adds a value to the statement and returns its place. */
export function listValues(record: IndexRecord, hasVectors: boolean, add: (value: unknown) => string): string[] {
  const { allowed_users, allowed_principals = [], denied_principals = [], required_lists = [] } = record;
  const stored = toStorable(record) as IndexRecord;
  return [
    ...recordColumns.map((column) => add(column === 'metadata' ? JSON.stringify(stored.metadata) : stored[column])),
    add(allowed_users.map(toStorable)),
    add(allowed_principals.map(toStorable)),
    add(denied_principals.map(toStorable)),
    add(JSON.stringify(toStorable(required_lists))),
    ...(hasVectors ? [add(record.embedding ? writeVector(record.embedding) : null)] : []),
    ...listSearchValues(stored, add),
  ];
}

/** PostgreSQL stores neither NUL nor halves of surrogate pairs, not even as JSON escapes. */
export function toStorable(value: unknown): unknown {
  // oxlint-disable-next-line no-control-regex -- NUL is what is looked for
  if (typeof value === 'string') return value.replace(/[\u0000\p{Surrogate}]/gu, '\ufffd');
  if (Array.isArray(value)) return value.map(toStorable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [toStorable(name), toStorable(member)]));
}
