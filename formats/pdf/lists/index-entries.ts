/** A term of an index before the numbers of its pages. */
const entry = /\p{L}.*, ?\d{1,3}(?:(?:, ?|[-\u2013])\d{1,3})*$/u;

/** True for a line that ends in page numbers after a comma, as the entries of an index do. */
export function isIndexEntry(text: string): boolean {
  return entry.test(text);
}

/** True if most of these lines are entries of an index. */
export function areIndexEntries(lines: readonly { text: string }[]): boolean {
  return lines.length > 0 && lines.filter(({ text }) => isIndexEntry(text)).length >= 0.6 * lines.length;
}
