import { createDocument } from '../../document/builder';
import { AppError } from '../../model/errors';
import { addData } from '../data/add-data';
import type { Data } from '../data/data';
import { type ReadDocument, type ReadOptions, getStem } from '../format';
import { decodeText } from '../text/decode';
import { readData } from './element-data';
import { findProse, ProseWriter } from './prose';
import { listElements, readLocalName, type XmlElement } from './xml';
import { parseXmlDocument } from './xml-document';

/**
 * Reads XML by its content: values as lists and tables with the names of elements and attributes, prose (text mixed with
 * elements) as paragraphs below its titles. Malformed XML is kept as written, with a warning.
 */
export const read: ReadDocument = (bytes, options) => {
  const builder = createDocument(getStem(options.name));
  const root = parse(bytes, options);
  if (root === undefined) {
    builder.code(decodeText(bytes, { name: options.name }).trim(), { language: 'XML' });
    return builder.document;
  }
  const prose = findProse(root);
  if (prose.inside.has(root)) new ProseWriter(builder, prose).addElement(root, 1);
  else addData(builder, readValues(root), { name: readLocalName(root) });
  return builder.document;
};

/** Returns undefined for malformed XML. A stray ampersand, a common mistake in hand-written XML, is read as text. */
function parse(bytes: Uint8Array, options: ReadOptions): XmlElement | undefined {
  try {
    return parseXmlDocument(bytes, options);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'DOCUMENT_CORRUPT') throw error;
    const mended = escapeStrayAmpersands(bytes);
    const root = mended && findWellFormed(mended, options);
    options.warn?.(root ? error.message : `${error.message} Its text is kept as written.`);
    return root;
  }
}

function findWellFormed(bytes: Uint8Array, options: ReadOptions): XmlElement | undefined {
  try {
    return parseXmlDocument(bytes, options);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'DOCUMENT_CORRUPT') throw error;
    return undefined;
  }
}

/** Undefined if there are none. Works on bytes, since every encoding except UTF-16 stores an ampersand as one byte. */
function escapeStrayAmpersands(bytes: Uint8Array): Uint8Array | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const mended = text.replace(/&(?!(?:[A-Za-z][\w.-]{0,40}|#\d{1,7}|#x[\da-fA-F]{1,6});)/g, '&amp;');
  return mended === text ? undefined : Buffer.from(mended, 'latin1');
}

/** The values of a property list are inside its single child. */
function readValues(root: XmlElement): Data {
  const [only, second] = listElements(root);
  return readLocalName(root) === 'plist' && only && !second ? readData(only) : readData(root);
}
