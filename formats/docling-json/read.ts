import { documentFromJson } from '../../document/json/json';
import { AppError } from '../../model/errors';
import type { ReadDocument } from '../format';
import { decodeText } from '../text/decode';

/** Reads and checks a document of this or an older version of the schema. Its own name stays. */
export const read: ReadDocument = (bytes, { name, limits }) => {
  const document = documentFromJson(decodeText(bytes, { name }));
  const pages = Object.keys(document.pages).length;
  if (pages > limits.maxPages) {
    throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has ${pages} pages, allowed are ${limits.maxPages}.`);
  }
  return document;
};
