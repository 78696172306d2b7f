import { gridOf, showCellText } from '../grid';
import { listMetaTexts } from '../meta';
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
} from '../model';
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
import { toHtmlTable } from './html';
import { asHtmlBlock, escapeFully, type MarkdownDialect } from './markdown-dialect';
import { escapeTags, pipeCell, pipeTable } from './markdown-table';
import { canTouch, escapeMarkdown, listMarker, writeTextItem } from './markdown-text';
import { hasRaisedText, isAttached } from './raised-text';

/** How a document is written as Markdown. */
export interface MarkdownOptions {
  /** `embedded` writes data URLs, `referenced` writes other URLs. A picture without one becomes a placeholder. */
  imageMode?: 'placeholder' | 'embedded' | 'referenced';
  imagePlaceholder?: string;
  /** Written as a separate block wherever the page number increases. Default: no page breaks. */
  pageBreakPlaceholder?: string;
  /** The renderer that must show the same text. Tables whose spans a pipe table would lose are HTML. */
  dialect?: MarkdownDialect;
  /** Writes tables without padding: fewer characters, same content. */
  compactTables?: boolean;
  /**
   * Omits Markdown syntax: hashes, emphasis, links, fences and escapes. List markers, dollar signs of formulas and tables are
   * kept.
   */
  plain?: boolean;
  /** Does not escape underscores, ampersands and angle brackets. */
  unescaped?: boolean;
  /** Default: only the body, without page headers and footers. */
  layers?: readonly ContentLayer[];
}

/** A piece of the Markdown that belongs to one node; `before` separates it from the previous piece. */
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
  /** The last block is a page break, which is always separated by a blank line, even in lists. */
  isAfterMark?: boolean;
  /** The content of a rich cell is being written. */
  isInCell?: boolean;
}

/** The context of a node: `level` is the number of enclosing lists, `before` separates the node from the previous one. */
interface Scope {
  level: number;
  before: string;
  isInline: boolean;
}

const topScope: Scope = { level: 0, before: '\n\n', isInline: false };

/** Writes the body in reading order, without a newline at the end. */
export function toMarkdown(document: DoclingDocument, options: MarkdownOptions = {}): string {
  return joinBlocks(markdownBlocks(document, options));
}

/** Returns the Markdown of each page, ordered by first block. Blocks without a page belong to the page before them. */
export function toMarkdownPages(
  document: DoclingDocument,
  options: MarkdownOptions = {},
): { page: number; text: string }[] {
  const pages = new Map<number, MarkdownBlock[]>();
  let page = 1;
  for (const block of markdownBlocks(document, { ...options, pageBreakPlaceholder: '' })) {
    page = findFirstPage(document, block.node) ?? page;
    const blocks = pages.get(page);
    if (blocks) blocks.push(block);
    else pages.set(page, [block]);
  }
  return [...pages].map(([page, blocks]) => ({ page, text: joinBlocks(blocks) }));
}

/** Returns the pieces that `toMarkdown` joins. */
export function markdownBlocks(document: DoclingDocument, options: MarkdownOptions = {}): MarkdownBlock[] {
  const writing = startWriting(document, options);
  writeChildren(writing, document.body, topScope);
  writeMeta(writing, document.body, topScope);
  return writing.blocks;
}

function startWriting(document: DoclingDocument, options: MarkdownOptions): Writing {
  return {
    document,
    options,
    layers: options.layers ?? ['body'],
    owned: listOwnedRefs(document),
    visited: new Set(),
    blocks: [],
    page: undefined,
  };
}

/** Writes single nodes of a document. A node is written only once. */
export interface MarkdownNodeWriter {
  /** Writes a list or inline group as a whole, and any other item without its children. */
  write(node: NodeItem): MarkdownBlock[];
  /** True for nodes that have been written, and for captions and footnotes, which their owner writes. */
  isDone(node: NodeItem): boolean;
  captions(item: { captions?: Ref[] }): string;
}

/** Creates a writer for parts of a document, as chunkers need it. */
export function createNodeWriter(document: DoclingDocument, options: MarkdownOptions = {}): MarkdownNodeWriter {
  const writing = startWriting(document, options);
  return {
    write(node) {
      writing.visited.add(node.self_ref);
      const inner: Writing = { ...writing, blocks: [] };
      if (isGroup(node) || node.label === 'list_item') writeNode(inner, node, topScope);
      else if (writing.layers.includes(node.content_layer)) writeItem(inner, node, topScope);
      return inner.blocks;
    },
    isDone: ({ self_ref }) => writing.visited.has(self_ref) || writing.owned.has(self_ref),
    captions: (item) => writeCaptions(writing, item.captions),
  };
}

function joinBlocks(blocks: readonly MarkdownBlock[]): string {
  return blocks.map(({ text, before }, index) => (index === 0 ? text : before + text)).join('');
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
  // The content of cells has already been written there.
  for (const ref of isTable(node) ? listCellRefs(node) : []) writing.visited.add(ref);
  writeChildren(writing, node, scope);
}

function writeItem(writing: Writing, node: Exclude<NodeItem, GroupItem>, scope: Scope): void {
  emit(writing, node, writeItemText(writing, node, scope), scope);
  writeMeta(writing, node, scope);
  for (const { $ref } of 'footnotes' in node ? (node.footnotes ?? []) : []) writeFootnote(writing, $ref, scope);
}

/** Footnotes are written below their owner; the reference omits those of tables and pictures. */
function writeFootnote(writing: Writing, ref: string, scope: Scope): void {
  const footnote = nodeAt(writing.document, ref);
  if (!footnote || !isText(footnote) || writing.visited.has(ref)) return;
  writing.visited.add(ref);
  emit(writing, footnote, writeText(writing, footnote, scope), { ...scope, before: '\n\n' });
}

function writeMeta(writing: Writing, node: NodeItem, scope: Scope): void {
  const { plain: isPlain, unescaped: isReadable } = writing.options;
  for (const text of listMetaTexts(node, writing.options)) {
    // A number sign at the start would make a heading of a description.
    const escapedText = isPlain || isReadable ? text : text.replace(/^#{1,6}(?=\s)/, '\\$&');
    emit(writing, node, escapedText, { ...scope, before: '\n\n' });
  }
}

function writeGroup(writing: Writing, group: GroupItem, scope: Scope, isIncluded: boolean): void {
  if (group.label === 'inline' && isIncluded) {
    emit(writing, group, writeInlineText(writing, group), scope);
    writeMeta(writing, group, scope);
    return;
  }
  const begin = writing.blocks.length;
  const { plain: isPlain, unescaped: isReadable } = writing.options;
  if (group.label === 'sheet' && isIncluded && (!isPlain || isReadable)) {
    emit(writing, group, isPlain ? group.name : `## ${escapeMarkdown(group.name, writing.options.dialect)}`, scope);
  }
  const isList = isIncluded && isListGroup(group);
  // Where the document skips a level, Markdown would read the indentation of two levels as text or as code. The reference
  // indents by two.
  const first = group.children[0] && nodeAt(writing.document, group.children[0].$ref);
  const isLevel = !writing.options.dialect || !first || !isListGroup(first);
  writeChildren(
    writing,
    group,
    isList ? { ...scope, level: scope.level + (isLevel ? 1 : 0), before: '\n' } : { ...scope, before: '\n\n' },
  );
  const block = writing.blocks[begin];
  if (block) block.before = scope.before;
  if (isIncluded) writeMeta(writing, group, scope);
}

function isListGroup(node: NodeItem): boolean {
  return isGroup(node) && (node.label === 'list' || node.label === 'ordered_list');
}

function emit(writing: Writing, node: NodeItem, text: string, scope: Scope): void {
  if (text === '') return;
  const indent = ' '.repeat(4 * Math.max(0, scope.level - 1));
  const isPlain = indent === '' || scope.isInline;
  // A cell is a single line.
  const lines = writing.isInCell ? text : text.replaceAll('\n', `\n${indent}`);
  writing.blocks.push({
    text: isPlain ? text : indent + lines,
    before: writing.isAfterMark ? '\n\n' : scope.before,
    node,
  });
  writing.isAfterMark = false;
}

function markPage(writing: Writing, node: NodeItem, scope: Scope): void {
  const mark = writing.options.pageBreakPlaceholder;
  if (!mark || scope.isInline) return;
  const page = findFirstPage(writing.document, node);
  if (page === undefined) return;
  if (writing.page !== undefined && page > writing.page) {
    writing.blocks.push({ text: mark, before: '\n\n', node });
    writing.isAfterMark = true;
  }
  writing.page = Math.max(page, writing.page ?? page);
}

function writeItemText(writing: Writing, node: Exclude<NodeItem, GroupItem>, scope: Scope): string {
  if (isText(node)) return writeText(writing, node, scope);
  if (isTable(node)) return writeTable(writing, node);
  if (isPicture(node)) return writePicture(writing, node);
  const caption = writeCaptions(writing, node.captions);
  // Comments that the reference writes. They are invisible in rendered Markdown, but would be words in a chunk.
  if (writing.options.unescaped || writing.isInCell) return caption;
  const kind = isGraph(node) ? (node.label === 'form' ? 'form-item' : 'key-value-item') : 'text';
  return writeParagraphs(caption, `<!-- missing-${kind} -->`);
}

function writeParagraphs(...parts: string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

function writeText(writing: Writing, item: TextItem, scope: Scope): string {
  if (item.label === 'grading_scale') return '';
  const inline = findInlineContent(writing.document, item);
  if (inline) writing.visited.add(inline.self_ref);
  const written = writeTextItem(item, {
    text: inline ? writeInlineText(writing, inline) : item.text,
    isDone: inline !== undefined,
    isInline: scope.isInline,
    isPlain: writing.options.plain ?? false,
    isEscaped: !writing.options.unescaped,
    hasScripts: hasScripts(writing),
    marker: item.label === 'list_item' ? chooseMarker(writing, item) : '',
    dialect: writing.options.dialect,
  });
  const caption = writeCaptions(writing, item.captions);
  return scope.isInline ? [written, caption].filter(Boolean).join(' ') : writeParagraphs(written, caption);
}

function chooseMarker(writing: Writing, item: TextItem): string {
  const parent = item.parent ? nodeAt(writing.document, item.parent.$ref) : undefined;
  const list = parent && isGroup(parent) ? parent : undefined;
  const first = list?.children[0] ? nodeAt(writing.document, list.children[0].$ref) : undefined;
  return listMarker(item, list, first !== undefined && isText(first) && first.enumerated === true);
}

function writeInlineText(writing: Writing, group: GroupItem): string {
  return joinBlocks(writeInlineBlocks(writing, group));
}

function writeInlineBlocks(writing: Writing, node: NodeItem): MarkdownBlock[] {
  const inner: Writing = { ...writing, blocks: [] };
  writeChildren(inner, node, { level: 0, before: ' ', isInline: true });
  const isMarked = hasScripts(writing);
  return inner.blocks.map((block, index) => {
    const previous = inner.blocks[index - 1];
    if (!previous || !isAttached(writing.document, [previous.node, block.node], isMarked)) return block;
    return writing.options.plain || canTouch(previous, block) ? { ...block, before: '' } : block;
  });
}

/** Plain text and chunks keep a space before raised text: a note number would become a part of its word. */
function hasScripts({ document, options }: Writing): boolean {
  return !options.plain && !options.unescaped && hasRaisedText(document);
}

function writeCaptions(writing: Writing, refs: TextItem['captions']): string {
  const texts = (refs ?? []).map(({ $ref }) => {
    const caption = nodeAt(writing.document, $ref);
    // A caption is written with its owner, regardless of its own layer.
    if (!caption || !isText(caption)) return '';
    return caption.text === ''
      ? joinBlocks(writeInlineBlocks(writing, caption))
      : writing.options.plain || writing.options.unescaped
        ? caption.text
        : escapeMarkdown(caption.text, writing.options.dialect);
  });
  return texts.filter((text) => text !== '').join(' ');
}

function writeTable(writing: Writing, item: TableItem): string {
  const caption = writeCaptions(writing, item.captions);
  // A table inside a cell is written as its texts. A cell without text may contain a further table.
  if (writing.isInCell) {
    const texts = item.data.table_cells.map((cell) => {
      const text = showCellText(cell).trim();
      return text === '' && cell.ref ? writeRichCell(writing, item, cell, { isFirst: true }) : text;
    });
    return writeParagraphs(caption, texts.filter(Boolean).join(' '));
  }
  const { dialect } = writing.options;
  if (dialect === 'commonmark') return writeParagraphs(caption, asHtmlBlock(toHtmlTable(writing.document, item)));
  const rich = new Map<TableCell, string>();
  const rows = gridOf(item.data).map((row, rowIndex) =>
    row.map((cell, columnIndex) => {
      const isFirst = cell.start_row_offset_idx === rowIndex && cell.start_col_offset_idx === columnIndex;
      const content = cell.ref ? writeRichCell(writing, item, cell, { isFirst, known: rich }) : showCellText(cell);
      if (dialect) return pipeCell(cell.ref ? content : escapeFully(content), { dialect });
      return pipeCell(cell.ref || writing.options.unescaped ? content : escapeTags(content), writing.options);
    }),
  );
  const isLossy =
    item.data.table_cells.some(({ row_span, col_span }) => row_span > 1 || col_span > 1) ||
    [...rich.values()].some((content) => content.includes('\n'));
  if (dialect && isLossy) return writeParagraphs(caption, asHtmlBlock(toHtmlTable(writing.document, item)));
  return writeParagraphs(caption, pipeTable(rows, { compact: writing.options.compactTables ?? false }));
}

/**
 * Returns the content of a cell; without `known`, of a cell in a table within a cell, where nothing is written twice. An item is
 * repeated at all positions that the cell spans, a group only at the first.
 */
function writeRichCell(
  writing: Writing,
  owner: TableItem,
  cell: TableCell,
  { isFirst, known }: { isFirst: boolean; known?: Map<TableCell, string> },
): string {
  const node = cell.ref ? nodeAt(writing.document, cell.ref.$ref) : undefined;
  // Only nodes below the table: a reference to an enclosing node would never end.
  if (!node || node.parent?.$ref !== owner.self_ref) return cell.text;
  if (!isFirst && isGroup(node)) return '';
  let content = known?.get(cell);
  if (content === undefined) {
    const inner: Writing = { ...writing, visited: known ? new Set() : writing.visited, blocks: [], isInCell: true };
    writeNode(inner, node, topScope);
    content = joinBlocks(inner.blocks);
    known?.set(cell, content);
  }
  return content;
}

function writePicture(writing: Writing, item: PictureItem): string {
  const caption = writeCaptions(writing, item.captions);
  if (item.label === 'chart') return caption;
  const placeholder = writing.options.imagePlaceholder ?? '<!-- image -->';
  return writeParagraphs(caption, writeImageMark(item, writing.options.imageMode, placeholder));
}

function writeImageMark(item: PictureItem, mode: MarkdownOptions['imageMode'], placeholder: string): string {
  const uri = item.image?.uri;
  const isData = uri?.startsWith('data:') ?? false;
  if (mode === 'embedded') return isData ? `![Image](${uri})` : '<!-- image is not available -->';
  return mode === 'referenced' && uri && !isData ? `![Image](${uri})` : placeholder;
}
