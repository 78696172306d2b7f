import type { Row } from '../../model/flow/row';

/** A passage to hide, in UTF-16 code units, and its replacement. */
export interface MaskedPassage {
  start: number;
  end: number;
  by: string;
}

/** The text with the passages replaced. They are in order and do not overlap. */
export function replacePassages(text: string, passages: readonly MaskedPassage[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, by } of passages) {
    parts.push(text.slice(from, start), by);
    from = end;
  }
  parts.push(text.slice(from));
  return parts.join('');
}

/** Repeats the masking character for each character of the text. */
export function buildMask(text: string, character: string): string {
  return character.repeat(Array.from(text).length);
}

/**
 * A row with masked text. Headings and title, which come from the text, are masked too, and the row no longer refers to its
 * full document, which has the original text.
 */
export function maskRow(row: Row, column: string, mask: (text: string) => string): Row {
  const text = row[column];
  if (typeof text !== 'string') return { ...row };
  const masked = mask(text);
  const changed: Row = { ...row, [column]: masked };
  if (column !== 'content') return changed;
  if (Array.isArray(row.headings)) changed.headings = row.headings.map(mask);
  const title = row.metadata?.['title'];
  if (typeof title === 'string') changed.metadata = { ...row.metadata, title: mask(title) };
  if (masked !== text) delete changed.document_ref;
  return changed;
}
