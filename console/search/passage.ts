/** Pairs of bold markers; a single marker belongs to the text. */
const bold = /\*\*(?=\S)([^*\n]*\S)\*\*/g;

/**
 * Removes the Markdown table syntax from a passage and separates cells with dots. Rows of bars and dashes are hard to read, and
 * passages are cut from the middle of tables, so they cannot be drawn as tables either.
 */
export function omitTableMarks(passage: string): string {
  const plain = passage.replaceAll(bold, '$1');
  if (plain.split('|').length < 3) return plain;
  return plain
    .replaceAll(/\|(?:\s*:?-+:?\s*\|)+/g, '|')
    .replaceAll(/\s*\|(?:\s*\|)*\s*/g, ' · ')
    .replaceAll(/^ · | · $/g, '');
}

/** The first `length` characters of a text, up to the end of a word, with an ellipsis if something is left out. */
export function takeStart(text: string, length: number): string {
  if (text.length <= length) return text;
  // Languages that write without spaces are cut anywhere, but not inside a character.
  const start = text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
  const end = start.search(/\s\S*$/);
  return `${(end > length / 2 ? start.slice(0, end) : start).trimEnd()} …`;
}

/** The last `length` characters of a text, likewise. */
export function takeEnd(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.slice(-length).replace(/^[\uDC00-\uDFFF]/, '');
  const start = end.search(/\s/);
  return `… ${(start >= 0 && start < length / 2 ? end.slice(start) : end).trimStart()}`;
}
