import type { DoclingDocument } from '../model';
import { type MarkdownOptions, toMarkdown } from './markdown';

/**
 * Options that write a document as readable text: no markup, no escapes, names of sheets, tables with bars. Flows search,
 * match, redact and embed this text, and chunk offsets refer to it.
 */
export const readableText: MarkdownOptions = {
  plain: true,
  unescaped: true,
  compactTables: true,
  imagePlaceholder: '',
};

/** Writes the body as readable text. */
export function toReadableText(document: DoclingDocument): string {
  return toMarkdown(document, readableText);
}

/**
 * Writes the body as plain text with the layout of the Markdown but without its markup. Pictures are omitted, their captions
 * are kept.
 */
export function toText(document: DoclingDocument): string {
  return toMarkdown(document, { plain: true, imagePlaceholder: '' });
}
