import { mandatoryColumns, type Row } from '../../model/flow/row';

/** What the engine tells documents apart by and who may read them; a query that leaves these out does not lose them. */
export const tracked = [
  'name',
  'path',
  'source',
  'size',
  'modified_time',
  'content_hash',
  'acl_hash',
  'allowed_users',
  'document_id',
  'document_ref',
  'chunk_index',
] as const;

/** Where a document comes from and where its text is kept: a query that could change these would reach the documents of others. */
export const identifying = [
  'path',
  'source',
  'content_hash',
  'source_version',
  'acl_hash',
  'document_id',
  'document_ref',
] as const;

/** Copies of the rows without these columns; what a row must keep stays. */
export function withoutColumns(rows: readonly Row[], columns: readonly string[] = []): Row[] {
  const kept: readonly string[] = [...mandatoryColumns, ...tracked];
  const dropped = new Set(columns.filter((name) => !kept.includes(name)));
  if (dropped.size === 0) return [...rows];
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !dropped.has(name))) as Row);
}
