import { createDocument, type DocumentBuilder, type Placement } from '../../document/builder';
import type { DoclingDocument, GroupItem, NodeItem, TextItem } from '../../document/model';
import { toCodeLanguage } from '../code/code-language';
import { addKeyValues, addPicture, addTable } from './floating';
import { addCaption, type DoctagsPage, readProvenance, type Reading, listTags, readText } from './places';
import { parseTags, type Tag } from './tags';

/**
 * Reads DocTags. A page break moves to the next of the given pages. Boxes are relative to the top left of the page. An element
 * without locations gets the whole page; without pages no element has a position. Never throws for model output.
 */
export function readDoctags(
  source: string,
  { name, pages }: { name: string; pages: readonly DoctagsPage[] },
): DoclingDocument {
  const builder = createDocument(name);
  for (const { pageNo, width, height } of pages) builder.page(pageNo, width, height);
  const reading: Reading = { builder, pages, at: 0, before: '' };
  addContent(reading, parseTags(removeFence(source)), builder.document.body);
  return builder.document;
}

/** Removes a code fence, which models like to put around their answer. */
function removeFence(source: string): string {
  const fenced = /^\s*```\w*\s*\n([^]*?)(?:\n```\s*)?$/.exec(source);
  return fenced?.[1] ?? source;
}

function addContent(reading: Reading, { content }: Tag, parent: NodeItem): void {
  let list: GroupItem | undefined;
  for (const part of content) {
    if (typeof part === 'string') {
      for (const text of part.split(/\n[ \t]*\n/)) addLooseText(reading, text, parent);
      continue;
    }
    if (part.name === 'page_break') {
      reading.at = Math.min(reading.at + 1, Math.max(0, reading.pages.length - 1));
      continue;
    }
    if (isRepeated(reading, part)) continue;
    // Items without a list tag form one list.
    if (part.name !== 'list_item') list = undefined;
    else list ??= reading.builder.group('list', { parent });
    if (list) addItem(reading, part, list, false);
    else addBlock(reading, part, parent);
  }
}

/** Adds text outside any element. */
function addLooseText(reading: Reading, text: string, parent: NodeItem): void {
  const trimmed = text.trim();
  if (trimmed === '') return;
  reading.builder.text('text', trimmed, { parent, ...readProvenance(reading, undefined, trimmed) });
}

/** True if the previous element is repeated at the same location. Without locations the repetition may be intended. */
function isRepeated(reading: Reading, tag: Tag): boolean {
  const written = tag.places.length < 4 ? '' : JSON.stringify(tag);
  const isSame = written !== '' && written === reading.before;
  reading.before = written;
  return isSame;
}

function addBlock(reading: Reading, tag: Tag, parent: NodeItem): void {
  switch (tag.name) {
    case 'unordered_list':
    case 'ordered_list':
      return addList(reading, tag, parent);
    case 'otsl':
    case 'document_index':
      return addTable(reading, tag, parent);
    case 'picture':
    case 'chart':
      return addPicture(reading, tag, parent);
    case 'inline':
      return addInline(reading, tag, parent, tag);
    case 'key_value_region':
      return addKeyValues(reading, tag, parent);
    case 'code':
      return addCode(reading, tag, parent);
    default:
      return isContainer(tag) ? addContent(reading, tag, parent) : addText(reading, tag, parent);
  }
}

function isContainer({ name }: Tag): boolean {
  return name === 'doctag' || name === 'document' || name === 'group' || name === 'form';
}

/** Elements that are named like the labels of their items. */
const labels = [
  'caption',
  'footnote',
  'paragraph',
  'reference',
  'formula',
  'handwritten_text',
  'title',
  'checkbox_selected',
  'checkbox_unselected',
  'page_header',
  'page_footer',
] as const;

function addText(reading: Reading, tag: Tag, parent: NodeItem, around?: Tag): void {
  const { builder } = reading;
  const inline = tag.content.find((part): part is Tag => typeof part !== 'string' && part.name === 'inline');
  const text = inline ? '' : readText(tag).trim();
  // A formula that was detected but not decoded is kept for its position.
  const isUnread = tag.name === 'formula' && tag.places.length >= 4;
  if (text === '' && !inline && !isUnread) return;
  const options = { parent, ...readProvenance(reading, around ?? tag, inline ? readText(inline) : text) };
  const item = addTextItem(builder, tag, text, options);
  if (inline) addInline(reading, inline, item, tag);
}

function addTextItem(builder: DocumentBuilder, { name }: Tag, text: string, options: Placement): TextItem {
  if (name.startsWith('section_header')) return builder.heading(Number(/\d+$/.exec(name)?.[0] ?? 1), text, options);
  const label = labels.find((known) => known === name) ?? 'text';
  const isFurniture = label === 'page_header' || label === 'page_footer';
  return builder.text(label, text, { ...options, ...(isFurniture ? { layer: 'furniture' as const } : {}) });
}

/** Adds the runs of a line. A run without locations gets those of the enclosing element. */
function addInline(reading: Reading, tag: Tag, parent: NodeItem, around: Tag): void {
  const group = reading.builder.group('inline', { parent });
  const place = tag.places.length > 0 ? tag : around;
  for (const part of tag.content) {
    if (typeof part !== 'string') {
      if (part.name === 'code') addCode(reading, part, group, place);
      else addText(reading, part, group, place);
    } else if (part.trim() !== '')
      reading.builder.text('text', part.trim(), { parent: group, ...readProvenance(reading, place, part.trim()) });
  }
}

function addCode(reading: Reading, tag: Tag, parent: NodeItem, around?: Tag): void {
  const mark = tag.content.find((part): part is Tag => typeof part !== 'string' && /^_.+_$/.test(part.name));
  const text = readText(tag).replace(/^[ \t]*\n|\s+$/g, '');
  if (text === '') return;
  const language = toCodeLanguage(mark?.name.slice(1, -1));
  const item = reading.builder.code(text, { parent, language, ...readProvenance(reading, around ?? tag, text) });
  for (const caption of listTags(tag, 'caption')) {
    const added = addCaption(reading, caption, tag, item);
    if (added) item.captions = [...(item.captions ?? []), { $ref: added.self_ref }];
  }
}

function addList(reading: Reading, tag: Tag, parent: NodeItem): void {
  const group = reading.builder.group('list', { parent });
  const isOrdered = tag.name === 'ordered_list';
  for (const part of tag.content) {
    if (typeof part !== 'string') {
      if (isRepeated(reading, part)) continue;
      if (part.name === 'list_item') addItem(reading, part, group, isOrdered);
      else addBlock(reading, part, findLastItem(reading, group) ?? group);
    } else if (part.trim() !== '')
      addItem(reading, { name: 'list_item', places: [], content: [part] }, group, isOrdered);
  }
}

/** Adds an item. An item that contains only a list continues the item before it. */
function addItem(reading: Reading, tag: Tag, group: GroupItem, enumerated: boolean): void {
  const { builder } = reading;
  const isList = (part: Tag | string): part is Tag => typeof part !== 'string' && part.name.endsWith('ordered_list');
  const inline = listTags(tag, 'inline')[0];
  const written = inline ? '' : readText({ ...tag, content: tag.content.filter((part) => !isList(part)) }).trim();
  const isItem = written !== '' || inline !== undefined;
  if (isItem) {
    const { marker, text } = splitMarker(written, enumerated);
    const expectedMarker = enumerated ? `${group.children.length + 1}.` : '-';
    const place = readProvenance(reading, tag, inline ? readText(inline) : text);
    const item = builder.listItem(text, {
      parent: group,
      enumerated,
      marker: marker ?? expectedMarker,
      orig: written,
      ...place,
    });
    if (inline) addInline(reading, inline, item, tag);
  }
  for (const list of tag.content.filter(isList)) addList(reading, list, findLastItem(reading, group) ?? group);
}

/** Separates the bullet or number that models repeat in the text of an item, although the kind of list implies it. */
function splitMarker(written: string, enumerated: boolean): { marker?: string; text: string } {
  const sign = enumerated ? /^(\(?(?:\d{1,3}|[a-z]|[ivx]{2,5})[.)])\s+(?=\S)/i : /^([•·▪◦‣●○■–])\s+(?=\S)/;
  const [whole, marker] = sign.exec(written) ?? [];
  if (whole === undefined || marker === undefined) return { text: written };
  return { ...(enumerated ? { marker } : {}), text: written.slice(whole.length) };
}

function findLastItem({ builder }: Reading, { children }: GroupItem): TextItem | undefined {
  const ref = children.at(-1)?.$ref;
  return ref?.startsWith('#/texts/') ? builder.document.texts[Number(ref.slice(8))] : undefined;
}
