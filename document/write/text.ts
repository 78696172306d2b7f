import { type MarkdownOptions, toMarkdown } from './markdown';
import type { DoclingDocument } from '../model';

/**
 * How a document is written as the text that a person reads: no signs and no escapes, names of sheets, tables with bars. It is what
 * flows search, match, redact and embed, and what offsets of chunks count in.
 */
export const readableText: MarkdownOptions = {
  plain: true,
  unescaped: true,
  compactTables: true,
  imagePlaceholder: '',
};

/** The body as a person reads it. */
export function toReadableText(document: DoclingDocument): string {
  return toMarkdown(document, readableText);
}

/** The body as plain text: the layout of the Markdown without its signs. Pictures are left out, their captions stay. */
export function toText(document: DoclingDocument): string {
  return toMarkdown(document, { plain: true, imagePlaceholder: '' });
}
