import { AppError } from '../model/errors';

/** VALIDATION_ERROR for a range that begins behind the last page, which wants nothing that there is; clients know the words. */
export function refuseRangeBehind(first: number, pages: number): void {
  // Every document is asked for its first page, also one without pages.
  if (first === 1 || first <= pages) return;
  const few = pages === 1 ? '1 page' : `${pages} pages`;
  throw new AppError('VALIDATION_ERROR', `Document has ${few}, fewer than the requested page_range start ${first}.`);
}
