/** Appends all items. `list.push(...items)` overflows the stack if a file has 120,000 of them. */
export function addAll<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item);
}
