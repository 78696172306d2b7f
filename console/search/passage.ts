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
