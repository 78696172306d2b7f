import { createDocument } from '../../document/builder';
import { AppError } from '../../model/errors';
import { type ReadDocument, stemOf } from '../format';
import { decodeText } from './decode';

/** More paragraphs than this are refused. */
const maxParagraphs = 1_000_000;

/** Each run of lines without an empty one is a paragraph; its lines stay lines. */
export const read: ReadDocument = (bytes, { name }) => {
  const built = createDocument(stemOf(name));
  const paragraphs = decodeText(bytes, { name }).split(/\n(?:[ \t]*\n)+/);
  if (paragraphs.length > maxParagraphs) {
    throw new AppError(
      'DOCUMENT_TOO_LARGE',
      `'${name}' has ${paragraphs.length} paragraphs; at most ${maxParagraphs} are read.`,
    );
  }
  for (const paragraph of paragraphs) {
    const trimmed = paragraph.replace(/^\n+|\s+$/g, '');
    if (trimmed.trim() !== '') built.text('text', trimmed);
  }
  return built.document;
};
