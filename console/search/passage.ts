/**
 * A passage without the marks of Markdown tables: cells are set apart by dots. Nobody reads a row of bars and dashes, and passages
 * are cut out of the middle of tables, so that they cannot be drawn as tables either.
 */
export function withoutTableMarks(passage: string): string {
  if (passage.split('|').length < 3) return passage;
  return passage
    .replaceAll(/\|(?:\s*:?-+:?\s*\|)+/g, '|')
    .replaceAll(/\s*\|(?:\s*\|)*\s*/g, ' · ')
    .replaceAll(/^ · | · $/g, '');
}
