import { createDocument } from '../../document/builder';
import { AppError } from '../../model/errors';
import { type ReadDocument, stemOf } from '../format';
import { decodeText } from './decode';

/** Texts with more paragraphs are rejected. */
const maxParagraphs = 1_000_000;

/** Lines without an empty line between them form a paragraph and keep their line ends. */
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
