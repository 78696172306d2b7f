import type { DoclingDocument, NodeItem } from './model';
import { childrenOf, isGroup, itemArrays } from './tree';

/**
 * Returns a document with only the items of these pages, counted from 1, both ends included. An item without a page belongs to
 * the page of the item before it. A document without pages is returned unchanged.
 */
export function keepPages(document: DoclingDocument, first: number, last: number): DoclingDocument {
  const numbers = Object.keys(document.pages).map(Number);
  if (numbers.length === 0 || numbers.every((page) => page >= first && page <= last)) return document;
  const refs = collectKeptRefs(document, (page) => page >= first && page <= last);
  const places = new Map<string, string>();
  for (const name of itemArrays) {
    const items: readonly NodeItem[] = document[name] ?? [];
    for (const [index, { self_ref }] of items.filter((item) => refs.has(item.self_ref)).entries())
      places.set(self_ref, `#/${name}/${index}`);
  }
  for (const root of ['#/body', '#/furniture']) places.set(root, root);
  const { origin, pages, ...members } = document;
  const parts = Object.entries(members).map(([name, value]) => [
    name,
    isCollection(name) ? (value as NodeItem[]).filter(({ self_ref }) => refs.has(self_ref)) : value,
  ]);
  return {
    ...(moveRefs(Object.fromEntries(parts), places) as Omit<DoclingDocument, 'origin' | 'pages'>),
    ...(origin === undefined ? {} : { origin }),
    pages: Object.fromEntries(Object.entries(pages).filter(([page]) => Number(page) >= first && Number(page) <= last)),
  };
}

function isCollection(name: string): boolean {
  return (itemArrays as readonly string[]).includes(name);
}

/** Collects the items of the selected pages and their ancestors. */
function collectKeptRefs(document: DoclingDocument, includesPage: (page: number) => boolean): Set<string> {
  const refs = new Set<string>();
  const seen = new Set<string>();
  let page = 1;
  const visit = (node: NodeItem): boolean => {
    if (seen.has(node.self_ref)) return refs.has(node.self_ref);
    seen.add(node.self_ref);
    const pages = isGroup(node) ? [] : node.prov.map(({ page_no }) => page_no);
    page = pages[0] ?? page;
    // An item without a place is on the page of the item before it. A group is kept only with one of its children.
    let isIncluded = !isGroup(node) && (pages.length > 0 ? pages : [page]).some(includesPage);
    for (const child of childrenOf(document, node)) isIncluded = visit(child) || isIncluded;
    if (isIncluded) refs.add(node.self_ref);
    return isIncluded;
  };
  for (const root of [document.body, document.furniture]) for (const child of childrenOf(document, root)) visit(child);
  return refs;
}

/** Copies a value and updates its references. References to removed items are left out. */
function moveRefs(value: unknown, places: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value))
    return value.filter((entry) => !isLost(entry, places)).map((entry: unknown) => moveRefs(entry, places));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => !isLost(entry, places))
      .map(([name, entry]) => [
        name,
        (name === '$ref' || name === 'self_ref') && typeof entry === 'string'
          ? (places.get(entry) ?? entry)
          : moveRefs(entry, places),
      ]),
  );
}

function isLost(value: unknown, places: ReadonlyMap<string, string>): boolean {
  const ref = (value as { $ref?: unknown } | null)?.$ref;
  return typeof ref === 'string' && !places.has(ref);
}
