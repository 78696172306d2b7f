import { formatCommentHead } from '../../comment-head';
import { findChild, listDescendants, listElements, joinText, type XmlElement } from '../../xml/xml';
import type { OoxmlPackage } from '../package';
import { readDrawingText } from '../text';
import type { SlideContext } from './slide-context';

/** Authors of comments by id. */
export type CommentAuthors = ReadonlyMap<string, { name: string; initials: string }>;

/** Reads the authors of both kinds of comments: classic, and threaded (since 2021). */
export function readCommentAuthors(office: OoxmlPackage): CommentAuthors {
  const authors = new Map<string, { name: string; initials: string }>();
  for (const type of ['commentAuthors', 'authors']) {
    const part = office.related(office.mainPart, type);
    const root = part === undefined ? undefined : office.xml(part);
    for (const { attributes } of listElements(root)) {
      const { id = '', name = '', initials = '' } = attributes;
      authors.set(id, { name, initials });
    }
  }
  return authors;
}

/** Adds every comment of a slide as a group in the notes layer. */
export function addSlideComments(context: SlideContext, authors: CommentAuthors): void {
  const { builder, office, part, pageNo } = context;
  const commentsPart = office.related(part, 'comments');
  const root = commentsPart === undefined ? undefined : office.xml(commentsPart);
  for (const [index, comment] of listElements(root).entries()) {
    const { authorId = '', dt, created, idx } = comment.attributes;
    const text = readCommentText(comment);
    if (text === '') continue;
    const { name, initials } = authors.get(authorId) ?? {};
    const head = formatCommentHead({ author: name, initials, time: dt ?? created });
    const group = builder.group('comment_section', {
      name: `comment-slide${pageNo}-${idx ?? index + 1}`,
      layer: 'notes',
    });
    builder.text('text', head === '' ? text : `${head}: ${text}`, { parent: group, layer: 'notes' });
  }
}

function readCommentText(comment: XmlElement): string {
  const plain = findChild(comment, 'p:text');
  if (plain !== undefined) return joinText(plain).trim();
  return listDescendants(comment, 'a:p').map(readDrawingText).join('\n').trim();
}
