import { isDateLike } from './document-dates';
import { findDecimal } from './fit-answer';
import type { LoosePair } from './loose-pairs';

const maxLabelLength = 50;

/**
 * Labels of the template without a colon whose value is a date or an amount: in the next cell of a row, below the heads of a table of
 * one row, and in the next paragraph. Other values look like labels that the template does not have.
 */
export function findTypedPairs(
  markdown: string,
  tables: readonly string[][][],
  isKnownLabel: (title: string) => boolean,
): LoosePair[] {
  const isLabel = (text: string) => text !== '' && text.length <= maxLabelLength && isKnownLabel(text);
  const lines = markdown
    .split(/\r?\n/)
    .flatMap((line) => (line.trim() === '' ? [] : [line.replace(/\*\*|__/g, '').trim()]));
  const paragraphs = lines.flatMap((title, at) => {
    const value = lines[at + 1] ?? '';
    // Labels below each other, or values below each other, are the columns of a table.
    const isColumn = isLabel(lines[at - 1] ?? '') || isTyped(lines[at + 2] ?? '');
    if (isLabel(title) && !isColumn && isTyped(value)) return [{ title, value }];
    return title.startsWith('|') ? [] : readLine(title, isLabel);
  });
  return [
    ...tables.flatMap((table) => [...readRows(table, isLabel), ...readBelowHeads(table, isLabel)]),
    ...paragraphs,
  ];
}

const isTyped = (value: string) =>
  value.length <= maxLabelLength && (isDateLike(value) || findDecimal(value) !== undefined || isIdentifier(value));

/** True for a number of a document or person, such as `INV-8821` or `123-45-6789`: capitals and digits, at least three of these. */
export const isIdentifier = (text: string): boolean =>
  text.length <= maxLabelLength && /^[\p{Lu}\d]+(?:[-/.][\p{Lu}\d]+)*$/u.test(text) && /(?:\d[^\d]*){3}/.test(text);

/** `Credit limit $10,000.00`: the longest label before a date or an amount. */
function readLine(line: string, isLabel: (text: string) => boolean): LoosePair[] {
  if (line.length > 2 * maxLabelLength) return [];
  for (const { index } of [...line.matchAll(/ +/g)].reverse()) {
    const [title, value] = [line.slice(0, index), line.slice(index).trim()];
    if (isTyped(value) && isLabel(title)) return [{ title, value }];
  }
  return [];
}

/** A label after a date belongs to a list, such as the text of a booking. */
function readRows(table: readonly string[][], isLabel: (text: string) => boolean): LoosePair[] {
  return table.flatMap((cells) => {
    const end = cells.findIndex((cell, at) => at > 0 && isLabel(cells[at - 1] ?? '') && isTyped(cell));
    if (cells.length < 3 || end < 0 || cells.slice(0, end).some(isDateLike)) return [];
    return [{ title: cells[end - 1] ?? '', value: cells[end] ?? '' }];
  });
}

function readBelowHeads(table: readonly string[][], isLabel: (text: string) => boolean): LoosePair[] {
  const [head = [], row = []] = table;
  if (table.length !== 2 || head.length < 2) return [];
  const pairs = head
    .map((title, at) => ({ title, value: row[at] ?? '' }))
    .filter(({ title, value }) => title !== '' || value !== '');
  return pairs.every(({ title, value }) => isLabel(title) && isTyped(value)) ? pairs : [];
}
