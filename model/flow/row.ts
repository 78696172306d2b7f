/**
 * A row between operators. Before a chunker a row is a document, after it a chunk. Operators may add columns; every value
 * is plain JSON, so that a row survives the Parquet table it is kept in.
 */
export interface Row {
  /** Stable: a hash of job id, source identity and relative path; for a chunk the document's id and the chunk's index. */
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
  /** What the source tells versions apart by, such as an ETag; the ledger compares it. */
  source_version?: string;
  /** Hash of `allowed_users` as the source gave them; the ledger compares it. */
  acl_hash?: string;
  content?: string;
  pages_processed?: number;
  allowed_users?: string[];
  metadata?: Record<string, unknown>;
  /** Files-store key of the full DoclingDocument (JSON). */
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

/** The columns that no operator may drop or rename. */
export const mandatoryColumns = ['id', 'content', 'pages_processed'] as const;

/** A document that an operator could not process; it leaves the table, the rest goes on. */
export interface RowFailure {
  id: string;
  name: string;
  code: string;
  message: string;
}

/** A document that an operator left out on purpose. */
export interface RowSkip {
  id: string;
  name: string;
  reason: string;
}
