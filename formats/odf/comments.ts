import type { NodeItem } from '../../document/model';
import { formatCommentHead } from '../comment-head';
import { findChild, listElements, joinText, type XmlElement } from '../xml/xml';
import type { OdfContext } from './context';

/** Adds comments in the notes layer below the item they refer to. Replies are added to the comment they reply to. */
export function addComments(context: OdfContext, comments: readonly XmlElement[], item: NodeItem | undefined): void {
  for (const comment of comments) {
    const text = formatComment(comment);
    if (text === '') continue;
    const { 'office:name': name, 'loext:parent-name': repliedTo } = comment.attributes;
    const group = context.threads.get(repliedTo ?? '') ?? addThread(context, item);
    context.builder.text('text', text, { parent: group, layer: 'notes' });
    if (name !== undefined) context.threads.set(name, group);
  }
}

function addThread({ builder }: OdfContext, item: NodeItem | undefined): NodeItem {
  const number = builder.document.groups.filter(({ label }) => label === 'comment_section').length + 1;
  const group = builder.group('comment_section', {
    name: `comment-${number}`,
    layer: 'notes',
    ...(item === undefined ? {} : { parent: item }),
  });
  // Groups have no list of comments.
  if (item && 'text' in item) item.comments = [...(item.comments ?? []), { $ref: group.self_ref }];
  return group;
}

/** Formats a comment as `[author: Ann Lee (AL), time: 2026-01-04T05:48:07]: text`. */
function formatComment(comment: XmlElement): string {
  const readLine = (name: string) => joinText(findChild(comment, name)).trim();
  const initials = readLine('meta:creator-initials') || readLine('loext:sender-initials');
  const head = formatCommentHead({ author: readLine('dc:creator'), initials, time: readLine('dc:date') });
  const body = listElements(comment)
    .filter(({ name }) => name === 'text:p' || name === 'text:list')
    .map((block) => joinText(block).trim());
  return [head, body.join('\n').trim()].filter(Boolean).join(': ');
}
