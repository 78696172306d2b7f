import { createDocument, type DocumentBuilder } from '../../document/builder';
import type { GroupItem, NodeItem, TextItem } from '../../document/model';
import { toCodeLanguage } from '../code/code-language';
import { type ReadDocument, getStem } from '../format';
import { decodeText } from '../text/decode';
import { readTable } from './table';

/** An open list; `item` is its last item. */
interface List {
  marker: string;
  indent: number;
  group: GroupItem;
  item: TextItem;
}

/** The state of the reader between lines. */
interface Reading {
  builder: DocumentBuilder;
  name: string;
  lines: readonly string[];
  /** Index of the current line. */
  at: number;
  /** Lines of the current paragraph. */
  paragraph: string[];
  /** Title of the next block. */
  title: string;
  /** Lines that become the caption of a picture or table further down. */
  caption: string[];
  /** Index of the line up to which no picture or table follows that a title could belong to. */
  noOwnerBefore: number;
  /** Attributes of the next block, in brackets. */
  attributes: string;
  /** An attribute line to output after the block that follows it, as the reference does. */
  pendingAttributes: string;
  /** Open headings by level; the document title is the first. */
  parents: (NodeItem | undefined)[];
  lists: List[];
}

const heading = /^(={1,6}|#{1,6}) +(\S.*)$/;
const fence = /^(?:-{4,}|\.{4,}|\+{4,}|\/{4,}|={4,}|\*{4,}|_{4,}|--|```.*|[|,:!]===)$/;

/** Deeper lists are placed at this depth. */
const maxListDepth = 20;

/** Reads AsciiDoc. Includes, conditions and macros are not followed; attributes are not substituted. */
export const read: ReadDocument = (bytes, { name }) => {
  const builder = createDocument(getStem(name));
  const lines = decodeText(bytes, { name }).split('\n');
  const reading: Reading = {
    builder,
    name,
    lines,
    at: 0,
    paragraph: [],
    title: '',
    caption: [],
    noOwnerBefore: 0,
    attributes: '',
    pendingAttributes: '',
    parents: [],
    lists: [],
  };
  for (; reading.at < lines.length; reading.at++) readLine(reading, lines[reading.at]!.trimEnd());
  flush(reading);
  addTitleText(reading);
  addPendingAttributes(reading);
  return builder.document;
};

/** Reads one line; more if it opens a delimited block. */
function readLine(reading: Reading, line: string): void {
  const { builder } = reading;
  if (line === '') {
    flush(reading);
    addPendingAttributes(reading);
    // Items of an automatically numbered list may be separated. The reference ends every other list here.
    if (!/^\./.test(reading.lists[0]?.marker ?? '')) endLists(reading);
    return;
  }
  if (line.startsWith('//') && !line.startsWith('///')) return;
  if (readDelimited(reading, line)) return;
  const [, signs, head] = heading.exec(line) ?? [];
  if (signs !== undefined && head !== undefined) {
    flush(reading);
    endLists(reading);
    addHeading(reading, signs.length - 1, head.replace(/ =+$/, ''));
    return;
  }
  if (/^image::([^[\]\s]+)\[.*\]$/.test(line)) {
    flush(reading);
    // Pictures come after the text, as in the reference.
    builder.picture({ captions: takeCaption(reading) });
    clearBlock(reading);
    return;
  }
  if (/^\[[^[\]]*\]$/.test(line) && reading.paragraph.length === 0) {
    addAttributes(reading, line);
    return;
  }
  if (/^\[\[[^\]]*\]\]$/.test(line)) return;
  if (readCaption(reading, line)) return;
  if (/^\.[^\s.]/.test(line) && reading.paragraph.length === 0) {
    endLists(reading);
    addTitleText(reading);
    reading.title = line.slice(1).trim();
    return;
  }
  if (line === '+' && reading.lists.length > 0) {
    flush(reading);
    return;
  }
  if (!readItem(reading, line)) addText(reading, line);
}

/** Formats of tables between `,===` and `:===`. */
const tableFormats: Readonly<Record<string, string>> = { ',': ' format=csv', ':': ' format=dsv' };

/** Reads a block between two identical delimiter lines: a listing, literal, quote, table or comment. False for other lines. */
function readDelimited(reading: Reading, line: string): boolean {
  const { builder, lines, attributes } = reading;
  if (!fence.test(line)) return false;
  flush(reading);
  endDetachedLists(reading);
  // The content of examples, sidebars, quotes and open blocks is read like any other text.
  if (/^(?:={4,}|\*{4,}|_{4,}|--)$/.test(line)) {
    clearBlock(reading);
    return true;
  }
  const closing = line.startsWith('```') ? '```' : line;
  const from = reading.at + 1;
  let to = from;
  while (to < lines.length && lines[to]!.trimEnd() !== closing) to += 1;
  reading.at = to;
  const inner = lines.slice(from, to);
  const parent = findParent(reading);
  if (/^[|,:!]/.test(line)) {
    const format = tableFormats[line[0]!] ?? '';
    builder.table(readTable(inner, attributes + format, reading.name), { parent, captions: takeCaption(reading) });
  } else if (!line.startsWith('/')) {
    addTitleText(reading);
    const language =
      /^\[source\s*,\s*([^\],\s]+)/.exec(attributes)?.[1] ?? (line.startsWith('```') ? line.slice(3) : '');
    builder.code(inner.join('\n').trimEnd(), { parent, language: toCodeLanguage(language) });
  }
  clearBlock(reading);
  return true;
}

/**
 * A block title and everything after it except list items is the caption of the next picture or table, as in the reference. If
 * none follows in the section, the title is read as text.
 */
function readCaption(reading: Reading, line: string): boolean {
  const { caption, lists } = reading;
  if (caption.length > 0) {
    if (findItem(line)?.marker.startsWith('.') === false) return false;
    // A line directly after an item belongs to it.
    if (lists.length > 0) return false;
    caption.push(line.trim());
    return true;
  }
  if (!/^\.[^.]/.test(line) || reading.paragraph.length > 0 || !hasOwner(reading)) return false;
  endLists(reading);
  addTitleText(reading);
  caption.push(line.slice(1));
  return true;
}

/** True if a picture or table comes before the next heading and the next block of another kind. */
function hasOwner(reading: Reading): boolean {
  const { lines, at } = reading;
  if (at < reading.noOwnerBefore) return false;
  let next = at + 1;
  for (; next < lines.length; next++) {
    const line = lines[next]!.trimEnd();
    if (/^(?:image::[^[\]\s]+\[.*\]|[|,:!]===)$/.test(line)) return true;
    if (heading.test(line) || fence.test(line)) break;
  }
  reading.noOwnerBefore = next;
  return false;
}

/** Adds the collected caption, if there is one, and returns it for its picture or table. */
function takeCaption({ builder, caption }: Reading): TextItem[] {
  const text = caption.splice(0).join(' ');
  return text === '' ? [] : [builder.text('caption', text)];
}

function addHeading(reading: Reading, level: number, text: string): void {
  const { builder, parents } = reading;
  addTitleText(reading);
  const parent = level > 0 ? parents[level - 1] : undefined;
  const node = level === 0 ? builder.text('title', text) : builder.heading(level, text, { parent });
  reading.parents = parents.slice(0, level);
  reading.parents[level] = node;
}

/** Stores the attributes of the next block. Attributes that only control how it is read are not output. */
function addAttributes(reading: Reading, line: string): void {
  reading.attributes = line;
  if (/^\[(?:source|listing|quote|verse|NOTE|TIP|IMPORTANT|WARNING|CAUTION|abstract|\.|#|discrete)/.test(line)) return;
  if (reading.caption.length > 0) {
    reading.caption.push(line);
    return;
  }
  addPendingAttributes(reading);
  reading.pendingAttributes = line;
}

function addPendingAttributes(reading: Reading): void {
  if (reading.pendingAttributes !== '')
    reading.builder.text('paragraph', reading.pendingAttributes, { parent: findHeading(reading) });
  reading.pendingAttributes = '';
}

function readItem(reading: Reading, line: string): boolean {
  if (reading.paragraph.length > 0 && reading.lists.length === 0) return false;
  const item = findItem(line);
  if (!item) return false;
  flush(reading);
  addItem(reading, item);
  return true;
}

interface Item {
  /** Items with the same marker and indentation are in the same list. */
  marker: string;
  indent: number;
  text: string;
}

function findItem(line: string): Item | undefined {
  const [, blanks = '', sign, words = ''] = /^(\s*)(\*{1,5}|-|\.{1,5}|\d+\.|[a-z]\.)\s+(\S.*)$/.exec(line) ?? [];
  if (sign !== undefined) {
    return { marker: /^(?:\d+|[a-z])\.$/.test(sign) ? '1.' : sign, indent: blanks.length, text: words };
  }
  const [, indent = '', term, colons = '', described = ''] = /^(\s*)(\S.*?)(:{2,4}|;;)(?:\s+(\S.*))?$/.exec(line) ?? [];
  if (term === undefined || term.startsWith(':')) return undefined;
  return { marker: colons, indent: indent.length, text: `${term}: ${described}`.trim() };
}

function addItem(reading: Reading, { marker, indent, text }: Item): void {
  const { builder, lists } = reading;
  const open = lists.findIndex((list) => list.marker === marker && list.indent >= indent);
  if (open >= 0) lists.length = open + 1;
  else if (lists.length < maxListDepth) {
    addTitleText(reading);
    const parent = lists.at(-1)?.group ?? findHeading(reading);
    lists.push({ marker, indent, group: builder.group('list', { parent, name: 'list' }), item: undefined as never });
  }
  const list = lists.at(-1)!;
  const box = /^\[([ x*])\] +(.*)$/.exec(text);
  const enumerated = marker.startsWith('.') || marker === '1.';
  list.item = box
    ? builder.text(box[1] === ' ' ? 'checkbox_unselected' : 'checkbox_selected', box[2]!, { parent: list.group })
    : builder.listItem(text, { parent: list.group, enumerated, marker: '' });
}

/** Adds a line of text. A line directly after an item belongs to the item. */
function addText(reading: Reading, line: string): void {
  const item = reading.lists.at(-1)?.item;
  const lineBefore = (reading.lines[reading.at - 1] ?? '').trim();
  const isContinued = reading.paragraph.length === 0 && lineBefore !== '';
  if (item && isContinued && lineBefore !== '+') {
    item.text = item.orig = `${item.text} ${line.trim()}`;
    return;
  }
  if (item && lineBefore !== '+') endLists(reading);
  reading.paragraph.push(line.trim());
}

/** Ends the paragraph. */
function flush(reading: Reading): void {
  const { builder, paragraph } = reading;
  if (paragraph.length === 0) return;
  addTitleText(reading);
  builder.text('paragraph', paragraph.join(' '), { parent: findParent(reading) });
  reading.paragraph = [];
  clearBlock(reading);
}

/** A block title without a picture or table becomes a paragraph. */
function addTitleText(reading: Reading): void {
  if (reading.title !== '') reading.builder.text('paragraph', reading.title, { parent: findHeading(reading) });
  reading.title = '';
}

function clearBlock(reading: Reading): void {
  reading.title = '';
  reading.attributes = '';
}

function endLists(reading: Reading): void {
  reading.lists = [];
}

/** A block after an empty line does not belong to a list item, unless a `+` before it attaches it. */
function endDetachedLists(reading: Reading): void {
  let before = reading.at - 1;
  while (before >= 0 && /^(?:\[.*\]|\.[^\s.].*)$/.test(reading.lines[before]!.trimEnd())) before -= 1;
  if ((reading.lines[before] ?? '').trim() === '') endLists(reading);
}

function findHeading({ parents }: Reading): NodeItem | undefined {
  return parents.findLast((node) => node !== undefined);
}

/** A block attached with `+` becomes a child of the item. */
function findParent(reading: Reading): NodeItem | undefined {
  return reading.lists.at(-1)?.item ?? findHeading(reading);
}
