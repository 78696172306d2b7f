import { createDocument } from '../../../document/builder';
import type { DoclingDocument } from '../../../document/model';
import { AppError } from '../../../model/errors';
import { type CountPages, type ReadDocument, type ReadOptions, getStem } from '../../format';
import { findChild } from '../../xml/xml';
import { createImages } from '../image';
import { type OoxmlPackage, openOoxml, readPageCount } from '../package';
import { reportDeleted, reportLinked, reportParts } from '../unread';
import { addBlocks } from './blocks';
import { readInserted, reportUnshown } from './chunks';
import { addComments } from './comments';
import { addHeadersAndFooters } from './furniture';
import { addNotes } from './notes';
import { readNumbering } from './numbering';
import { createRunReader } from './runs';
import { createStory, type DocumentContext, endStory, type InsertedDocuments } from './story';
import { readStyles } from './styles';

/** Reads a Word document. Revisions are accepted; macros, embedded objects and linked files are ignored. */
export const read: ReadDocument = async (bytes, options) => {
  const office = openOoxml(bytes, options.limits);
  return readWord(office, options, await readInserted(office, options, read));
};

/** Reads an opened document, with the documents that it inserts. */
export function readWord(
  office: OoxmlPackage,
  options: ReadOptions,
  inserted: InsertedDocuments = new Map(),
): DoclingDocument {
  const part = office.mainPart;
  const body = findChild(office.xml(part), 'w:body');
  if (body === undefined) {
    throw new AppError('DOCUMENT_CORRUPT', `${part} holds no Word document (w:document with w:body was expected).`);
  }
  const readRelatedXml = (type: string) => {
    const target = office.related(part, type);
    return target === undefined ? undefined : office.xml(target);
  };
  const styles = readStyles(readRelatedXml('styles'));
  const context: DocumentContext = {
    builder: createDocument(getStem(options.name)),
    office,
    styles,
    numbering: readNumbering(readRelatedXml('numbering'), options.profile),
    image: createImages(office),
    headingNumbers: new Map(),
    commented: office.related(part, 'comments') === undefined ? undefined : new Map(),
    inserted,
    addBlocks,
  };
  const runs = createRunReader(styles, office.relationships(part));
  const story = createStory(context, { part, runs, layer: 'body' });
  addBlocks(story, body);
  endStory(story);
  addNotes(context, runs.notes);
  addHeadersAndFooters(context, body);
  addComments(context);
  reportParts(office, options.recordOmission);
  reportDeleted(body, options.recordOmission);
  reportUnshown(inserted, options.recordOmission);
  reportLinked(office, options.recordOmission);
  return context.builder.document;
}

/** Returns undefined if the document properties are damaged, since the document itself may still be readable. */
export const countPages: CountPages = (bytes, { limits }) => {
  try {
    return readPageCount(bytes, limits);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
};
