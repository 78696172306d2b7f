/**
 * A text as a cell of a CSV file (RFC 4180): in quotes where it must be. What a spreadsheet would take for a formula gets an
 * apostrophe in front, which spreadsheets do not show.
 */
export function csvCell(text: string): string {
  // Some spreadsheets skip blanks, take letters of double width for the narrow ones, or begin anew after a separator or line.
  const isFormula = /^[\s\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u.test(text);
  return exactCell(isFormula ? `'${text}` : text);
}

/** The text as it is; a spreadsheet may take it for a formula. */
export function exactCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
