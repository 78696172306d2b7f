import { accessColumns } from '../access-list';

/** Valid names of document sets. The limit of 254 characters keeps the name usable as a file name everywhere. */
export const documentSetNamePattern = '^[A-Za-z0-9_-]{1,254}$';

/** Stored columns that are never shown: the access list of a row, and values that only the server can use. */
export const hiddenColumns: readonly string[] = [...accessColumns, 'acl_hash', 'document_ref'];

const positionColumns = ['page_numbers', 'bbox'];

/** True for vector columns: lists of numbers other than positions of a chunk (page numbers, bounding boxes). */
export function isVector(column: string, value: unknown): boolean {
  return (
    !positionColumns.includes(column) &&
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((member) => typeof member === 'number')
  );
}
