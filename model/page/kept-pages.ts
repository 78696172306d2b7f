/**
 * Keeps pages of a long document, so that the next attempt continues where this one was killed. Values can be cloned; only the
 * reader knows what they contain.
 */
export interface KeptPages {
  /** What an earlier attempt kept of the page; undefined if nothing. */
  take(pageNo: number): unknown;
  /** Offers a page that was just read. `value` must not change before the last page is read. */
  offer(pageNo: number, value: unknown): void;
}
