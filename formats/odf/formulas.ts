/** Texts, and references such as `[.A1:.B2]` and `[$'My sheet'.A1]` (OpenDocument 1.3 part 4, 5.8). */
const references = /"(?:[^"]|"")*(?:"|$)|\[([^\]]*)(?:\]|$)/g;

/**
 * Returns the formula of a cell as spreadsheet programs show it: without the namespace of its language and the brackets around
 * references. Undefined if the cell has none.
 */
export function readFormula(attributes: Readonly<Record<string, string>>): string | undefined {
  const written = attributes['table:formula'];
  if (written === undefined || written === '') return undefined;
  const formula = written
    .replace(/^[a-z][\w.-]*:(?==)/i, '')
    .replaceAll(references, (whole, inside: string | undefined) =>
      inside === undefined ? whole : showReference(inside),
    );
  return attributes['table:number-matrix-columns-spanned'] === undefined ? formula : `{${formula}}`;
}

/** A dot that no sheet precedes is left out. */
function showReference(reference: string): string {
  return reference.replaceAll(/(^|:)\.(?=[$A-Z#\d])/gi, '$1');
}
