/**
 * Formats a text as a CSV cell (RFC 4180), quoted where necessary. A text that a spreadsheet would read as a formula gets a
 * leading apostrophe, which spreadsheets do not show, and so does a part of it that another separator would make a cell.
 */
export function toCsvCell(text: string): string {
  const guarded = text.replaceAll(cellStart, (start, sign: string | undefined, at: number) =>
    sign === undefined
      ? start
      : start.replaceAll(/[;\t]/g, (separator, position: number) =>
          at + position === 0 && separator === '\t' ? separator : `${separator}'`,
        ),
  );
  return toExactCell(startsCell.test(text) ? `'${guarded}` : guarded);
}

/** Some spreadsheets accept other forms of these signs. */
const signs = '[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20\\ufe62\\ufe63\\ufe66\\ufe6b]';
/** Some skip blanks and invisible characters, or begin a cell after a line break. */
const startsCell = new RegExp(`^[\\s\\p{Cf}\\p{Cc}]*${signs}|^[\\t\\r\\n]`, 'u');
/**
 * Where a spreadsheet separates cells by another character, one also begins in the middle of a text, whatever its quotes. Takes the
 * blanks even if no sign follows: a lookahead from every tab would need minutes for a text with many.
 */
const cellStart = new RegExp(`[;\\t][\\t\\p{Zs}\\p{Cf}]*(${signs})?`, 'gu');

/** Formats a text as a CSV cell without protection against formulas. */
export function toExactCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
