import type { Formatting } from '../model';

/** Markdown that another program renders. Default: the form of the reference, which escapes little. */
export type MarkdownDialect = 'github' | 'commonmark';

/** Deepest heading of CommonMark. */
export const deepestHeading = 6;

/** Characters that start or end something within a line. Every one of them may be escaped anywhere. */
const active = /[\\`*_[\]<>&~|$]/g;
const entities: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;' };
/** Beginnings of lines that are not paragraphs: headings, lists, rules and underlines of headings. */
const lineStart = /^(\s{0,3})(#{1,6}(?=\s|$)|[-+=](?=[\s\-=]|$)|\d{1,9}(?=[.)](?:\s|$)))/gm;

/** Escapes text so that a renderer shows exactly its characters. */
export function escapeFully(text: string): string {
  return text
    .replace(active, (character) => entities[character] ?? `\\${character}`)
    .replaceAll(/^[ \t]{4,}/gm, '   ')
    .replace(lineStart, (_, blanks: string, character: string) => {
      // A number is not escaped itself, but the character after it is.
      if (/\d/.test(character)) return `${blanks}${character}\\`;
      return `${blanks}\\${character}`;
    });
}

/**
 * Wraps escaped text in its styles. Spaces at the ends stay outside, because Markdown ignores a style that begins or ends with a space.
 * Styles that Markdown lacks are HTML.
 */
export function styleFully(
  text: string,
  { formatting, hyperlink }: { formatting?: Formatting | null | undefined; hyperlink?: string | null | undefined },
  dialect: MarkdownDialect,
): string {
  const [, before = '', inner = '', after = ''] = /^(\s*)([^]*?)(\s*)$/.exec(text) ?? [];
  if (inner === '') return text;
  let result = inner;
  if (formatting?.underline) result = `<ins>${result}</ins>`;
  if (formatting?.bold) result = `**${result}**`;
  if (formatting?.italic) result = `*${result}*`;
  if (formatting?.strikethrough) result = dialect === 'github' ? `~~${result}~~` : `<del>${result}</del>`;
  // The tags are outside: after a letter, asterisks before a tag would not start a style.
  if (formatting?.script === 'sub') result = `<sub>${result}</sub>`;
  if (formatting?.script === 'super') result = `<sup>${result}</sup>`;
  return `${before}${hyperlink ? `[${result}](${writeDestination(hyperlink)})` : result}${after}`;
}

function writeDestination(address: string): string {
  const line = address.replaceAll(/[\r\n]+/g, '%0A');
  return /[\s()<>]/.test(line) ? `<${line.replaceAll('<', '%3C').replaceAll('>', '%3E')}>` : line;
}

/** The text of a heading: marks at its end would close it. */
export function escapeHeading(text: string): string {
  return text.replace(/(?<!#)#+\s*$/, (marks) => marks.replaceAll('#', '\\#'));
}

/** Code within a line, between as many backticks as it needs. */
export function writeCodeSpan(code: string): string {
  const line = code.replaceAll('\n', ' ');
  const ticks = '`'.repeat(computeLongestRun(line, '`') + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

/** Code as a block, with its language, between a fence that the code does not contain. */
export function writeFencedCode(code: string, language: string | undefined): string {
  const fence = '`'.repeat(Math.max(3, computeLongestRun(code, '`') + 1));
  const name = language === undefined || language === 'unknown' ? '' : language.toLowerCase().replaceAll(/[\s`]/g, '');
  return `${fence}${name}\n${code}\n${fence}`;
}

/** A formula: between dollars where they are known, else as code. */
export function writeFormula(latex: string, isInline: boolean, dialect: MarkdownDialect): string {
  if (dialect === 'commonmark') return isInline ? writeCodeSpan(latex) : writeFencedCode(latex, 'latex');
  return isInline ? `$${latex}$` : `$$\n${latex}\n$$`;
}

/** Rows of text as an HTML table whose first row is its head. */
export function writeHtmlRows(rows: readonly (readonly string[])[]): string {
  const escape = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br>');
  const formatLine = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${escape(cell.trim())}</${tag}>`).join('')}</tr>`;
  return `<table>\n${rows.map((cells, row) => formatLine(cells, row === 0 ? 'th' : 'td')).join('\n')}\n</table>`;
}

/** Makes HTML one block of Markdown, which a blank line would end. */
export function asHtmlBlock(html: string): string {
  return html.replaceAll(/\n\s*\n/g, '\n');
}

function computeLongestRun(text: string, character: string): number {
  let longest = 0;
  let run = 0;
  for (const value of text) {
    run = value === character ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}
