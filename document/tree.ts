import type {
  DoclingDocument,
  FormItem,
  GroupItem,
  KeyValueItem,
  NodeItem,
  PictureItem,
  TableItem,
  TextItem,
} from './model';

/** The flat arrays of items that references point into. */
export const itemArrays = [
  'groups',
  'texts',
  'pictures',
  'tables',
  'key_value_items',
  'form_items',
  'field_regions',
  'field_items',
] as const;
type ArrayName = (typeof itemArrays)[number];

/** Resolves a reference such as `#/texts/3` or `#/body`; undefined if it does not exist. */
export function nodeAt(document: DoclingDocument, ref: string): NodeItem | undefined {
  if (ref === '#/body') return document.body;
  if (ref === '#/furniture') return document.furniture;
  const slash = ref.indexOf('/', 2);
  const array = ref.slice(2, slash) as ArrayName;
  if (!itemArrays.includes(array)) return undefined;
  return document[array]?.[Number(ref.slice(slash + 1))];
}

/** Yields every group and item of the flat arrays in array order, without the two roots. */
export function* walkNodes(document: DoclingDocument): Generator<{ ref: string; node: NodeItem }> {
  for (const array of itemArrays) {
    for (const [index, node] of (document[array] ?? []).entries()) yield { ref: `#/${array}/${index}`, node };
  }
}

/** True for groups. Only groups have a name, and they have no provenance. */
export function isGroup(node: NodeItem): node is GroupItem {
  return 'name' in node;
}

/** True for items with a text, including titles, headings, list items, code and formulas. */
export function isText(node: NodeItem): node is TextItem {
  return 'text' in node;
}

/** True for tables and document indexes. */
export function isTable(node: NodeItem): node is TableItem {
  return 'data' in node;
}

/** True for pictures and charts. */
export function isPicture(node: NodeItem): node is PictureItem {
  return node.label === 'picture' || node.label === 'chart';
}

/** True for key-value regions and forms. */
export function isGraph(node: NodeItem): node is KeyValueItem | FormItem {
  return 'graph' in node;
}

/** Returns the children in reading order. References to missing nodes are skipped. */
export function childrenOf(document: DoclingDocument, node: NodeItem): NodeItem[] {
  const items: NodeItem[] = [];
  for (const { $ref } of node.children) {
    const child = nodeAt(document, $ref);
    if (child) items.push(child);
  }
  return items;
}

/** Returns the page of an item's first provenance. The page of a group is that of its first item with a page. */
export function findFirstPage(document: DoclingDocument, node: NodeItem, depth = 0): number | undefined {
  if (!isGroup(node)) return node.prov[0]?.page_no;
  if (depth > 100) return undefined;
  for (const child of childrenOf(document, node)) {
    const page = findFirstPage(document, child, depth + 1);
    if (page !== undefined) return page;
  }
  return undefined;
}

/** Collects references to captions and footnotes. Their owner writes them, so tree traversals skip them. */
export function listOwnedRefs(document: DoclingDocument): Set<string> {
  const owned = new Set<string>();
  for (const item of [
    ...document.tables,
    ...document.pictures,
    ...document.key_value_items,
    ...document.form_items,
    ...document.texts,
  ]) {
    for (const { $ref } of [...(item.captions ?? []), ...(item.footnotes ?? [])]) owned.add($ref);
  }
  return owned;
}

/** Returns the inline group that holds the text of an item with several styles: its first child, if its own text is empty. */
export function findInlineContent(document: DoclingDocument, item: TextItem): GroupItem | undefined {
  const ref = item.text === '' ? item.children[0]?.$ref : undefined;
  const first = ref === undefined ? undefined : nodeAt(document, ref);
  return first && isGroup(first) && first.label === 'inline' ? first : undefined;
}

/** Returns the references of table cells. Their targets are written in the cell, not below the table. */
export function listCellRefs({ data }: TableItem): string[] {
  return data.table_cells.flatMap(({ ref }) => ref?.$ref ?? []);
}
