import type { NodeItem } from '../model';
import { isText } from '../tree';

/** A piece of fewer items keeps all of them in each part, as the reference does. */
const maxItems = 100;
/** Markdown syntax may be between the texts of two items. */
const reach = 200;

/**
 * The items of each part of a text that was split. With many items, a part has only those whose text begins or continues in it:
 * a paragraph of 100,000 lines would repeat 100,000 items in each of its chunks.
 */
export function splitItems(
  text: string,
  parts: readonly string[],
  items: readonly NodeItem[],
): (readonly NodeItem[])[] {
  if (items.length <= maxItems) return parts.map(() => items);
  const starts = locate(
    text,
    items.map((item) => (isText(item) ? item.text.trim() : '')),
  );
  const groups: NodeItem[][] = [];
  let next = 0;
  for (const [at, start] of locate(text, parts).entries()) {
    const end = start + (parts[at]?.length ?? 0);
    const currentItems: NodeItem[] = [];
    const before = items[next - 1];
    if (before && (starts[next] ?? Infinity) > start) currentItems.push(before);
    while (next < items.length && (starts[next] ?? 0) < end) currentItems.push(items[next++]!);
    groups.push(currentItems);
  }
  return groups;
}

/** The position of each text, in order. A text that is not found is placed at the end of the previous one. */
function locate(text: string, parts: readonly string[]): number[] {
  let at = 0;
  return parts.map((part) => {
    const offset = text.slice(at, at + part.length + reach).indexOf(part);
    const start = at + Math.max(0, offset);
    if (offset !== -1) at = start + part.length;
    return start;
  });
}
