import type { DocumentBuilder } from '../../../document/builder';
import { formatCommentHead } from '../../comment-head';
import { findChild, listDescendants, listElements, joinText, type XmlElement } from '../../xml/xml';
import type { CellComment, SheetRef, WorkbookContext } from './workbook-context';

/** Adds the comments on a sheet's cells as groups in the notes layer, one group per commented cell. */
export function addComments(context: WorkbookContext, sheet: SheetRef): void {
  const { builder, office } = context;
  const plain = office.related(sheet.part, 'comments');
  const threaded = office.related(sheet.part, 'threadedComment');
  const comments = new Map([
    ...(plain === undefined ? [] : context.readComments(plain)),
    ...listThreadedComments(context, threaded === undefined ? undefined : office.xml(threaded)),
  ]);
  addCellComments(builder, sheet.name, comments);
}

/** Adds comments by cell, such as `B7`. Comments without text are skipped. */
export function addCellComments(
  builder: DocumentBuilder,
  sheet: string,
  cells: ReadonlyMap<string, readonly CellComment[]>,
): void {
  for (const [cell, comments] of cells) {
    const withText = comments.filter(({ text }) => text !== '');
    if (withText.length === 0) continue;
    const group = builder.group('comment_section', { name: `comment-${sheet}-${cell}`, layer: 'notes' });
    for (const { author, time, text } of withText) {
      const head = formatCommentHead({ author, time });
      builder.text('text', head === '' ? text : `${head}: ${text}`, { parent: group, layer: 'notes' });
    }
  }
}

/** Reads the comments of an XML part by cell. */
export function readPlainComments(root: XmlElement | undefined): [string, CellComment[]][] {
  const authors = listElements(findChild(root, 'x:authors'), 'x:author').map(joinText);
  return listElements(findChild(root, 'x:commentList'), 'x:comment').map(({ attributes, children }) => {
    const text = listDescendants({ name: '', attributes: {}, children }, 'x:t', ({ name }) => name === 'x:rPh')
      .map(joinText)
      .join('');
    const author = authors[Number(attributes['authorId'])] ?? '';
    return [attributes['ref'] ?? '', [{ author, time: undefined, text: text.trim() }]];
  });
}

/** Reads the threads of Excel 365. Their plain comments only state that there is a thread. */
function listThreadedComments({ office }: WorkbookContext, root: XmlElement | undefined): [string, CellComment[]][] {
  if (root === undefined) return [];
  const personPart = office.related(office.mainPart, 'person');
  const people = new Map<string, string>();
  for (const { attributes } of listElements(personPart === undefined ? undefined : office.xml(personPart))) {
    people.set(attributes['id'] ?? '', attributes['displayName'] ?? '');
  }
  const cells = new Map<string, CellComment[]>();
  const readTime = ({ attributes }: XmlElement) => attributes['dT'] ?? '';
  const inOrder = listElements(root).sort((comment, other) => readTime(comment).localeCompare(readTime(other)));
  for (const comment of inOrder) {
    const { ref = '', personId = '', dT } = comment.attributes;
    const text = listElements(comment).find(({ name }) => name.endsWith('text'));
    const thread = cells.get(ref) ?? [];
    thread.push({ author: people.get(personId) ?? 'Unknown', time: dT, text: joinText(text).trim() });
    cells.set(ref, thread);
  }
  return [...cells];
}
