import { createDocument } from '../../../document/builder';
import type { DoclingDocument } from '../../../document/model';
import { type ReadOptions, getStem } from '../../format';
import { createImageShare } from '../../ooxml/image';
import { addComments, addHeadersAndFooters, addNotes } from './beside';
import { addBox, addStory, createStory, type DocumentContext } from './body';
import { readDrawings } from './drawings';
import { openWord } from './file';
import { readLists } from './lists';
import { createParagraphReader } from './paragraphs';
import { structures } from './structure';

/**
 * Reads a Word 97 to 2003 document (MS-DOC). Revisions are accepted; macros, embedded objects, deleted and hidden text are
 * omitted.
 */
export function read(bytes: Uint8Array, options: ReadOptions): DoclingDocument {
  const file = openWord(bytes, options);
  const context: DocumentContext = {
    builder: createDocument(getStem(options.name)),
    paragraphs: createParagraphReader(file, options.recordOmission),
    lists: readLists(file.from(structures.lists), file.structure(structures.listUses), options.profile),
    drawings: readDrawings(file, options.limits.maxDepth),
    images: createImageShare(),
    commented: new Map(),
  };
  const body = createStory(context, 'body');
  addStory(body, context.paragraphs(...file.stories.body));
  for (const box of context.drawings.unreadTextBoxes()) addBox(body, box);
  addNotes(context, file);
  addHeadersAndFooters(context, file);
  addComments(context, file);
  return context.builder.document;
}
