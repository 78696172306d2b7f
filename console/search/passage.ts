/**
 * Removes the Markdown table syntax from a passage and separates cells with dots. Rows of bars and dashes are hard to read, and
 * passages are cut from the middle of tables, so they cannot be drawn as tables either.
 */
export function withoutTableMarks(passage: string): string {
  if (passage.split('|').length < 3) return passage;
  return passage
    .replaceAll(/\|(?:\s*:?-+:?\s*\|)+/g, '|')
    .replaceAll(/\s*\|(?:\s*\|)*\s*/g, ' · ')
    .replaceAll(/^ · | · $/g, '');
}
