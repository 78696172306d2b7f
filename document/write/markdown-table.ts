import type { MarkdownDialect } from './markdown-dialect';

/** A table longer than this many characters is written without padding: one long cell would pad every row. */
const maxPaddedLength = 4_000_000;

/** Returns the text on one line. Bars are escaped unless `unescaped` is set; a dialect may have escaped them already. */
export function pipeCell(text: string, options: { unescaped?: boolean; dialect?: MarkdownDialect }): string {
  if (options.dialect) return text.replaceAll('\n', '<br>').replaceAll(/(?<!\\)\|/g, '\\|');
  const line = text.replaceAll('\n', ' ');
  return options.unescaped ? line : line.replaceAll('|', '&#124;');
}

/** Escapes text that a viewer would treat as an HTML tag and hide. Other brackets stay as they are, as in the reference. */
export function escapeTags(text: string): string {
  return text.includes('<') ? text.replaceAll(/<(?=[\p{L}/!?])/gu, '&lt;') : text;
}

/**
 * Writes a pipe table with the first row as header. Columns are padded to the widest cell and numbers are right-aligned, as the
 * tabulate library of the reference does.
 */
export function pipeTable(rows: readonly (readonly string[])[], options: { compact?: boolean } = {}): string {
  const [header, ...others] = rows;
  if (!header || header.length === 0) return '';
  if (options.compact) return writeCompactTable(header, others);
  const body = others.map((row) => row.map((cell) => cell.trim()));
  const widths = header.map((cell, column) => {
    let width = computeLength(cell) + 2;
    for (const row of body) width = Math.max(width, computeLength(row[column] ?? ''));
    return width;
  });
  const total = widths.reduce((sum, width) => sum + width + 3, 1) * (body.length + 2);
  if (total > maxPaddedLength) return writeCompactTable(header, body);
  const isRight = header.map((_, column) => isNumberColumn(body, column));
  const formatLine = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => pad(cells[column] ?? '', width, isRight[column]!)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [formatLine(header), rule, ...body.map(formatLine)].join('\n');
}

function writeCompactTable(header: readonly string[], body: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.trim()).join(' | ')} |`;
  return [line(header), line(header.map(() => '-')), ...body.map(line)].join('\n');
}

/** Returns the length in code points. */
function computeLength(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xd800) pairs += 1;
  return text.length - pairs;
}

function pad(text: string, width: number, isRight: boolean): string {
  const blanks = ' '.repeat(Math.max(0, width - computeLength(text)));
  return isRight ? blanks + text : text + blanks;
}

/** A longer cell is not a number. */
const maxNumberLength = 400;
const number =
  /^\s*[+-]?(?:\p{Nd}+(?:_\p{Nd}+)*(?:\.(?:\p{Nd}+(?:_\p{Nd}+)*)?)?(?:e[+-]?\p{Nd}+)?|\.\p{Nd}+(?:e[+-]?\p{Nd}+)?|\d{1,3}(?:,\d{3})+(?:\.\d*)?|nan|inf|infinity)\s*$/iu;

function isNumberColumn(body: readonly (readonly string[])[], column: number): boolean {
  let isFilled = false;
  for (const row of body) {
    const cell = row[column] ?? '';
    if (cell === '') continue;
    if (cell.length > maxNumberLength || !number.test(cell)) return false;
    isFilled = true;
  }
  return isFilled;
}
