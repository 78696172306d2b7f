import { createDocument } from '../../document/builder';
import type { DoclingDocument, GroupItem, NodeItem, TextItem } from '../../document/model';
import { AppError } from '../../model/errors';
import { toCodeLanguage } from '../code/code-language';
import { type ReadDocument, type ReadOptions, getStem } from '../format';
import { createPictureReader } from '../latex/pictures';
import { listElements, joinText, type XmlElement, type XmlNode } from '../xml/xml';
import { parseXmlDocument } from '../xml/xml-document';
import { addPicture, addTable } from './floating';
import { readCode, isInline, findLanguage, readRuns } from './inline';
import { addRuns, addText, readProvenance, type Reading, resolution, textLabels } from './text';

/** Reads DocLang. Pages are 512 by 512, the unit of locations, because the format does not contain page sizes. */
export const read: ReadDocument = (bytes, options) =>
  readDoclang(bytes, options, options.related ? createPictureReader(options.related) : () => undefined);

/**
 * Reads DocLang. `imageAt` looks up pictures; the last argument gives number and size of the first page. Throws DOCUMENT_CORRUPT
 * for other XML.
 */
export function readDoclang(
  bytes: Uint8Array,
  options: Pick<ReadOptions, 'name' | 'limits'>,
  imageAt: Reading['imageAt'],
  { pageNo, width, height } = { pageNo: 1, width: resolution, height: resolution },
): DoclingDocument {
  const root = parseXmlDocument(bytes, options, { prefixes: {} });
  if (!/(?:^|:)doclang$/.test(root.name))
    throw new AppError('DOCUMENT_CORRUPT', `'${options.name}' is not DocLang: its root element is <${root.name}>.`);
  const builder = createDocument(getStem(options.name).replace(/\.dclg$/i, ''));
  const reading: Reading = { builder, page: pageNo, size: { width, height }, imageAt };
  addNodes(reading, root.children, builder.document.body);
  return builder.document;
}

function addNodes(reading: Reading, nodes: readonly XmlNode[], parent: NodeItem): void {
  for (const node of nodes) {
    if (typeof node !== 'string') addBlock(reading, node, parent);
    else if (node.trim() !== '') reading.builder.text('text', node.trim(), { parent });
  }
}

function addBlock(reading: Reading, element: XmlElement, parent: NodeItem): void {
  switch (element.name) {
    case 'page_break':
      reading.page += 1;
      return;
    case 'heading':
      return void addText(reading, element, parent);
    case 'list':
      return addList(reading, element, parent);
    case 'table':
    case 'index':
      return addTable(reading, element, parent, addNodes);
    case 'picture':
      return addPicture(reading, element, parent);
    case 'code':
      return addCode(reading, element, parent);
    case 'location':
      return;
    default:
      if (element.name in textLabels) addText(reading, element, parent);
      else addNodes(reading, element.children, parent);
  }
}

function addCode(reading: Reading, element: XmlElement, parent: NodeItem): void {
  const text = readCode(element);
  const language = toCodeLanguage(findLanguage(element));
  const item = reading.builder.code(text, { parent, language, ...readProvenance(reading, element, text) });
  for (const caption of listElements(element, 'caption')) {
    const added = addText(reading, caption, item);
    if (added) item.captions = [...(item.captions ?? []), { $ref: added.self_ref }];
  }
}

/** Adds a list, whose items begin at dividers (`ldiv`). Blocks inside an item become its children. */
function addList(reading: Reading, element: XmlElement, parent: NodeItem): void {
  const group = reading.builder.group('list', { parent });
  const enumerated = element.attributes['class'] === 'ordered';
  let divider: XmlElement | undefined;
  let content: XmlNode[] = [];
  let item: NodeItem = group;
  const finish = () => {
    if (divider) item = addItem(reading, { divider, content, enumerated }, group);
    else addText(reading, { name: 'text', attributes: {}, children: content }, item);
    content = [];
    divider = undefined;
  };
  for (const [index, node] of element.children.entries()) {
    if (typeof node !== 'string' && node.name === 'ldiv') {
      finish();
      divider = node;
    } else if (typeof node !== 'string' && node.name === 'page_break') reading.page += 1;
    else if (isInline(node) || isWithinLine(element.children, index)) content.push(node);
    else {
      finish();
      addBlock(reading, node as XmlElement, item);
    }
  }
  finish();
}

/** True for code within a line, which means that text of the same item follows it. */
function isWithinLine(nodes: readonly XmlNode[], index: number): boolean {
  const node = nodes[index];
  if (typeof node !== 'object' || node.name !== 'code') return false;
  let at = index + 1;
  for (let next = nodes[at]; typeof next === 'string' && next.trim() === ''; next = nodes[at]) at += 1;
  const next = nodes[at];
  return next !== undefined && isInline(next) && readRuns([next]).length > 0;
}

function addItem(
  reading: Reading,
  { divider, content, enumerated }: { divider: XmlElement; content: readonly XmlNode[]; enumerated: boolean },
  group: GroupItem,
): TextItem {
  const element = { name: 'list_item', attributes: {}, children: content };
  const runs = readRuns(content);
  const [first] = runs;
  const isPlain = runs.length === 1 && first?.kind === 'text';
  const text = isPlain ? first.text : '';
  const ownMarker = joinText(listElements(divider, 'marker')[0]).trim();
  const marker = ownMarker || (enumerated ? '' : '-');
  const styles = isPlain ? { formatting: first.formatting, hyperlink: first.hyperlink } : {};
  const place = readProvenance(reading, element, text);
  const item = reading.builder.listItem(text, { parent: group, enumerated, marker, ...styles, ...place });
  if (!isPlain && runs.length > 0) addRuns(reading, runs, item, readProvenance(reading, element, ''));
  return item;
}
