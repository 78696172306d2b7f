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

/** The flat arrays of items, in which references count. */
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

/** The node that a reference such as `#/texts/3` or `#/body` names; undefined when there is none. */
export function nodeAt(document: DoclingDocument, ref: string): NodeItem | undefined {
  if (ref === '#/body') return document.body;
  if (ref === '#/furniture') return document.furniture;
  const slash = ref.indexOf('/', 2);
  const array = ref.slice(2, slash) as ArrayName;
  if (!itemArrays.includes(array)) return undefined;
  return document[array]?.[Number(ref.slice(slash + 1))];
}

/** Every group and item of the flat arrays, in array order; not the two roots. */
export function* allNodes(document: DoclingDocument): Generator<{ ref: string; node: NodeItem }> {
  for (const array of itemArrays) {
    for (const [index, node] of (document[array] ?? []).entries()) yield { ref: `#/${array}/${index}`, node };
  }
}

/** True for groups, which alone have a name and no provenance. */
export function isGroup(node: NodeItem): node is GroupItem {
  return 'name' in node;
}

/** True for items with a text: titles, headings, list items, code and formulas among them. */
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

/** The children that exist, in reading order. */
export function childrenOf(document: DoclingDocument, node: NodeItem): NodeItem[] {
  const found: NodeItem[] = [];
  for (const { $ref } of node.children) {
    const child = nodeAt(document, $ref);
    if (child) found.push(child);
  }
  return found;
}

/** Page of an item's first provenance; a group's page is that of its first item that has one. */
export function firstPage(document: DoclingDocument, node: NodeItem, depth = 0): number | undefined {
  if (!isGroup(node)) return node.prov[0]?.page_no;
  if (depth > 100) return undefined;
  for (const child of childrenOf(document, node)) {
    const page = firstPage(document, child, depth + 1);
    if (page !== undefined) return page;
  }
  return undefined;
}

/** References of captions and footnotes, which their owner writes and the walk passes over. */
export function ownedRefs(document: DoclingDocument): Set<string> {
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

/** The inline group that stands for the text of an item in several styles: its first child, while its own text is empty. */
export function inlineContent(document: DoclingDocument, item: TextItem): GroupItem | undefined {
  const ref = item.text === '' ? item.children[0]?.$ref : undefined;
  const first = ref === undefined ? undefined : nodeAt(document, ref);
  return first && isGroup(first) && first.label === 'inline' ? first : undefined;
}

/** What cells of a table refer to: it is written there, not below the table. */
export function cellRefs({ data }: TableItem): string[] {
  return data.table_cells.flatMap(({ ref }) => ref?.$ref ?? []);
}
