import type { DocumentBuilder } from '../../../document/builder';
import type { Comment } from '../engine/comments';
import type { ReadPage } from '../text/upright';

/** Adds the comments of all pages on the notes layer, each as a group with its place on the page. */
export function addComments(builder: DocumentBuilder, pages: readonly ReadPage[]): void {
  let count = 0;
  for (const { page } of pages)
    for (const comment of page.comments ?? []) {
      count += 1;
      const group = builder.group('comment_section', { name: `comment-${count}`, layer: 'notes' });
      const text = [getHead(comment), comment.text].filter((half) => half !== '').join(': ');
      const bbox = { ...comment.box, coord_origin: 'BOTTOMLEFT' as const };
      const prov = [{ page_no: page.pageNo, bbox, charspan: [0, text.length] }];
      builder.text('text', text, { parent: group, layer: 'notes', prov });
    }
}

/** Returns `[author: Ann Lee, time: 2026-01-04T05:48:07.000+00:00]`; empty if neither is known. */
function getHead({ author, time }: Comment): string {
  const parts: string[] = [];
  if (author !== '') parts.push(`author: ${author}`);
  if (time) parts.push(`time: ${time.toISOString().replace('Z', '+00:00')}`);
  return parts.length === 0 ? '' : `[${parts.join(', ')}]`;
}
