/** Consecutive parts of a list; all but the last have `size` items. */
export function* iterateBatches<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
