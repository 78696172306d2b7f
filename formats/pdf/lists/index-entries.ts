/** The numbers of pages after a term of an index. */
const pageNumbers = /, ?\d{1,3}(?:(?:, ?|[-\u2013])\d{1,3})*$/;

/** True for a line that ends in page numbers after a comma, as the entries of an index do. */
export function isIndexEntry(text: string): boolean {
  return /\d$/.test(text) && pageNumbers.test(text) && /\p{L}/u.test(text);
}

/** True if most of these lines are entries of an index. */
export function areIndexEntries(lines: readonly { text: string }[]): boolean {
  return lines.length > 0 && lines.filter(({ text }) => isIndexEntry(text)).length >= 0.6 * lines.length;
}
