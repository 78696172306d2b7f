/**
 * Keeps pages of a long document, so that the next attempt continues where this one was killed. Values can be cloned; only the
 * reader knows what they contain.
 */
export interface KeptPages {
  /** The page as an earlier attempt kept it; undefined if none did. */
  take(pageNo: number): unknown;
  /** Offers a page that was just read. `value` must not change before the last page is read. */
  offer(pageNo: number, value: unknown): void;
}
