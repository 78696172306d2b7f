import { formatCommentHead } from '../../comment-head';
import { listElements, type XmlElement } from '../../xml/xml';
import { createRunReader } from './runs';
import type { DocumentContext } from './story';

/** Adds every comment as a group in the notes layer. Commented items reference their groups. */
export function addComments(context: DocumentContext): void {
  const { builder, office, styles } = context;
  const part = office.related(office.mainPart, 'comments');
  const root = part === undefined ? undefined : office.xml(part);
  if (part === undefined || root === undefined) return;
  const runs = createRunReader(styles, office.relationships(part));
  for (const comment of listElements(root, 'w:comment')) {
    const body = listElements(comment, 'w:p').map((paragraph) => runs.read(paragraph).text);
    const text = [readHead(comment), body.join('\n').trim()].filter((part) => part !== '').join(': ');
    if (text === '') continue;
    const id = comment.attributes['w:id'] ?? '';
    const group = builder.group('comment_section', { name: `comment-${id}`, layer: 'notes' });
    builder.text('text', text, { parent: group, layer: 'notes' });
    for (const item of context.commented?.get(id) ?? []) {
      item.comments = [...(item.comments ?? []), { $ref: group.self_ref }];
    }
  }
}

/** Invalid dates are omitted. */
function readHead({ attributes }: XmlElement): string {
  const { 'w:author': author, 'w:initials': initials, 'w:date': date = '' } = attributes;
  const time = new Date(date);
  const isValid = !Number.isNaN(time.getTime());
  return formatCommentHead({ author, initials, time: isValid ? time.toISOString().replace('Z', '+00:00') : '' });
}
