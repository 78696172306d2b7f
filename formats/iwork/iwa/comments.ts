import type { DocumentBuilder } from '../../../document/builder';
import { formatCommentHead } from '../../comment-head';
import { findBox, type IwaPage, createProvenance } from './geometry';
import { types } from './message-types';
import type { IwaObject, IwaObjects } from './objects';

const maxReplies = 1_000;

/** Adds a comment and its replies to the notes layer, each with its author if known. */
export function addComment(
  { builder, objects, seen }: { builder: DocumentBuilder; objects: IwaObjects; seen: Set<number> },
  id: number,
  { page, drawable }: { page?: IwaPage | undefined; drawable?: IwaObject | undefined },
): void {
  const comment = objects.get(id);
  if (comment?.type !== types.comment || seen.has(id)) return;
  seen.add(id);
  const replies = comment.message.references(4).slice(0, maxReplies);
  const texts = [comment, ...replies.map((reply) => objects.get(reply))].flatMap(
    (object) => findText(object, objects) ?? [],
  );
  if (texts.length === 0) return;
  const group = builder.group('comment_section', { name: `comment-${id}`, layer: 'notes' });
  const box = page && drawable && findBox(drawable, page);
  for (const text of texts)
    builder.text('text', text, { parent: group, layer: 'notes', prov: createProvenance(page, box, text.length) });
}

function findText(comment: IwaObject | undefined, objects: IwaObjects): string | undefined {
  const text = comment?.type === types.comment ? comment.message.text(1)?.trim() : undefined;
  if (!text) return undefined;
  const author = objects.get(comment?.message.reference(3) ?? -1);
  const head = formatCommentHead({ author: (author?.type === types.author && author.message.text(1)) || '' });
  return head === '' ? text : `${head}: ${text}`;
}
