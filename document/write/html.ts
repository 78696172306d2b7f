import { addAll } from '../../model/lists/add-all';
import { gridOf, showCellText } from '../grid';
import { listMetaFields } from '../meta';
import type {
  DoclingDocument,
  Formatting,
  GroupItem,
  ImageRef,
  NodeItem,
  PictureItem,
  Ref,
  TableCell,
  TableData,
  TableItem,
  TextItem,
} from '../model';
import {
  listCellRefs,
  childrenOf,
  findInlineContent,
  isGraph,
  isGroup,
  isPicture,
  isTable,
  isText,
  nodeAt,
  listOwnedRefs,
} from '../tree';
import { graphHtml } from './html-graph';
import { toMathml } from './mathml';
import { isAttached } from './raised-text';

/** How a document is written as HTML. */
export interface HtmlOptions {
  /** `embedded` writes data URLs, `referenced` writes any URL. With `placeholder` only the captions of pictures are written. */
  imageMode?: 'placeholder' | 'embedded' | 'referenced';
}

interface Writing {
  document: DoclingDocument;
  options: HtmlOptions;
  owned: Set<string>;
  visited: Set<string>;
}

const style = `body { font-family: sans-serif; line-height: 1.5; margin: 0; }
.page { max-width: 50rem; margin: 0 auto; padding: 2rem 1rem; }
table { border-collapse: collapse; }
td, th { border: 1px solid #aaa; padding: 0.25rem 0.5rem; text-align: start; vertical-align: top; }
p, li, h1, h2, h3, h4, h5, h6, caption, figcaption { unicode-bidi: plaintext; }
pre { overflow-x: auto; background: #f4f4f4; padding: 0.5rem; }
figure { margin: 1rem 0; }
img { max-width: 100%; }
.page > .inline-group { display: block; margin: 1em 0; }`;

/** Writes the body as a complete HTML page. All document content is escaped, including code. Script URLs do not become links. */
export function toHtml(document: DoclingDocument, options: HtmlOptions = {}): string {
  const blocks = writeTopBlocks(document, options).flatMap((top) => top.blocks);
  return writeHtmlPage(document, `<div class='page'>\n${blocks.join('\n')}\n</div>`);
}

/** Returns the blocks of each child of the body in reading order, then those of the body's metadata. */
export function writeTopBlocks(
  document: DoclingDocument,
  options: HtmlOptions,
): { node: NodeItem; blocks: string[] }[] {
  const { body } = document;
  const writing: Writing = { document, options, owned: listOwnedRefs(document), visited: new Set() };
  const tops = childrenOf(document, body).flatMap((node) => {
    if (writing.visited.has(node.self_ref) || writing.owned.has(node.self_ref)) return [];
    writing.visited.add(node.self_ref);
    return { node, blocks: writeNodeBlocks(writing, node, false) };
  });
  return [...tops, { node: body, blocks: writeMeta(writing, body) }];
}

/** Returns a complete HTML page around the content of its body. */
export function writeHtmlPage({ name }: DoclingDocument, content: string, styles = ''): string {
  return `<!DOCTYPE html>
<html>
<head>
<meta charset="UTF-8"/>
<title>${escapeHtml(name)}</title>
<meta name="generator" content="Docling HTML Serializer"/>
<style>
${style}${styles}
</style>
</head>
<body>
${content}
</body>
</html>`;
}

/** Escapes text for element content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#x27;');
}

/** Escapes text without changing its line ends. */
const escapeRun = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const escapeText = (text: string) => escapeRun(text).replaceAll('\n', '<br>');

/** The children that are not yet written and that no other node owns, each marked as written just before it is. */
function* iterateOpenChildren({ document, visited, owned }: Writing, parent: NodeItem): Generator<NodeItem> {
  for (const child of childrenOf(document, parent)) {
    if (visited.has(child.self_ref) || owned.has(child.self_ref)) continue;
    visited.add(child.self_ref);
    yield child;
  }
}

function writeChildBlocks(writing: Writing, parent: NodeItem, isInline = false): string[] {
  const blocks: string[] = [];
  for (const child of iterateOpenChildren(writing, parent)) addAll(blocks, writeNodeBlocks(writing, child, isInline));
  return blocks;
}

/** Writes the block of a node, followed by those of its children. A list item contains the blocks of its children. */
function writeNodeBlocks(writing: Writing, node: NodeItem, isInline: boolean): string[] {
  const isIncluded = node.content_layer === 'body';
  if (isGroup(node)) {
    const blocks = writeGroupBlocks(writing, node, isIncluded);
    return isIncluded ? blocks.concat(writeMeta(writing, node)) : blocks;
  }
  if (isPicture(node))
    return isIncluded ? [writePicture(writing, node), ...writeFootnotes(writing, node)].filter(Boolean) : [];
  // The content of cells is written there.
  for (const ref of isTable(node) ? listCellRefs(node) : []) writing.visited.add(ref);
  if (!isIncluded) return writeChildBlocks(writing, node);
  if (isTable(node))
    return [
      writeTable(writing, node),
      ...writeMeta(writing, node),
      ...writeFootnotes(writing, node),
      ...writeChildBlocks(writing, node),
    ].filter(Boolean);
  if (isGraph(node)) {
    const parts = [
      graphHtml(node, escapeHtml),
      writeCaptionHtml(writing, node, 'figcaption'),
      ...writeFootnotes(writing, node),
    ];
    return [...parts, ...writeChildBlocks(writing, node)].filter(Boolean);
  }
  // Field regions have no content of their own; only their texts are written.
  if (!isText(node)) return writeChildBlocks(writing, node);
  if (node.label === 'list_item') return [writeListItem(writing, node)].filter(Boolean);
  return [
    writeTextBlock(writing, node, isInline),
    writeCaptionBoxes(writing, node),
    ...writeMeta(writing, node),
    ...writeFootnotes(writing, node),
    ...writeChildBlocks(writing, node),
  ].filter(Boolean);
}

function writeGroupBlocks(writing: Writing, group: GroupItem, isIncluded: boolean): string[] {
  if (group.label === 'inline' && isIncluded) return [writeInlineSpan(writing, group)].filter(Boolean);
  if (group.label !== 'list' && group.label !== 'ordered_list') return writeChildBlocks(writing, group);
  const first = childrenOf(writing.document, group)[0];
  const tag = first && isText(first) && first.enumerated ? 'ol' : 'ul';
  const items = writeChildBlocks(writing, group).map((block) =>
    block.startsWith('<li') ? block : `<li>\n${block}\n</li>`,
  );
  return items.length === 0 ? [] : [`<${tag}>\n${items.join('\n')}\n</${tag}>`];
}

function writeInlineSpan(writing: Writing, group: GroupItem): string {
  let [html, before]: [string, NodeItem | undefined] = ['', undefined];
  for (const child of iterateOpenChildren(writing, group)) {
    const run = writeNodeBlocks(writing, child, true).join(' ');
    if (run === '') continue;
    html += html === '' || isAttached(writing.document, [before, child]) ? run : ` ${run}`;
    before = child;
  }
  return html === '' ? '' : `<span class='inline-group'>${html}</span>`;
}

/** Returns the HTML of an item's own text, or of its inline group. */
function buildContent(writing: Writing, item: TextItem): { html: string; isGroup: boolean } {
  const inline = findInlineContent(writing.document, item);
  if (!inline) return { html: escapeText(item.text), isGroup: false };
  writing.visited.add(inline.self_ref);
  return { html: writeInlineSpan(writing, inline), isGroup: true };
}

function writeListItem(writing: Writing, item: TextItem): string {
  const { html, isGroup } = buildContent(writing, item);
  const text = isGroup ? html : addStyle(html, item);
  const nested = [...writeMeta(writing, item), ...writeChildBlocks(writing, item)];
  if (text === '' && nested.length === 0) return '';
  const marker = item.marker
    ? ` style="list-style-type: '${escapeHtml(item.marker.replaceAll('\\', '').replaceAll("'", ''))} ';"`
    : '';
  if (nested.length === 0 && !isGroup) return `<li${marker}>${text}</li>`;
  return `<li${marker}>\n${[text, ...nested].filter(Boolean).join('\n')}\n</li>`;
}

function writeTextBlock(writing: Writing, item: TextItem, isInline: boolean): string {
  if (item.label === 'code') return writeCode(item, isInline);
  if (item.label === 'formula') return writeFormula(item, isInline);
  const { html } = buildContent(writing, item);
  if (html === '') return isSpacer(item) && !isInline ? '<p></p>' : '';
  const heading = item.label === 'title' ? 1 : item.label === 'section_header' ? Math.min((item.level ?? 1) + 1, 6) : 0;
  if (heading > 0) return addStyle(`<h${heading}>${html}</h${heading}>`, item);
  if (item.label.startsWith('checkbox_')) {
    const box = `<input type="checkbox" disabled${item.label === 'checkbox_selected' ? ' checked' : ''}/> ${addStyle(html, item)}`;
    return isInline ? box : `<p>${box}</p>`;
  }
  return addStyle(isInline ? html : `<p>${html}</p>`, item);
}

/** True for an empty paragraph of the source, which is kept as an empty line. */
function isSpacer({ label }: TextItem): boolean {
  return label === 'text' || label === 'paragraph';
}

function writeCode(item: TextItem, isInline: boolean): string {
  const text = escapeRun(item.text);
  return addStyle(isInline ? `<code>${text}</code>` : `<pre><code>${text}</code></pre>`, item);
}

function writeFormula(item: TextItem, isInline: boolean): string {
  const tag = isInline ? 'span' : 'div';
  if (item.text === '') return `<${tag} class="formula-not-decoded">Formula not decoded</${tag}>`;
  const typeset = toMathml(item.text, isInline ? 'inline' : 'block');
  if (typeset) return addStyle(isInline ? typeset : `<div>${typeset}</div>`, item);
  return addStyle(isInline ? `<code>${escapeText(item.text)}</code>` : `<pre>${escapeText(item.text)}</pre>`, item);
}

function addStyle(html: string, { formatting, hyperlink }: TextItem): string {
  const tags = formatting ? listTags(formatting) : [];
  const marked = tags.reduce((inner, tag) => `<${tag}>${inner}</${tag}>`, html);
  return hyperlink && isSafeLink(hyperlink) ? `<a href="${escapeHtml(hyperlink)}">${marked}</a>` : marked;
}

function listTags({ bold, italic, underline, strikethrough, script }: Formatting): string[] {
  const scripts = { baseline: '', sub: 'sub', super: 'sup' };
  return [
    bold ? 'strong' : '',
    italic ? 'em' : '',
    underline ? 'u' : '',
    strikethrough ? 'del' : '',
    scripts[script],
  ].filter(Boolean);
}

/** Returns the URL of an image if the options ask for it and it is safe to load. */
export function findShownUri(image: ImageRef | null | undefined, { imageMode }: HtmlOptions): string | undefined {
  const uri = image?.uri ?? '';
  const isData = /^data:image\/(?!svg)/i.test(uri);
  const isShown =
    imageMode === 'embedded' ? isData : imageMode === 'referenced' && uri !== '' && (isData || isSafeLink(uri));
  return isShown ? uri : undefined;
}

/** False for URLs that run scripts or open local files. Relative URLs are safe. */
export function isSafeLink(address: string): boolean {
  const scheme = /^\s*([a-z][\w+.-]*):/i.exec(address)?.[1]?.toLowerCase();
  return scheme === undefined || ['http', 'https', 'ftp', 'mailto', 'tel'].includes(scheme);
}

/**
 * Returns `dir="rtl"` for cells and captions in right-to-left scripts. For other texts the style sheet lets the browser decide.
 */
function writeDirection(text: string): string {
  return /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(text)
    ? ' dir="rtl"'
    : '';
}

function writeCaptionHtml(writing: Writing, item: { captions?: Ref[] }, tag: 'caption' | 'figcaption'): string {
  const boxes = writeCaptionBoxes(writing, item);
  return boxes === '' ? '' : `<${tag}>${boxes}</${tag}>`;
}

function writeCaptionBoxes(writing: Writing, item: { captions?: Ref[] }): string {
  const boxes = (item.captions ?? []).flatMap(({ $ref }) => {
    const caption = nodeAt(writing.document, $ref);
    if (!caption || !isText(caption)) return [];
    const { html, isGroup } = buildContent(writing, caption);
    const inside = isGroup ? html : escapeHtml(caption.text);
    return inside === '' ? [] : [`<div class="caption"${writeDirection(caption.text)}>${inside}</div>`];
  });
  return boxes.join(' ');
}

/** Footnotes are written below their owner; the reference omits them. */
function writeFootnotes(writing: Writing, item: { footnotes?: Ref[] }): string[] {
  return (item.footnotes ?? []).flatMap(({ $ref }) => {
    const footnote = nodeAt(writing.document, $ref);
    if (!footnote || !isText(footnote) || writing.visited.has($ref)) return [];
    writing.visited.add($ref);
    return writeTextBlock(writing, footnote, false);
  });
}

function writeTable(writing: Writing, item: TableItem): string {
  const rows = writeTableRows(writing, item.data, item);
  const caption = writeCaptionHtml(writing, item, 'caption');
  if (rows === '' && caption === '') return '';
  return rows === '' ? `<table>${caption}</table>` : rows.replace('<table>', `<table>${caption}`);
}

/** Writes one table without its caption, for other formats that hold HTML. */
export function toHtmlTable(document: DoclingDocument, item: TableItem): string {
  return writeTableRows({ document, options: {}, owned: listOwnedRefs(document), visited: new Set() }, item.data, item);
}

/** Writes a table without its caption; empty if there are no rows. */
function writeTableRows(writing: Writing, data: TableData, owner?: TableItem): string {
  const rows = gridOf(data).map((cells, row) => {
    const ownCells = cells.filter(
      (cell, column) => cell.start_row_offset_idx === row && cell.start_col_offset_idx === column,
    );
    return `<tr>${ownCells.map((cell) => writeTableCellHtml(writing, cell, owner)).join('')}</tr>`;
  });
  return rows.length === 0 ? '' : `<table><tbody>${rows.join('')}</tbody></table>`;
}

function writeTableCellHtml(writing: Writing, cell: TableCell, owner: TableItem | undefined): string {
  const tag = cell.column_header || cell.row_header || cell.row_section ? 'th' : 'td';
  const spans = `${cell.row_span > 1 ? ` rowspan="${cell.row_span}"` : ''}${cell.col_span > 1 ? ` colspan="${cell.col_span}"` : ''}`;
  const rich = cell.ref ? nodeAt(writing.document, cell.ref.$ref) : undefined;
  const isOwn = owner !== undefined && rich?.parent?.$ref === owner.self_ref;
  const inside =
    rich && isOwn ? writeNodeBlocks(writing, rich, false).join('\n') : escapeHtml(showCellText(cell).trim());
  return `<${tag}${spans}${writeDirection(cell.text)}>${inside}</${tag}>`;
}

function writePicture(writing: Writing, item: PictureItem): string {
  const uri = item.label === 'chart' ? undefined : findShownUri(item.image, writing.options);
  const image = uri === undefined ? '' : `<img src="${escapeHtml(uri)}">`;
  const inside = writeCaptionHtml(writing, item, 'figcaption') + image + writeMeta(writing, item).join('');
  return inside === '' ? '' : `<figure>${inside}</figure>`;
}

function writeMeta(writing: Writing, node: NodeItem): string[] {
  const fields = listMetaFields(node).map(({ name, text, table: chart, code: program }) => {
    const value =
      program !== undefined
        ? `<pre class="docling-meta-code"><code>${escapeHtml(program)}</code></pre>`
        : `<span class="docling-meta-field-value">${chart ? writeTableRows(writing, chart) : escapeRun(text ?? '')}</span>`;
    return `<div class="docling-meta-field" data-meta-name="${name}"><span class="docling-meta-field-label">${name}:</span> ${value}</div>`;
  });
  if (fields.length === 0) return [];
  return [`<details class="docling-meta"><summary>Meta</summary>${fields.join('')}</details>`];
}
