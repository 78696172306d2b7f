import { createDocument } from '../../../document/builder';
import { AppError } from '../../../model/errors';
import type { RecordOmission } from '../../coverage';
import { type CountPages, type ReadDocument, getStem } from '../../format';
import { listDescendants, listElements, parseXml, joinText, type XmlElement } from '../../xml/xml';
import { openZip } from '../../zip/zip';
import { addBlocks, addNotes, createContext } from '../blocks';
import { addPageFurniture } from '../furniture';
import { openOdf } from '../package';

/** Reads a text document. Tracked changes are accepted; macros, forms and linked files are ignored. */
export const read: ReadDocument = (bytes, options) => {
  const { name, profile, recordOmission } = options;
  const office = openOdf(bytes, options, 'text');
  const context = createContext(createDocument(getStem(name)), office, options);
  addBlocks(context, listElements(office.body), {});
  addNotes(context);
  if (profile !== 'reference') addPageFurniture(context);
  reportDeleted(office.body, recordOmission);
  return context.builder.document;
};

function reportDeleted(body: XmlElement, recordOmission: RecordOmission | undefined): void {
  if (recordOmission === undefined) return;
  for (const deletion of listDescendants(body, 'text:deletion')) {
    const text = [...listDescendants(deletion, 'text:p'), ...listDescendants(deletion, 'text:h')]
      .map(joinText)
      .join(' ');
    if (text.trim() !== '') recordOmission('deleted text', text);
  }
}

/** Returns `meta:page-count` of `meta.xml`. */
export const countPages: CountPages = (bytes, { limits }) => {
  try {
    const meta = openZip(bytes, limits).read('meta.xml');
    const prefixes = { 'urn:oasis:names:tc:opendocument:xmlns:meta:1.0': 'meta' };
    const root = meta && parseXml(meta, { source: 'meta.xml', prefixes, maxDepth: limits.maxDepth });
    const count = Number(root && listDescendants(root, 'meta:document-statistic')[0]?.attributes['meta:page-count']);
    return Number.isInteger(count) && count > 0 ? count : undefined;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
};
