import { documentToJson } from '../document/json/write';
import { toHtml } from '../document/write/html';
import { toMarkdown } from '../document/write/markdown';
import { toReadableText } from '../document/write/text';
import { AppError } from '../model/errors';
import { convertBytes, type ConvertedDocument, type ConvertRequest } from './convert';

/** A converted document with methods to write it. */
export interface Conversion extends ConvertedDocument {
  toMarkdown(): string;
  toHtml(): string;
  toText(): string;
  /** DoclingDocument JSON. */
  toJson(): string;
}

/**
 * Reads a document from its bytes, or a string as UTF-8. The extension of `name` decides the format if it can. Throws an error with a
 * `code`, such as DOCUMENT_CORRUPT; makes no network requests.
 */
export async function convert(
  content: Uint8Array | string,
  name: string,
  options: Omit<ConvertRequest, 'bytes' | 'name'> = {},
): Promise<Conversion> {
  if (typeof name !== 'string' || name === '')
    throw new AppError(
      'VALIDATION_ERROR',
      "convert takes the bytes of a document and its file name: convert(await readFile('a.docx'), 'a.docx')",
    );
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const converted = await convertBytes({ ...options, bytes, name });
  const { document } = converted;
  return {
    ...converted,
    toMarkdown: () => toMarkdown(document),
    toHtml: () => toHtml(document),
    toText: () => toReadableText(document),
    toJson: () => documentToJson(document),
  };
}
