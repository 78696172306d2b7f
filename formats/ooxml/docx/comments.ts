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
    const text = [readHead(comment), body.join('\n').trim()].filter((half) => half !== '').join(': ');
    if (text === '') continue;
    const id = comment.attributes['w:id'] ?? '';
    const group = builder.group('comment_section', { name: `comment-${id}`, layer: 'notes' });
    builder.text('text', text, { parent: group, layer: 'notes' });
    for (const item of context.commented?.get(id) ?? []) {
      item.comments = [...(item.comments ?? []), { $ref: group.self_ref }];
    }
  }
}

/** Returns `[author: Ann Lee (AL), time: 2026-01-04T05:48:07.000+00:00]`; empty if neither is known. */
function readHead({ attributes }: XmlElement): string {
  const parts: string[] = [];
  const { 'w:author': author = '', 'w:initials': initials = '', 'w:date': date = '' } = attributes;
  if (author !== '') parts.push(`author: ${author}${initials === '' ? '' : ` (${initials})`}`);
  const time = new Date(date);
  if (date !== '' && !Number.isNaN(time.getTime())) parts.push(`time: ${time.toISOString().replace('Z', '+00:00')}`);
  return parts.length === 0 ? '' : `[${parts.join(', ')}]`;
}
