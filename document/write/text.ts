import { toMarkdown } from './markdown';
import type { DoclingDocument } from '../model';

/** The body as plain text: the layout of the Markdown without its signs. Pictures are left out, their captions stay. */
export function toText(document: DoclingDocument): string {
  return toMarkdown(document, { plain: true, imagePlaceholder: '' });
}
