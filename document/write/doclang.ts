import { gridOf } from '../grid';
import { findMainClass, listMetaFields, getMeta } from '../meta';
import type {
  DoclingDocument,
  Formatting,
  GroupItem,
  NodeItem,
  PictureItem,
  TableData,
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
import { createElement, type XmlNode, writeXml } from './xml-text';

interface Writing {
  document: DoclingDocument;
  owned: Set<string>;
  visited: Set<string>;
  page: number | undefined;
}

/** Locations are written in units of 1/512 of the width and height of a page. */
const resolution = 512;
const version = '0.7';
const textTags: Readonly<Record<string, string>> = {
  page_header: 'page_header',
  page_footer: 'page_footer',
  footnote: 'footnote',
  caption: 'caption',
  formula: 'formula',
};

/**
 * Writes all layers of the document as DocLang 0.7 (XML): headings, formatted texts, lists, tables as OTSL, code, formulas,
 * pictures with class, data and address, fields, locations and page breaks.
 */
export function toDoclang(document: DoclingDocument): string {
  const writing: Writing = { document, owned: listOwnedRefs(document), visited: new Set(), page: undefined };
  return writeXml(createElement('doclang', writeChildNodes(writing, document.body), { version }));
}

function writeChildNodes(writing: Writing, parent: NodeItem): XmlNode[] {
  return childrenOf(writing.document, parent).flatMap((child) => {
    if (writing.visited.has(child.self_ref) || writing.owned.has(child.self_ref)) return [];
    writing.visited.add(child.self_ref);
    return [...writePageBreak(writing, child), ...listNodes(writing, child), ...writeFootnoteNodes(writing, child)];
  });
}

/** Footnotes are written below their owner. */
function writeFootnoteNodes(writing: Writing, node: NodeItem): XmlNode[] {
  return ('footnotes' in node ? (node.footnotes ?? []) : []).flatMap(({ $ref }) => {
    const footnote = nodeAt(writing.document, $ref);
    if (!footnote || !isText(footnote) || writing.visited.has($ref)) return [];
    writing.visited.add($ref);
    return writeTextNode(writing, footnote) ?? [];
  });
}

function writePageBreak(writing: Writing, node: NodeItem): XmlNode[] {
  const page = findFirstPage(writing.document, node);
  if (page === undefined) return [];
  const isNew = writing.page !== undefined && page > writing.page;
  writing.page = Math.max(page, writing.page ?? page);
  return isNew ? [createElement('page_break')] : [];
}

function listNodes(writing: Writing, node: NodeItem): XmlNode[] {
  if (isGroup(node)) return writeGroupNodes(writing, node);
  if (isPicture(node)) return [writePictureNode(writing, node)];
  if (isTable(node)) {
    const tableXml = writeTableNode(writing, node);
    // The content of cells has already been written there.
    for (const ref of listCellRefs(node)) writing.visited.add(ref);
    return [tableXml, ...writeChildNodes(writing, node)];
  }
  if (isGraph(node)) return writeChildNodes(writing, node);
  if (!isText(node))
    return [createElement(node.label, [...writeLocations(writing, node), ...writeChildNodes(writing, node)])];
  const textXml = writeTextNode(writing, node);
  return [...(textXml ? [textXml] : []), ...writeChildNodes(writing, node)];
}

function writeGroupNodes(writing: Writing, group: GroupItem): XmlNode[] {
  if (group.label === 'inline') return [createElement('text', writeInlineNodes(writing, group))];
  if (group.label !== 'list' && group.label !== 'ordered_list') return writeChildNodes(writing, group);
  const items = childrenOf(writing.document, group);
  const isOrdered = items.some((item) => isText(item) && item.enumerated === true);
  const nodes = items.flatMap((item): XmlNode[] => {
    if (writing.visited.has(item.self_ref)) return [];
    writing.visited.add(item.self_ref);
    if (!isText(item)) return listNodes(writing, item);
    const marker = item.marker && /[\p{L}\p{N}]/u.test(item.marker) ? [createElement('marker', [item.marker])] : [];
    const content = [...writeLocations(writing, item), ...writeContentNodes(writing, item)];
    return [
      createElement('ldiv', marker),
      ...writePageBreak(writing, item),
      ...content,
      ...writeChildNodes(writing, item),
    ];
  });
  return nodes.length === 0 ? [] : [createElement('list', nodes, { class: isOrdered ? 'ordered' : 'unordered' })];
}

function writeTextNode(writing: Writing, item: TextItem): XmlNode | undefined {
  const place = writeLocations(writing, item);
  if (item.label === 'code') return writeCodeNode(item, place, writeCaptionNodes(writing, item.captions));
  const content = writeContentNodes(writing, item);
  if (content.length === 0) return undefined;
  const level = item.label === 'title' ? 1 : item.label === 'section_header' ? (item.level ?? 1) + 1 : undefined;
  if (level !== undefined)
    return createElement('heading', [...place, ...content], level > 1 ? { level: String(level) } : {});
  const fields: Readonly<Record<string, string>> = {
    field_key: 'key',
    field_value: 'value',
    field_hint: 'hint',
    marker: 'marker',
  };
  const checkbox = item.label.startsWith('checkbox_') ? { class: item.label.slice('checkbox_'.length) } : undefined;
  if (checkbox) return createElement('text', [createElement('checkbox', [], checkbox), ...place, ...content]);
  return createElement(textTags[item.label] ?? fields[item.label] ?? 'text', [...place, ...content]);
}

function writeCodeNode(item: TextItem, place: readonly XmlNode[], captions: readonly XmlNode[]): XmlNode {
  const language = item.code_language && item.code_language !== 'unknown' ? item.code_language : undefined;
  const label = language ? [createElement('label', [], { value: language })] : [];
  return createElement('code', [...label, ...place, ...captions, { cdata: item.text }]);
}

/** Returns the formatted text of an item, or the runs of its inline group. */
function writeContentNodes(writing: Writing, item: TextItem): XmlNode[] {
  const inline = findInlineContent(writing.document, item);
  if (inline) {
    writing.visited.add(inline.self_ref);
    return writeInlineNodes(writing, inline);
  }
  return item.text === '' ? [] : [markUp(item.text, item)];
}

function writeInlineNodes(writing: Writing, group: GroupItem): XmlNode[] {
  return childrenOf(writing.document, group).flatMap((child): XmlNode[] => {
    writing.visited.add(child.self_ref);
    if (!isText(child)) return listNodes(writing, child);
    if (child.label === 'code') return [writeCodeNode(child, [], [])];
    if (child.label === 'formula') return [createElement('formula', [child.text])];
    return child.text === '' ? [] : [markUp(child.text, child)];
  });
}

function markUp(text: string, { formatting, hyperlink }: TextItem): XmlNode {
  let node: XmlNode = text;
  for (const tag of formatting ? listMarks(formatting) : []) node = createElement(tag, [node]);
  return hyperlink ? createElement('hyperlink', [createElement('uri', [hyperlink]), node]) : node;
}

function listMarks({ bold, italic, underline, strikethrough, script }: Formatting): string[] {
  const scripts = { baseline: '', sub: 'subscript', super: 'superscript' };
  return [
    bold ? 'bold' : '',
    italic ? 'italic' : '',
    underline ? 'underline' : '',
    strikethrough ? 'strikethrough' : '',
    scripts[script],
  ].filter(Boolean);
}

/** Writes left, top, right and bottom of each provenance. */
function writeLocations(writing: Writing, node: NodeItem): XmlNode[] {
  if (isGroup(node)) return [];
  return node.prov.flatMap(({ page_no, bbox }) => {
    const size = writing.document.pages[String(page_no)]?.size;
    if (!size || size.width <= 0 || size.height <= 0) return [];
    return toTopLeft(bbox, size.height).map((value, index) => {
      const part = Math.round((resolution * value) / (index % 2 === 0 ? size.width : size.height));
      return createElement('location', [], { value: String(Math.min(Math.max(part, 0), resolution - 1)) });
    });
  });
}

function writeCaptionNodes(writing: Writing, refs: TextItem['captions']): XmlNode[] {
  return (refs ?? []).flatMap(({ $ref }) => {
    const caption = nodeAt(writing.document, $ref);
    if (!caption || !isText(caption)) return [];
    return [createElement('caption', [...writeLocations(writing, caption), ...writeContentNodes(writing, caption)])];
  });
}

function writeTableNode(writing: Writing, item: TableItem): XmlNode {
  const inside = [
    ...writeLocations(writing, item),
    ...writeCaptionNodes(writing, item.captions),
    ...writeOtsl(writing, item.data, item),
  ];
  return createElement(item.label === 'document_index' ? 'index' : 'table', inside);
}

function chooseCellTag({ column_header, row_header, row_section }: TableData['table_cells'][number]): string {
  if (column_header) return 'ched';
  if (row_header) return 'rhed';
  return row_section ? 'srow' : 'fcel';
}

function writeOtsl(writing: Writing, data: TableData, owner?: TableItem): XmlNode[] {
  return gridOf(data).flatMap((cells, row) => {
    const written = cells.flatMap((cell, column): XmlNode[] => {
      const isFirstRow = cell.start_row_offset_idx === row;
      const isFirstColumn = cell.start_col_offset_idx === column;
      if (!isFirstRow && !isFirstColumn) return [createElement('xcel')];
      if (!isFirstRow || !isFirstColumn) return [createElement(isFirstRow ? 'lcel' : 'ucel')];
      const rich = cell.ref ? nodeAt(writing.document, cell.ref.$ref) : undefined;
      const content: XmlNode[] =
        rich && owner && rich.parent?.$ref === owner.self_ref
          ? listNodes(writing, rich)
          : cell.text.trim() === ''
            ? []
            : [cell.text.trim()];
      if (content.length === 0) return [createElement('ecel')];
      return [createElement(chooseCellTag(cell)), ...content];
    });
    return [...written, createElement('nl')];
  });
}

function writePictureNode(writing: Writing, item: PictureItem): XmlNode {
  const kind = findMainClass(getMeta(item));
  const fields = listMetaFields(item).filter(({ name }) => name !== 'classification');
  const chart = fields.flatMap(({ table }) => (table ? [createElement('table', writeOtsl(writing, table))] : []));
  const custom = fields.flatMap(({ name, text, code }) => {
    const value = text ?? code;
    return value === undefined ? [] : [createElement(`docling__${name === 'molecule' ? 'smiles' : name}`, [value])];
  });
  const isChart = item.label === 'chart' || chart.length > 0;
  return createElement(
    'picture',
    [
      ...(kind ? [createElement('label', [], { value: kind })] : []),
      ...writeLocations(writing, item),
      ...writeCaptionNodes(writing, item.captions),
      ...(custom.length > 0 ? [createElement('custom', custom)] : []),
      ...(item.image?.uri ? [createElement('src', [], { uri: item.image.uri })] : []),
      ...chart,
    ],
    isChart ? { class: 'chart' } : {},
  );
}
