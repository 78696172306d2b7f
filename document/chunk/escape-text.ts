/** A line that Markdown would parse as a thematic break or as the underline of a heading. */
const rule = /^\s{0,3}(?:[-=_*]\s*){3,}$/;
/** An image that an operator wrote into the text. */
const image = /(!\[[^\]\n]{0,2000}\]\([^)\n]{0,4000}\))/;
/** The start of a list item, or a heading written with hash signs. It is not escaped. */
const beginning = /^(\s*(?:[-*+]|\d{1,9}[.)])\s+|#{1,6}\s+)/;

/**
 * Turns plain text into Markdown that renders the same: characters are escaped, lists and tables are recognised. `headings`
 * maps the text of each heading block to its level (0 is the title).
 */
export function escapeText(text: string, headings: ReadonlyMap<string, number>): string {
  return text
    .split(/(\n{2,})/)
    .map((block, index) => {
      if (index % 2 === 1) return block;
      const level = headings.get(block.trim());
      if (level !== undefined)
        return `${'#'.repeat(Math.min(6, level + 1))} ${escapeLine(block.trim().replaceAll('\n', ' '))}`;
      return block.split('\n').map(escapeLine).join('\n');
    })
    .join('');
}

function escapeLine(line: string): string {
  if (rule.test(line)) return line.replace(/[-=_*]/, '\\$&');
  const mark = beginning.exec(line)?.[0] ?? '';
  return (
    mark +
    line
      .slice(mark.length)
      .split(image)
      .map((part, index) => (index % 2 === 1 ? part : part.replace(/[\\`*_<>&[\]~]/g, '\\$&')))
      .join('')
  );
}
