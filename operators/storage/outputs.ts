import { createDocument, documentToJson, toHtml, toMarkdown } from '../../document';
import type { DoclingDocument } from '../../document/model';
import type { Row } from '../../model/flow/row';

/** Formats of whole documents: extension, media type, and how it is written. */
export const documentFormats = {
  md: {
    ext: 'md',
    mediaType: 'text/markdown; charset=utf-8',
    write: (document: DoclingDocument) => toMarkdown(document),
  },
  html: { ext: 'html', mediaType: 'text/html; charset=utf-8', write: (document: DoclingDocument) => toHtml(document) },
  json: { ext: 'json', mediaType: 'application/json', write: (document: DoclingDocument) => documentToJson(document) },
} as const;
export type DocumentFormat = keyof typeof documentFormats;

/** Formats of the rows of a document. */
export const rowFormats = {
  parquet: { ext: 'parquet', mediaType: 'application/vnd.apache.parquet' },
  jsonl: { ext: 'jsonl', mediaType: 'application/x-ndjson; charset=utf-8' },
  csv: { ext: 'csv', mediaType: 'text/csv; charset=utf-8' },
} as const;
export type RowFormat = keyof typeof rowFormats;

/** The text as a document of paragraphs, for texts that an operator has changed since they were converted. */
export function createTextDocument(name: string, text: string): DoclingDocument {
  const builder = createDocument(name);
  for (const paragraph of text.split(/\n{2,}/)) if (paragraph.trim() !== '') builder.text('text', paragraph.trim());
  return builder.document;
}

/** Columns that are useless outside the product, or reveal who may read a document. Written only on request. */
const internalColumns: ReadonlySet<string> = new Set([
  'document_ref',
  'acl_hash',
  'source_version',
  'allowed_users',
  'allowed_principals',
  'denied_principals',
  'required_lists',
]);

/** The columns to write, in the order of their first row. */
export function listColumnsToWrite(rows: readonly Row[], requestedColumns: readonly string[] | undefined): string[] {
  if (requestedColumns) return [...requestedColumns];
  return [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => !internalColumns.has(name));
}

/** The row with these columns only. */
export function selectColumns(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.filter((name) => Object.hasOwn(row, name)).map((name) => [name, row[name]])) as Row;
}
