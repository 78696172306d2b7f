import { gridOf } from './grid';
import { pipeTable } from './markdown-table';
import { escapeMarkdown, listMarker, textItem } from './markdown-text';
import { metaTexts } from './meta';
import type {
  ContentLayer,
  DoclingDocument,
  GroupItem,
  NodeItem,
  PictureItem,
  Ref,
  TableCell,
  TableItem,
  TextItem,
} from './model';
import {
  cellRefs,
  childrenOf,
  firstPage,
  inlineContent,
  isGraph,
  isGroup,
  isPicture,
  isTable,
  isText,
  nodeAt,
  ownedRefs,
} from './tree';

/** How a document is written as Markdown. */
export interface MarkdownOptions {
  /** `embedded` writes data addresses, `referenced` other addresses; a picture without one is a placeholder. */
  imageMode?: 'placeholder' | 'embedded' | 'referenced';
  imagePlaceholder?: string;
  /** Written as a block of its own where the page of the items increases. Default: no marks. */
  pageBreakPlaceholder?: string;
  /** Tables without padding: fewer characters, the same table. */
  compactTables?: boolean;
  /** No Markdown signs: no hashes, emphasis, links, fences, escapes; list markers, dollars of formulas and tables stay. */
  plain?: boolean;
  /** Text as it stands: underscores, ampersands and angle brackets are not escaped. */
  unescaped?: boolean;
  /** Default: the body alone, without page headers and footers. */
  layers?: readonly ContentLayer[];
}

/** A piece of the Markdown that belongs to one node; `before` is what separates it from the piece before. */
export interface MarkdownBlock {
  text: string;
  before: string;
  node: NodeItem;
}

interface Writing {
  document: DoclingDocument;
  options: MarkdownOptions;
  layers: readonly ContentLayer[];
  owned: Set<string>;
  visited: Set<string>;
  blocks: MarkdownBlock[];
  page: number | undefined;
  /** What a rich cell holds is being written. */
  isInCell?: boolean;
}

/** Where a node stands: `level` counts the lists around it, `before` separates it from what is before. */
interface Scope {
  level: number;
  before: string;
  isInline: boolean;
}

/** The body in reading order. No newline at the end. */
export function toMarkdown(document: DoclingDocument, options: MarkdownOptions = {}): string {
  return joinBlocks(markdownBlocks(document, options));
}

/** The texts of the pages, in the order of their first block. Blocks without a page belong to the page before them. */
export function toMarkdownPages(
  document: DoclingDocument,
  options: MarkdownOptions = {},
): { page: number; text: string }[] {
  const pages = new Map<number, MarkdownBlock[]>();
  let page = 1;
  for (const block of markdownBlocks(document, { ...options, pageBreakPlaceholder: '' })) {
    page = firstPage(document, block.node) ?? page;
    const blocks = pages.get(page);
    if (blocks) blocks.push(block);
    else pages.set(page, [block]);
  }
  return [...pages].map(([page, blocks]) => ({ page, text: joinBlocks(blocks) }));
}

/** The pieces that `toMarkdown` puts together. */
export function markdownBlocks(document: DoclingDocument, options: MarkdownOptions = {}): MarkdownBlock[] {
  const layers = options.layers ?? ['body'];
  const writing: Writing = {
    document,
    options,
    layers,
    owned: ownedRefs(document),
    visited: new Set(),
    blocks: [],
    page: undefined,
  };
  const scope: Scope = { level: 0, before: '\n\n', isInline: false };
  writeChildren(writing, document.body, scope);
  writeMeta(writing, document.body, scope);
  return writing.blocks;
}

/** Writes single nodes of a document; what a call has written, later calls leave out. */
export interface MarkdownNodeWriter {
  /** A list or inline group as a whole, else the item alone without what hangs below it. */
  write(node: NodeItem): MarkdownBlock[];
  /** True for captions and footnotes, which their owner writes, and for what has been written. */
  isDone(node: NodeItem): boolean;
  captions(item: { captions?: Ref[] }): string;
}

/** For those who need the Markdown of parts, as chunkers do. */
export function createNodeWriter(document: DoclingDocument, options: MarkdownOptions = {}): MarkdownNodeWriter {
  const layers = options.layers ?? ['body'];
  const writing: Writing = {
    document,
    options,
    layers,
    owned: ownedRefs(document),
    visited: new Set(),
    blocks: [],
    page: undefined,
  };
  const scope: Scope = { level: 0, before: '\n\n', isInline: false };
  return {
    write(node) {
      writing.visited.add(node.self_ref);
      const inner: Writing = { ...writing, blocks: [] };
      if (isGroup(node) || node.label === 'list_item') writeNode(inner, node, scope);
      else if (layers.includes(node.content_layer)) writeItem(inner, node, scope);
      return inner.blocks;
    },
    isDone: ({ self_ref }) => writing.visited.has(self_ref) || writing.owned.has(self_ref),
    captions: (item) => captions(writing, item.captions),
  };
}

function joinBlocks(blocks: readonly MarkdownBlock[], separator?: string): string {
  return blocks.map(({ text, before }, index) => (index === 0 ? text : (separator ?? before) + text)).join('');
}

function writeChildren(writing: Writing, parent: NodeItem, scope: Scope): void {
  for (const child of childrenOf(writing.document, parent)) {
    if (writing.visited.has(child.self_ref) || writing.owned.has(child.self_ref)) continue;
    writing.visited.add(child.self_ref);
    writeNode(writing, child, scope);
  }
}

function writeNode(writing: Writing, node: NodeItem, scope: Scope): void {
  const isIncluded = writing.layers.includes(node.content_layer);
  if (isIncluded) markPage(writing, node, scope);
  if (isGroup(node)) {
    writeGroup(writing, node, scope, isIncluded);
    return;
  }
  if (isIncluded) writeItem(writing, node, scope);
  if (isPicture(node)) return;
  // What stands in cells has been written there.
  for (const ref of isTable(node) ? cellRefs(node) : []) writing.visited.add(ref);
  writeChildren(writing, node, scope);
}

function writeItem(writing: Writing, node: Exclude<NodeItem, GroupItem>, scope: Scope): void {
  emit(writing, node, itemText(writing, node, scope), scope);
  writeMeta(writing, node, scope);
}

function writeMeta(writing: Writing, node: NodeItem, scope: Scope): void {
  for (const text of metaTexts(node, writing.options)) emit(writing, node, text, { ...scope, before: '\n\n' });
}

function writeGroup(writing: Writing, group: GroupItem, scope: Scope, isIncluded: boolean): void {
  if (group.label === 'inline' && isIncluded) {
    emit(writing, group, inlineText(writing, group), scope);
    writeMeta(writing, group, scope);
    return;
  }
  const first = writing.blocks.length;
  if (group.label === 'sheet' && isIncluded && !writing.options.plain) {
    emit(writing, group, `## ${escapeMarkdown(group.name)}`, scope);
  }
  const isList = group.label === 'list' || group.label === 'ordered_list';
  writeChildren(
    writing,
    group,
    isList ? { ...scope, level: scope.level + 1, before: '\n' } : { ...scope, before: '\n\n' },
  );
  const block = writing.blocks[first];
  if (block) block.before = scope.before;
  if (isIncluded) writeMeta(writing, group, scope);
}

function emit(writing: Writing, node: NodeItem, text: string, scope: Scope): void {
  if (text === '') return;
  const indent = ' '.repeat(4 * Math.max(0, scope.level - 1));
  const isPlain = indent === '' || scope.isInline;
  writing.blocks.push({
    text: isPlain ? text : indent + text.replaceAll('\n', `\n${indent}`),
    before: scope.before,
    node,
  });
}

function markPage(writing: Writing, node: NodeItem, scope: Scope): void {
  const mark = writing.options.pageBreakPlaceholder;
  if (!mark || scope.isInline) return;
  const page = firstPage(writing.document, node);
  if (page === undefined) return;
  if (writing.page !== undefined && page > writing.page)
    writing.blocks.push({ text: mark, before: scope.before, node });
  writing.page = Math.max(page, writing.page ?? page);
}

function itemText(writing: Writing, node: Exclude<NodeItem, GroupItem>, scope: Scope): string {
  if (isText(node)) return text(writing, node, scope);
  if (isTable(node)) return table(writing, node);
  if (isPicture(node)) return picture(writing, node);
  // Marks of the reference, which no reader of the page sees; in chunks they would be words.
  if (writing.options.unescaped || writing.isInCell) return '';
  if (isGraph(node)) return node.label === 'form' ? '<!-- missing-form-item -->' : '<!-- missing-key-value-item -->';
  return '<!-- missing-text -->';
}

function text(writing: Writing, item: TextItem, scope: Scope): string {
  if (item.label === 'grading_scale') return '';
  const inline = inlineContent(writing.document, item);
  if (inline) writing.visited.add(inline.self_ref);
  const written = textItem(item, {
    text: inline ? inlineText(writing, inline) : item.text,
    isDone: inline !== undefined,
    isInline: scope.isInline,
    isPlain: writing.options.plain ?? false,
    isEscaped: !writing.options.unescaped,
    marker: item.label === 'list_item' ? markerOf(writing, item) : '',
  });
  return [written, captions(writing, item.captions)].filter((part) => part !== '').join(scope.isInline ? ' ' : '\n\n');
}

function markerOf(writing: Writing, item: TextItem): string {
  const parent = item.parent ? nodeAt(writing.document, item.parent.$ref) : undefined;
  const list = parent && isGroup(parent) ? parent : undefined;
  const first = list?.children[0] ? nodeAt(writing.document, list.children[0].$ref) : undefined;
  return listMarker(item, list, first !== undefined && isText(first) && first.enumerated === true);
}

function inlineText(writing: Writing, group: GroupItem): string {
  return joinBlocks(blocksWithin(writing, group, true), ' ');
}

function blocksWithin(writing: Writing, node: NodeItem, isInline: boolean): MarkdownBlock[] {
  const inner: Writing = { ...writing, blocks: [] };
  const scope: Scope = { level: 0, before: isInline ? ' ' : '\n\n', isInline };
  if (isInline) writeChildren(inner, node, scope);
  else writeNode(inner, node, scope);
  return inner.blocks;
}

function captions(writing: Writing, refs: TextItem['captions']): string {
  const texts = (refs ?? []).map(({ $ref }) => {
    const caption = nodeAt(writing.document, $ref);
    // A caption belongs to what it names, whatever its own layer.
    if (!caption || !isText(caption)) return '';
    return caption.text === ''
      ? joinBlocks(blocksWithin(writing, caption, true), ' ')
      : writing.options.plain || writing.options.unescaped
        ? caption.text
        : escapeMarkdown(caption.text);
  });
  return texts.filter((text) => text !== '').join(' ');
}

function table(writing: Writing, item: TableItem): string {
  const rows = gridOf(item.data).map((row, rowIndex) =>
    row.map((cell, columnIndex) => {
      const isFirst = cell.start_row_offset_idx === rowIndex && cell.start_col_offset_idx === columnIndex;
      const content = cell.ref ? richCell(writing, item, cell, isFirst) : cell.text;
      const line = content.replaceAll('\n', ' ');
      return writing.options.unescaped ? line : line.replaceAll('|', '&#124;');
    }),
  );
  const written = pipeTable(rows, { compact: writing.options.compactTables ?? false });
  return [captions(writing, item.captions), written].filter((part) => part !== '').join('\n\n');
}

/** The content of a cell; a table in it becomes its texts. An item stands in all places that it spans, a group in the first. */
function richCell(writing: Writing, owner: TableItem, cell: TableCell, isFirst: boolean): string {
  const node = cell.ref ? nodeAt(writing.document, cell.ref.$ref) : undefined;
  // Only what lies under the table: a reference to something around it would never end.
  if (!node || node.parent?.$ref !== owner.self_ref) return cell.text;
  if (!isFirst && isGroup(node)) return '';
  const inner: Writing = { ...writing, visited: new Set(), blocks: [], isInCell: true };
  writeNode(inner, node, { level: 0, before: '\n\n', isInline: false });
  const blocks = inner.blocks.map((block) => {
    if (!isTable(block.node)) return block;
    const texts = block.node.data.table_cells.map(({ text }) => text.trim());
    return { ...block, text: texts.filter(Boolean).join(' ') };
  });
  return joinBlocks(blocks);
}

function picture(writing: Writing, item: PictureItem): string {
  const caption = captions(writing, item.captions);
  if (item.label === 'chart') return caption;
  const placeholder = writing.options.imagePlaceholder ?? '<!-- image -->';
  return [caption, imageMark(item, writing.options.imageMode, placeholder)].filter((part) => part !== '').join('\n\n');
}

function imageMark(item: PictureItem, mode: MarkdownOptions['imageMode'], placeholder: string): string {
  const uri = item.image?.uri;
  const isData = uri?.startsWith('data:') ?? false;
  if (mode === 'embedded') return isData ? `![Image](${uri})` : '<!-- image is not available -->';
  return mode === 'referenced' && uri && !isData ? `![Image](${uri})` : placeholder;
}
