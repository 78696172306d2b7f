import { createDocument, documentToJson, toHtml, toMarkdown } from '../../document';
import type { DoclingDocument } from '../../document/model';
import type { Row } from '../../model/flow/row';
import type { DocumentFormat } from './formats';

const writers: Readonly<Record<DocumentFormat, (document: DoclingDocument) => string>> = {
  md: toMarkdown,
  html: toHtml,
  json: documentToJson,
};

/** The document as text in this format. */
export function writeDocument(document: DoclingDocument, format: DocumentFormat): string {
  return writers[format](document);
}

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
