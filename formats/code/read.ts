import { createDocument } from '../../document/builder';
import { AppError } from '../../model/errors';
import { getBaseName, type ReadDocument, getStem } from '../format';
import { decodeText } from '../text/decode';
import { detectFileLanguage } from './extensions';

/** Reads the text, including its comments, as one code item with the file name as its title. */
export const read: ReadDocument = (bytes, { name }) => {
  const builder = createDocument(getStem(name));
  const text = decodeText(bytes, { name }).replace(/^(?:[ \t]*\n)+|\s+$/g, '');
  if (text === '') throw new AppError('DOCUMENT_EMPTY', `'${name}' has no text.`);
  const fileName = getBaseName(name);
  builder.text('title', fileName);
  builder.code(text, { language: detectFileLanguage(fileName, text.slice(0, 200).split('\n', 1)[0]!) });
  return builder.document;
};
