/**
 * Formats a text as a CSV cell (RFC 4180), quoted where necessary. A text that a spreadsheet would read as a formula gets a
 * leading apostrophe, which spreadsheets do not show.
 */
export function toCsvCell(text: string): string {
  // Some spreadsheets skip blanks, accept full-width characters, or start a new cell after a separator or line break.
  const isFormula = /^[\s\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u.test(text);
  return toExactCell(isFormula ? `'${text}` : text);
}

/** Formats a text as a CSV cell without protection against formulas. */
export function toExactCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
