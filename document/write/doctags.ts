import { gridOf } from '../grid';
import { findMainClass, getMeta } from '../meta';
import type {
  DoclingDocument,
  GroupItem,
  NodeItem,
  PictureItem,
  Provenance,
  Ref,
  TableCell,
  TableItem,
  TextItem,
} from '../model';
import { toTopLeft } from '../pages';
import {
  listCellRefs,
  childrenOf,
  findFirstPage,
  findInlineContent,
  isGraph,
  isGroup,
  isPicture,
  isTable,
  isText,
  nodeAt,
  listOwnedRefs,
} from '../tree';

interface Writing {
  document: DoclingDocument;
  owned: Set<string>;
  visited: Set<string>;
  page: number | undefined;
}

/** The context of a node. In an inline group, the group writes the locations. A list is split into pages as a whole. */
type Scope = 'block' | 'list' | 'inline';

/** Labels that have a token. Other labels are written as text instead of failing the document. */
const tokens = new Set(
  'caption footnote page_footer page_header paragraph reference text checkbox_selected checkbox_unselected handwritten_text formula'.split(
    ' ',
  ),
);
const graphLabels = new Set(['key', 'value', 'checkbox', 'unspecified']);
const chartClasses = new Set([
  'pie_chart',
  'bar_chart',
  'stacked_bar_chart',
  'line_chart',
  'flow_chart',
  'scatter_chart',
  'heatmap',
]);

/** Writes all layers of the document as DocTags. DocTags does not escape text. Takes linear time. */
export function toDoctags(document: DoclingDocument): string {
  const writing: Writing = { document, owned: listOwnedRefs(document), visited: new Set(), page: undefined };
  return `<doctag>${writeChildParts(writing, document.body, 'block').join('\n')}\n</doctag>`;
}

function writeChildParts(writing: Writing, parent: NodeItem, scope: Scope): string[] {
  return childrenOf(writing.document, parent).flatMap((child) => {
    if (writing.visited.has(child.self_ref) || writing.owned.has(child.self_ref)) return [];
    writing.visited.add(child.self_ref);
    const mark = scope === 'block' ? writePageBreak(writing, child) : [];
    return [...mark, ...writeNodeParts(writing, child, scope)];
  });
}

function writePageBreak(writing: Writing, node: NodeItem): string[] {
  const page = findFirstPage(writing.document, node);
  if (page === undefined) return [];
  const isNew = writing.page !== undefined && page > writing.page;
  writing.page = Math.max(page, writing.page ?? page);
  return isNew ? ['<page_break>'] : [];
}

function writeNodeParts(writing: Writing, node: NodeItem, scope: Scope): string[] {
  if (isGroup(node)) return writeGroupParts(writing, node);
  if (isPicture(node)) return [writePicture(writing, node), ...writeFootnotes(writing, node)].filter(Boolean);
  if (isTable(node)) return writeTableParts(writing, node);
  if (isGraph(node)) {
    const pairsText = node.label === 'form' ? '' : writeKeyValues(writing, node);
    return [pairsText, ...writeFootnotes(writing, node), ...writeChildParts(writing, node, 'block')].filter(Boolean);
  }
  // Field regions have no tag; only their texts are written.
  if (!isText(node)) return writeChildParts(writing, node, scope);
  return [
    writeText(writing, node, scope),
    ...writeFootnotes(writing, node),
    ...writeChildParts(writing, node, scope),
  ].filter(Boolean);
}

/** Footnotes are written below their owner; the reference omits them. */
function writeFootnotes(writing: Writing, { footnotes: refs }: { footnotes?: Ref[] }): string[] {
  return (refs ?? []).flatMap(({ $ref }) => {
    const footnote = nodeAt(writing.document, $ref);
    if (!footnote || !isText(footnote) || writing.visited.has($ref)) return [];
    writing.visited.add($ref);
    return writeText(writing, footnote, 'block');
  });
}

function writeGroupParts(writing: Writing, group: GroupItem): string[] {
  if (group.label === 'inline') return [writeInline(writing, group)].filter(Boolean);
  if (group.label !== 'list' && group.label !== 'ordered_list') return writeChildParts(writing, group, 'block');
  const first = childrenOf(writing.document, group)[0];
  const tag = first && isText(first) && first.enumerated ? 'ordered_list' : 'unordered_list';
  // Everything in a list becomes an item: nested lists, checkboxes, paragraphs.
  const items = writeChildParts(writing, group, 'list').map((part) =>
    part.startsWith('<list_item>') ? part : `<list_item>${part}</list_item>`,
  );
  return items.length === 0 ? [] : [`<${tag}>${items.join('\n')}\n</${tag}>`];
}

function writeInline(writing: Writing, group: GroupItem): string {
  const place = placeAround(writing, childrenOf(writing.document, group));
  const parts = writeChildParts(writing, group, 'inline');
  return parts.length === 0 ? '' : `<inline>${place}${place === '' ? '' : '\n'}${parts.join('\n')}\n</inline>`;
}

/** Returns the bounding box of the runs that are on the page of the first run. */
function placeAround(writing: Writing, runs: readonly NodeItem[]): string {
  const places = runs.flatMap((run) => (isGroup(run) ? [] : run.prov));
  const boxes = places
    .filter((place) => place.page_no === places[0]?.page_no)
    .map((place) => findBoxInParts(writing, place))
    .filter((box) => box !== undefined);
  const [first, ...others] = boxes;
  if (!first) return '';
  const around = others.reduce(
    (item, other) => item.map((value, index) => (index < 2 ? Math.min : Math.max)(value, other[index]!)),
    first,
  );
  return writeTokens(around);
}

function writeText(writing: Writing, item: TextItem, scope: Scope): string {
  const group = findInlineContent(writing.document, item);
  if (group) writing.visited.add(group.self_ref);
  const place = scope === 'inline' ? '' : writeLocation(writing, item);
  const body = place + (group ? writeInline(writing, group) : item.text.trim());
  if (item.label === 'code')
    return `<code>${place}<_${item.code_language ?? 'unknown'}_>${item.text}${writeCaptions(writing, item.captions)}</code>`;
  const tag = chooseTag(item);
  return body === '' && tag === 'list_item' ? '' : `<${tag}>${body}</${tag}>`;
}

function chooseTag(item: TextItem): string {
  if (item.label === 'title' || item.label === 'list_item') return item.label;
  if (item.label === 'section_header' || item.label === 'field_heading')
    return `section_header_level_${item.level ?? 1}`;
  return tokens.has(item.label) ? item.label : 'text';
}

/** Writes each provenance as location tokens. */
function writeLocation(writing: Writing, node: NodeItem): string {
  if (isGroup(node)) return '';
  return node.prov.map((place) => writeTokens(findBoxInParts(writing, place) ?? [])).join('');
}

/** Locations in doctags are parts of the width and height of the page. */
const locationParts = 500;

/** Returns left, top, right, bottom in 500ths of the page; undefined if the page size is unknown. */
function findBoxInParts(writing: Writing, { page_no, bbox }: Provenance): number[] | undefined {
  const size = writing.document.pages[String(page_no)]?.size;
  if (!size || size.width <= 0 || size.height <= 0) return undefined;
  return toTopLeft(bbox, size.height)
    .map((value, index) => Math.round((locationParts * value) / (index % 2 === 0 ? size.width : size.height)))
    .map((value) => Math.min(Math.max(value, 0), locationParts - 1));
}

const writeTokens = (box: readonly number[]) => box.map((value) => `<loc_${value}>`).join('');

function writeCaptions(writing: Writing, refs: TextItem['captions']): string {
  const items = (refs ?? [])
    .map(({ $ref }) => nodeAt(writing.document, $ref))
    .filter((node) => node !== undefined && isText(node));
  const texts = items.map((item) => {
    const group = findInlineContent(writing.document, item);
    return group ? writeInline(writing, group) : item.text;
  });
  const places = items.map((item) => writeLocation(writing, item)).join('');
  return places + texts.join('') === '' ? '' : `<caption>${places}${texts.join(' ')}</caption>`;
}

function writeTableParts(writing: Writing, item: TableItem): string[] {
  const cells = writeOtsl(item.data, (cell) => writeRichText(writing, item, cell));
  const inside = `${writeLocation(writing, item)}${cells}${writeCaptions(writing, item.captions)}`;
  // The content of cells is written there.
  for (const ref of listCellRefs(item)) writing.visited.add(ref);
  const tableText = inside === '' ? '' : `<otsl>${inside}</otsl>`;
  return [tableText, ...writeFootnotes(writing, item), ...writeChildParts(writing, item, 'block')].filter(Boolean);
}

function writeOtsl(data: TableItem['data'], textOf: (cell: TableCell) => string): string {
  const rows = gridOf(data).map((cells, row) => {
    const written = cells.map((cell, column) => {
      const isFirstRow = cell.start_row_offset_idx === row;
      const isFirstColumn = cell.start_col_offset_idx === column;
      if (!isFirstRow && !isFirstColumn) return '<xcel>';
      if (!isFirstRow || !isFirstColumn) return isFirstRow ? '<lcel>' : '<ucel>';
      const content = textOf(cell);
      if (content === '') return '<ecel>';
      if (cell.column_header) return `<ched>${content}`;
      if (cell.row_header) return `<rhed>${content}`;
      return `${cell.row_section ? '<srow>' : '<fcel>'}${content}`;
    });
    return `${written.join('')}<nl>`;
  });
  return rows.join('');
}

function writeRichText(writing: Writing, owner: TableItem, cell: TableCell): string {
  const node = cell.ref ? nodeAt(writing.document, cell.ref.$ref) : undefined;
  if (!node || node.parent?.$ref !== owner.self_ref) return cell.text.trim();
  return writeNodeParts(writing, node, 'block').join('\n');
}

function writePicture(writing: Writing, item: PictureItem): string {
  const meta = getMeta(item);
  const kind = findMainClass(meta);
  const smiles = meta.molecule?.smi;
  const chart = meta.tabular_chart?.chart_data;
  const inside = [
    writeLocation(writing, item),
    kind ? `<${kind}>` : '',
    smiles ? `<smiles>${smiles}</smiles>` : '',
    chart ? writeOtsl(chart, (cell) => cell.text.trim()) : '',
    writeCaptions(writing, item.captions),
  ].join('');
  const tag = item.label === 'chart' || (kind !== undefined && chartClasses.has(kind)) ? 'chart' : 'picture';
  return inside === '' ? '' : `<${tag}>${inside}</${tag}>`;
}

function writeKeyValues(writing: Writing, node: Extract<NodeItem, { graph: unknown }>): string {
  const { cells, links } = node.graph;
  const linked = new Map<number, string>();
  for (const { source_cell_id: source, target_cell_id: target } of links)
    linked.set(source, `${linked.get(source) ?? ''}<link_${target}>`);
  const written = cells.map((cell) => {
    const tag = `${graphLabels.has(cell.label) ? cell.label : 'value'}_${cell.cell_id}`;
    return `<${tag}>${cell.text.trim()}${linked.get(cell.cell_id) ?? ''}</${tag}>`;
  });
  const inside = `${writeLocation(writing, node)}${written.join('')}${writeCaptions(writing, node.captions)}`;
  return `<key_value_region>${inside}</key_value_region>`;
}
