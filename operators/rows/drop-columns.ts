import { accessColumns } from '../../model/access-list';
import { mandatoryColumns, type Row } from '../../model/flow/row';

/** Columns that identify documents and control access. A query that omits them does not lose them. */
export const trackedColumns = [
  'name',
  'path',
  'source',
  'size',
  'modified_time',
  'content_hash',
  'acl_hash',
  ...accessColumns,
  'parent_id',
  'member_path',
  'member_count',
  'document_id',
  'document_ref',
  'chunk_index',
] as const;

/** Columns that locate a document and its text. A query that could change these would reach other users' documents. */
export const identifyingColumns = [
  'path',
  'source',
  'content_hash',
  'source_version',
  'acl_hash',
  'parent_id',
  'member_path',
  'member_count',
  'document_id',
  'document_ref',
] as const;

/** Copies of the rows without these columns. Mandatory columns stay. */
export function omitColumns(rows: readonly Row[], columns: readonly string[] = []): Row[] {
  const keptColumns: readonly string[] = [...mandatoryColumns, ...trackedColumns];
  const dropped = new Set(columns.filter((name) => !keptColumns.includes(name)));
  if (dropped.size === 0) return [...rows];
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !dropped.has(name))) as Row);
}
