import { createDocument, type DocumentBuilder } from '../../document/builder';
import type { GroupItem, NodeItem, TextItem } from '../../document/model';
import { codeLanguage } from '../code-language';
import { type ReadDocument, stemOf } from '../format';
import { decodeText } from '../text/decode';
import { tableOf } from './table';

interface List {
  marker: string;
  group: GroupItem;
  item: TextItem;
}

interface Reading {
  builder: DocumentBuilder;
  name: string;
  lines: readonly string[];
  at: number;
  /** Lines of the paragraph that is being read. */
  paragraph: string[];
  /** Title of the next block. */
  title: string;
  /** Attributes of the next block, in brackets. */
  attributes: string;
  /** A line of attributes that is shown after the block which it stands before, where the reference shows it. */
  shown: string;
  /** Headings that are open, by level; the title of the document is the first. */
  parents: (NodeItem | undefined)[];
  lists: List[];
}

/** Deeper lists count as of this depth. */
const maxListDepth = 20;

/** Includes, conditions and macros are not followed; attributes are not replaced. */
export const read: ReadDocument = (bytes, { name }) => {
  const builder = createDocument(stemOf(name));
  const lines = decodeText(bytes, { name }).split('\n');
  const reading: Reading = {
    builder,
    name,
    lines,
    at: 0,
    paragraph: [],
    title: '',
    attributes: '',
    shown: '',
    parents: [],
    lists: [],
  };
  for (; reading.at < lines.length; reading.at++) readLine(reading, lines[reading.at]!.trimEnd());
  flush(reading);
  addTitleText(reading);
  addShown(reading);
  return builder.document;
};

function readLine(reading: Reading, line: string): void {
  const { builder } = reading;
  if (line === '') {
    flush(reading);
    addShown(reading);
    return;
  }
  if (line.startsWith('//') && !line.startsWith('///')) return;
  if (readDelimited(reading, line)) return;
  const heading = /^(={1,6}|#{1,6}) +(\S.*)$/.exec(line);
  if (heading) {
    flush(reading);
    endLists(reading);
    addHeading(reading, heading[1]!.length - 1, heading[2]!.replace(/ =+$/, ''));
    return;
  }
  const image = /^image::([^[\]\s]+)\[([^\]]*)\]$/.exec(line);
  if (image) {
    flush(reading);
    endDetachedLists(reading);
    const caption = reading.title;
    const captions = caption === '' ? [] : [builder.text('caption', caption, { parent: parentOf(reading) })];
    builder.picture({ parent: parentOf(reading), captions });
    clearBlock(reading);
    return;
  }
  if (/^\[[^[\]]*\]$/.test(line) && reading.paragraph.length === 0) {
    addAttributes(reading, line);
    return;
  }
  if (/^\[\[[^\]]*\]\]$/.test(line)) return;
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

/** Listings, literals, quotes, tables and comments between two lines of the same signs. */
function readDelimited(reading: Reading, line: string): boolean {
  const { builder, lines, attributes } = reading;
  if (!/^(?:-{4,}|\.{4,}|\+{4,}|\/{4,}|={4,}|\*{4,}|_{4,}|--|```.*|[|,:!]===)$/.test(line)) return false;
  flush(reading);
  endDetachedLists(reading);
  // What stands in examples, sidebars, quotes and open blocks is read like any other text.
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
  const parent = parentOf(reading);
  if (/^[|,:!]/.test(line)) {
    const captions = reading.title === '' ? [] : [builder.text('caption', reading.title, { parent })];
    builder.table(tableOf(inner, attributes, reading.name), { parent, captions });
  } else if (!line.startsWith('/')) {
    addTitleText(reading);
    const language =
      /^\[source\s*,\s*([^\],\s]+)/.exec(attributes)?.[1] ?? (line.startsWith('```') ? line.slice(3) : '');
    builder.code(inner.join('\n').trimEnd(), { parent, language: codeLanguage(language) });
  }
  clearBlock(reading);
  return true;
}

function addHeading(reading: Reading, level: number, text: string): void {
  const { builder, parents } = reading;
  addTitleText(reading);
  const parent = parents.slice(0, level).findLast((node) => node !== undefined);
  const node = level === 0 ? builder.text('title', text) : builder.heading(level, text, { parent });
  reading.parents = parents.slice(0, level);
  reading.parents[level] = node;
}

/** Attributes of the next block; those that say how it is read are not shown. */
function addAttributes(reading: Reading, line: string): void {
  reading.attributes = line;
  if (/^\[(?:source|listing|quote|verse|NOTE|TIP|IMPORTANT|WARNING|CAUTION|abstract|\.|#|discrete)/.test(line)) return;
  addShown(reading);
  reading.shown = line;
}

function addShown(reading: Reading): void {
  if (reading.shown !== '') reading.builder.text('paragraph', reading.shown, { parent: headingOf(reading) });
  reading.shown = '';
}

function readItem(reading: Reading, line: string): boolean {
  if (reading.paragraph.length > 0 && reading.lists.length === 0) return false;
  const found = /^\s*(\*{1,5}|-|\.{1,5}|\d+\.|[a-z]\.)\s+(\S.*)$/.exec(line);
  if (found) {
    flush(reading);
    const sign = /^(?:\d+|[a-z])\.$/.test(found[1]!) ? '1.' : found[1]!;
    addItem(reading, sign, found[2]!);
    return true;
  }
  const described = /^\s*(\S.*?)(:{2,4}|;;)(?:\s+(\S.*))?$/.exec(line);
  if (!described || described[1]!.startsWith(':')) return false;
  flush(reading);
  addItem(reading, described[2]!, [`${described[1]!}:`, described[3] ?? ''].join(' ').trim());
  return true;
}

function addItem(reading: Reading, marker: string, text: string): void {
  const { builder, lists } = reading;
  const open = lists.findIndex((list) => list.marker === marker);
  if (open >= 0) lists.length = open + 1;
  else if (lists.length < maxListDepth) {
    addTitleText(reading);
    const parent = lists.at(-1)?.item ?? headingOf(reading);
    lists.push({ marker, group: builder.group('list', { parent }), item: undefined as never });
  }
  const list = lists.at(-1)!;
  const box = /^\[([ x*])\] +(.*)$/.exec(text);
  const enumerated = marker.startsWith('.') || marker === '1.';
  list.item = box
    ? builder.text(box[1] === ' ' ? 'checkbox_unselected' : 'checkbox_selected', box[2]!, { parent: list.group })
    : builder.listItem(text, { parent: list.group, enumerated, marker: '' });
}

/** Lines that follow an item without an empty one belong to it. */
function addText(reading: Reading, line: string): void {
  const item = reading.lists.at(-1)?.item;
  const isContinued = reading.paragraph.length === 0 && (reading.lines[reading.at - 1] ?? '').trim() !== '';
  if (item && isContinued && (reading.lines[reading.at - 1] ?? '').trim() !== '+') {
    item.text = item.orig = `${item.text} ${line.trim()}`;
    return;
  }
  if (item && (reading.lines[reading.at - 1] ?? '').trim() !== '+') endLists(reading);
  reading.paragraph.push(line.trim());
}

/** Ends the paragraph. */
function flush(reading: Reading): void {
  const { builder, paragraph } = reading;
  if (paragraph.length === 0) return;
  addTitleText(reading);
  builder.text('paragraph', paragraph.join(' '), { parent: parentOf(reading) });
  reading.paragraph = [];
  clearBlock(reading);
}

/** A block title that no picture or table takes is a paragraph of its own. */
function addTitleText(reading: Reading): void {
  if (reading.title !== '') reading.builder.text('paragraph', reading.title, { parent: headingOf(reading) });
  reading.title = '';
}

function clearBlock(reading: Reading): void {
  reading.title = '';
  reading.attributes = '';
}

function endLists(reading: Reading): void {
  reading.lists = [];
}

/** A block after an empty line belongs to no list item; `+` before it attaches it. */
function endDetachedLists(reading: Reading): void {
  let before = reading.at - 1;
  while (before >= 0 && /^(?:\[.*\]|\.[^\s.].*)$/.test(reading.lines[before]!.trimEnd())) before -= 1;
  if ((reading.lines[before] ?? '').trim() === '') endLists(reading);
}

function headingOf({ parents }: Reading): NodeItem | undefined {
  return parents.findLast((node) => node !== undefined);
}

/** What is attached to an item by `+` goes under it. */
function parentOf(reading: Reading): NodeItem | undefined {
  return reading.lists.at(-1)?.item ?? headingOf(reading);
}
