/** What a document set may be called; under 255 characters, so that the name is a file name everywhere. */
export const documentSetNamePattern = '^[A-Za-z0-9_-]{1,254}$';

/** What is stored of a row but never shown: who else may read it, and what only the server can use. */
export const hiddenColumns: readonly string[] = ['allowed_users', 'acl_hash', 'document_ref'];

const listsOfPlaces = ['page_numbers', 'bbox'];

/** True for a column of vectors: lists of numbers, other than those that say where a chunk stands. */
export function isVector(column: string, value: unknown): boolean {
  return (
    !listsOfPlaces.includes(column) &&
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((member) => typeof member === 'number')
  );
}
