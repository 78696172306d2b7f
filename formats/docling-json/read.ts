import { documentFromJson } from '../../document/json/json';
import { AppError } from '../../model/errors';
import type { ReadDocument } from '../format';
import { decodeText } from '../text/decode';

/** Reads and validates a document of this or an older schema version. The document keeps its own name. */
export const read: ReadDocument = (bytes, { name, limits }) => {
  const document = documentFromJson(decodeText(bytes, { name }));
  const pages = Object.keys(document.pages).length;
  if (pages > limits.maxPages) {
    throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has ${pages} pages; the limit is ${limits.maxPages}.`);
  }
  return document;
};
