import { createDocument } from '../../../document/builder';
import type { DoclingDocument } from '../../../document/model';
import { AppError } from '../../../model/errors';
import { type CountPages, type ReadOptions, stemOf } from '../../format';
import { openOoxml, readPageCount } from '../package';
import { createImages } from '../image';
import { reportChunks, reportDeleted, reportParts } from '../unread';
import { child } from '../../xml/xml';
import { addBlocks } from './blocks';
import { createStory, type DocumentContext, endStory } from './story';
import { addComments } from './comments';
import { addHeadersAndFooters } from './furniture';
import { addNotes } from './notes';
import { readNumbering } from './numbering';
import { createRunReader } from './runs';
import { readStyles } from './styles';

/** Reads a Word document. Revisions are accepted; macros, embedded objects and linked files are ignored. */
export function read(bytes: Uint8Array, options: ReadOptions): DoclingDocument {
  const office = openOoxml(bytes, options.limits);
  const part = office.mainPart;
  const body = child(office.xml(part), 'w:body');
  if (body === undefined) {
    throw new AppError('DOCUMENT_CORRUPT', `${part} holds no Word document (w:document with w:body was expected).`);
  }
  const relatedXml = (type: string) => {
    const target = office.related(part, type);
    return target === undefined ? undefined : office.xml(target);
  };
  const styles = readStyles(relatedXml('styles'));
  const context: DocumentContext = {
    builder: createDocument(stemOf(options.name)),
    office,
    styles,
    numbering: readNumbering(relatedXml('numbering')),
    image: createImages(office),
    headingNumbers: new Map(),
    commented: office.related(part, 'comments') === undefined ? undefined : new Map(),
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
  reportChunks(office, options.recordOmission);
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
