import { toMarkdown } from '../../document';
import { documentFromJson } from '../../document/json/json';
import type { DoclingDocument } from '../../document/model';
import { toReadableText } from '../../document/write/text';
import { AppError } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import type { OperatorContext } from '../operator';

/**
 * The source of a row's graph: the full document if it still matches `content`, because it has pages and boxes. Otherwise
 * `content`, since an operator may have removed text that must not be read.
 */
export async function readSource(
  row: Row,
  { services, signal }: OperatorContext<'files'>,
): Promise<DoclingDocument | string> {
  const content = row.content ?? '';
  // A chunk carries the reference of the whole document.
  const isChunk = row.document_id !== undefined && row.document_id !== null && row.document_id !== row.id;
  if (isChunk || row.document_ref === undefined || row.document_ref === null) return content;
  const document = await findStoredDocument(row, services.files);
  signal.throwIfAborted();
  return document && isTextOf(document, content) ? document : content;
}

/** True if the text is that of the document, as plain text or as Markdown, so that no operator has changed it. */
export function isTextOf(document: DoclingDocument, text: string): boolean {
  return toReadableText(document) === text || toMarkdown(document) === text;
}

/** The full document of a row; undefined if it has none, or if it is no longer stored. */
export async function findStoredDocument(
  { document_ref: key }: Row,
  files: OperatorContext<'files'>['services']['files'],
): Promise<DoclingDocument | undefined> {
  if (key === undefined || key === null) return undefined;
  try {
    return documentFromJson(new TextDecoder().decode(await files.get(key)), { trusted: true });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'TABLE_NOT_FOUND') throw error;
    return undefined;
  }
}
