/**
 * A row between operators. A row is a document before a chunker and a chunk after it. Operators may add columns; every value
 * is plain JSON, so that the row can be stored in a Parquet table.
 */
export interface Row {
  /** Stable: a hash of job id, source identity and relative path; for a chunk, the document id and the chunk index. */
  id: string;
  name: string;
  path: string;
  source?: string;
  mimetype?: string;
  size?: number;
  /** ISO 8601 UTC. */
  modified_time?: string;
  /** SHA-256 of the bytes, hexadecimal. */
  content_hash?: string;
  /** The version marker of the source, such as an ETag; compared with the ledger. */
  source_version?: string;
  /** Hash of the access list from the source; compared with the ledger. */
  acl_hash?: string;
  content?: string;
  pages_processed?: number;
  /** Access list, see `AccessList`. */
  allowed_users?: string[];
  allowed_principals?: string[];
  denied_principals?: string[];
  required_lists?: string[];
  metadata?: Record<string, unknown>;
  /** Files within files only: the id of the file of the source, and the path within it. */
  parent_id?: string;
  member_path?: string;
  /** Number of files within the file of the source that the row is or belongs to; absent if the file was not searched. */
  member_count?: number;
  /** Key of the full DoclingDocument (JSON) in the file store. */
  document_ref?: string;
  /** Chunk rows only. */
  document_id?: string;
  chunk_index?: number;
  /** Offset of the chunk in the document's content, in UTF-16 code units. */
  start_index?: number;
  headings?: string[];
  page_numbers?: number[];
  bbox?: number[][];
  [column: string]: unknown;
}

/** Columns that operators must not drop or rename. */
export const mandatoryColumns = ['id', 'content', 'pages_processed'] as const;
/** The columns that tell where a document comes from, and which bytes it has. */
export const originColumns = [
  'id',
  'name',
  'path',
  'source',
  'mimetype',
  'size',
  'modified_time',
  'content_hash',
] as const;

/** A document that an operator could not process. It is removed from the table and the run continues. */
export interface RowFailure {
  id: string;
  name: string;
  code: string;
  message: string;
}

/** A document that an operator skipped on purpose. */
export interface RowSkip {
  id: string;
  name: string;
  reason: string;
}

/** The id of the document that a row belongs to. */
export function getDocumentId(row: Row): string {
  return row.document_id ?? row.id;
}
