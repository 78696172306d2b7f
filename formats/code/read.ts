import { createDocument } from '../../document/builder';
import { AppError } from '../../model/errors';
import { getBaseName, type ReadDocument, getStem } from '../format';
import { decodeText } from '../text/decode';
import { detectFileLanguage } from './extensions';

/** The file name is the title, and the text is one code item, including comments. */
export const read: ReadDocument = (bytes, { name }) => {
  const built = createDocument(getStem(name));
  const text = decodeText(bytes, { name }).replace(/^(?:[ \t]*\n)+|\s+$/g, '');
  if (text === '') throw new AppError('DOCUMENT_EMPTY', `'${name}' has no text.`);
  const fileName = getBaseName(name);
  built.text('title', fileName);
  built.code(text, { language: detectFileLanguage(fileName, text.slice(0, 200).split('\n', 1)[0]!) });
  return built.document;
};
