import type { DoclingDocument, NodeItem, TableItem } from './model';
import { toTopLeft, findHeadingLevel, joinPlainText } from './pages';
import { childrenOf, findFirstPage, isGroup, isTable, isText, listOwnedRefs, nodeAt } from './tree';
import { markdownBlocks } from './write/markdown';

/** An item or group of a page, as a person looks at it. */
export interface ViewItem {
  ref: string;
  label: string;
  /** Depth in the tree, from 0. */
  depth: number;
  /** Its place in the reading order of the document, from 1. Groups have none. */
  order?: number;
  /** Page headers and the like are in another layer than `body`. */
  layer: string;
  text: string;
  /** Whether `text` or the cells of `table` are truncated. */
  is_cut?: boolean;
  level?: number;
  /** Left, top, right, bottom in points from the top left of the page. */
  boxes: number[][];
  table?: ViewTable;
}

/** A table; a merged cell is listed once. */
export interface ViewTable {
  rows: number;
  columns: number;
  cells: {
    row: number;
    column: number;
    row_span: number;
    column_span: number;
    text: string;
    is_header: boolean;
    box?: number[];
  }[];
}

/** The content of a page, in reading order; of a document without pages, a portion of it. */
export interface PageView {
  page: number;
  /** In points; null where the document has no pages. */
  width: number | null;
  height: number | null;
  items: ViewItem[];
  /** The Markdown of the page in pieces, with the items in each. */
  markdown: { text: string; refs: string[] }[];
}

/** A whole document, page by page. */
export interface DocumentView {
  /** `parts` are portions of a document without pages. */
  kind: 'pages' | 'parts';
  pages: PageView[];
  headings: { ref: string; text: string; level: number; page: number }[];
}

/** Number of items in a part of a document without pages. */
const itemsPerPart = 200;
const longestText = 20_000;
const maxCells = 5_000;
const maxHeadings = 5_000;
const maxDepth = 100;

/** Lists every item once for each of its pages; an item without a position takes that of the item before it. */
export function viewDocument(document: DoclingDocument): DocumentView {
  const sizes = Object.values(document.pages).toSorted((page, other) => page.page_no - other.page_no);
  const isPaged = sizes.length > 0;
  const pages = new Map<number, PageView>(
    sizes.map(({ page_no: page, size: { width, height } }) => [
      page,
      { page, width, height, items: [], markdown: [] } satisfies PageView,
    ]),
  );
  const findPage = (page: number) => {
    const pageView = pages.get(page) ?? { page, width: null, height: null, items: [], markdown: [] };
    pages.set(page, pageView);
    return pageView;
  };
  const pageOf = new Map<string, number>();
  const headings: DocumentView['headings'] = [];
  let last = sizes[0]?.page_no ?? 1;
  let order = 0;
  let count = 0;
  for (const { node, depth } of iterateNodes(document)) {
    const places = isGroup(node) ? [] : node.prov.map(({ page_no }) => page_no);
    last = isPaged ? (places[0] ?? findFirstPage(document, node) ?? last) : Math.floor(count / itemsPerPart) + 1;
    count += 1;
    pageOf.set(node.self_ref, last);
    const item = { ...buildItem(document, node, depth), ...(isGroup(node) ? {} : { order: (order += 1) }) };
    for (const page of new Set(places.length > 0 && isPaged ? places : [last]))
      findPage(page).items.push({ ...item, boxes: listBoxes(document, node, page) });
    const level = findHeadingLevel(node);
    if (level !== undefined && headings.length < maxHeadings)
      headings.push({ ref: node.self_ref, text: joinPlainText(document, node).slice(0, 300), level, page: last });
  }
  last = sizes[0]?.page_no ?? 1;
  for (const { node, text } of markdownBlocks(document)) {
    last = pageOf.get(node.self_ref) ?? last;
    findPage(last).markdown.push({ text: text.slice(0, longestText), refs: listRefsBelow(document, node) });
  }
  return {
    kind: isPaged ? 'pages' : 'parts',
    pages: [...pages.values()].toSorted((page, other) => page.page - other.page),
    headings,
  };
}

/** Captions and footnotes come after their owner, everything else in reading order; then items outside of the body. */
function* iterateNodes(document: DoclingDocument): Generator<{ node: NodeItem; depth: number }> {
  const owned = listOwnedRefs(document);
  const seen = new Set<string>();
  function* iterateBelow(parent: NodeItem, depth: number): Generator<{ node: NodeItem; depth: number }> {
    if (depth > maxDepth) return;
    const ownItems = isGroup(parent) ? [] : listOwnedItems(document, parent);
    const children = childrenOf(document, parent).filter(({ self_ref }) => !owned.has(self_ref));
    for (const node of [...ownItems, ...children]) {
      if (seen.has(node.self_ref)) continue;
      seen.add(node.self_ref);
      yield { node, depth };
      yield* iterateBelow(node, depth + 1);
    }
  }
  yield* iterateBelow(document.body, 0);
  yield* iterateBelow(document.furniture, 0);
}

function listOwnedItems(document: DoclingDocument, node: NodeItem): NodeItem[] {
  const { captions = [], footnotes = [] } = node as Partial<TableItem>;
  return [...captions, ...footnotes].flatMap(({ $ref }) => nodeAt(document, $ref) ?? []);
}

function buildItem(document: DoclingDocument, node: NodeItem, depth: number): Omit<ViewItem, 'boxes'> {
  const itemText = isText(node) ? joinPlainText(document, node) : '';
  const text = isGroup(node) ? node.name : itemText;
  const level = findHeadingLevel(node);
  const isCut = text.length > longestText || (isTable(node) && node.data.table_cells.length > maxCells);
  return {
    ref: node.self_ref,
    label: node.label,
    depth,
    layer: node.content_layer,
    text: text.slice(0, longestText),
    ...(isCut ? { is_cut: true } : {}),
    ...(level === undefined ? {} : { level }),
    ...(isTable(node) ? { table: buildTable(document, node) } : {}),
  };
}

function buildTable(document: DoclingDocument, { data, prov }: TableItem): ViewTable {
  const height = document.pages[String(prov[0]?.page_no)]?.size.height;
  return {
    rows: data.num_rows,
    columns: data.num_cols,
    cells: data.table_cells.slice(0, maxCells).map((cell) => ({
      row: cell.start_row_offset_idx,
      column: cell.start_col_offset_idx,
      row_span: Math.max(1, cell.end_row_offset_idx - cell.start_row_offset_idx),
      column_span: Math.max(1, cell.end_col_offset_idx - cell.start_col_offset_idx),
      text: cell.text.slice(0, 2_000),
      is_header: cell.column_header || cell.row_header,
      ...(cell.bbox ? { box: toTopLeft(cell.bbox, height) } : {}),
    })),
  };
}

function listBoxes(document: DoclingDocument, node: NodeItem, page: number): number[][] {
  if (isGroup(node)) return [];
  const height = document.pages[String(page)]?.size.height;
  return node.prov.filter(({ page_no }) => page_no === page).map(({ bbox }) => toTopLeft(bbox, height));
}

function listRefsBelow(document: DoclingDocument, node: NodeItem, seen = new Set<string>()): string[] {
  if (seen.has(node.self_ref)) return [];
  seen.add(node.self_ref);
  for (const child of [...listOwnedItems(document, node), ...childrenOf(document, node)])
    listRefsBelow(document, child, seen);
  return [...seen];
}
