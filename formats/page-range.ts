import { AppError } from '../model/errors';

/** Throws VALIDATION_ERROR for a range that begins after the last page. Clients know the wording. */
export function checkPageRange(first: number, pages: number): void {
  // The first page may always be requested, even of a document without pages.
  if (first === 1 || first <= pages) return;
  const few = pages === 1 ? '1 page' : `${pages} pages`;
  throw new AppError('VALIDATION_ERROR', `Document has ${few}, fewer than the requested page_range start ${first}.`);
}
