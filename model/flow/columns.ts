/** Describes a column of the rows between operators, for filters and for readers of the tables. */
export interface ColumnFacts {
  /** string, int32, int64, double, boolean, list, json, vector or timestamp. */
  type: string;
  description: string;
  /** True when vectordb writes the column to the index, as a field or as a member of `metadata`. */
  indexed: boolean;
  /** True when the column quotes parts of the text, which an operator that masks text may have to hide from readers. */
  quotesText?: boolean;
}

/** The columns common to all flows. Operators describe additional columns in `columns`. */
export const commonColumns: Readonly<Record<string, ColumnFacts>> = {
  id: {
    type: 'string',
    description: 'Stable id of the row: derived from job, source and path; for a chunk from its document and position.',
    indexed: true,
  },
  name: { type: 'string', description: 'The file name.', indexed: true },
  path: { type: 'string', description: 'Where the document was found: a path or a URL.', indexed: true },
  source: { type: 'string', description: 'The source that listed the document.', indexed: true },
  mimetype: { type: 'string', description: 'The media type, derived from the file name.', indexed: true },
  size: { type: 'int64', description: 'Size of the file in bytes.', indexed: true },
  modified_time: {
    type: 'timestamp',
    description: 'When the file was last changed, ISO 8601 in UTC; `created_at` in the index.',
    indexed: true,
  },
  content_hash: { type: 'string', description: 'SHA-256 of the bytes of the file, hexadecimal.', indexed: false },
  source_version: {
    type: 'string',
    description: 'Version identifier of the source, such as an ETag; empty if it has none.',
    indexed: false,
  },
  acl_hash: {
    type: 'string',
    description: 'Hash of the access list; if only it changes, the document is ingested again.',
    indexed: false,
  },
  content: {
    type: 'string',
    description: 'The plain text of the document or of the chunk, without Markdown syntax.',
    indexed: true,
  },
  pages_processed: {
    type: 'int32',
    description: 'Number of pages read; 1 if the format has no pages.',
    indexed: true,
  },
  allowed_users: {
    type: 'list',
    description: 'Names of the users who may read the document; if empty, only its principals grant access.',
    indexed: true,
  },
  allowed_principals: {
    type: 'list',
    description: 'Principals who may also read the document: `g:SOURCE:ID` for a group, `p:*` for everybody.',
    indexed: true,
  },
  denied_principals: {
    type: 'list',
    description: 'Principals who may not read the document, whatever else allows them.',
    indexed: true,
  },
  required_lists: {
    type: 'list',
    description:
      'For a row made of several documents: the access lists of the others, as JSON; readers must be in all of them.',
    indexed: true,
  },
  metadata: { type: 'json', description: 'Metadata of the source and the document.', indexed: true },
  parent_id: {
    type: 'string',
    description: 'Of a file within a file (of an archive, attached to a message): the id of the file of the source.',
    indexed: false,
  },
  member_path: {
    type: 'string',
    description: 'Of a file within a file: its path within the file of the source.',
    indexed: false,
  },
  member_count: {
    type: 'int32',
    description: 'Number of files within the file of the source; empty if it was not searched.',
    indexed: false,
  },
  document_ref: {
    type: 'string',
    description: 'The key of the whole converted document (JSON) in the file store.',
    indexed: false,
  },
  document_id: { type: 'string', description: 'The document that the chunk belongs to.', indexed: true },
  chunk_index: { type: 'int32', description: 'The position of the chunk in its document, from 0.', indexed: true },
  start_index: {
    type: 'int32',
    description:
      'Offset of the chunk in the `content` that the chunker received for the document, in UTF-16 code units.',
    indexed: true,
  },
  headings: { type: 'list', description: 'The headings above the chunk, the outermost first.', indexed: true },
  page_numbers: { type: 'list', description: 'The pages of the chunk, counted from 1.', indexed: true },
  bbox: {
    type: 'list',
    description: 'Boxes of the chunk: page, left, top, right, bottom, in points from the top left.',
    indexed: true,
  },
  embeddings: { type: 'vector', description: 'The vector of the text.', indexed: true },
};
