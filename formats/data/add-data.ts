import type { DocumentBuilder } from '../../document/builder';
import type { GroupItem, NodeItem } from '../../document/model';
import { buildListTable, buildMapTable } from './alike';
import { countLeaves, type Data, type DataList, type DataMap, findInlineText } from './data';

/** Deeper members become items of nested lists: Markdown has no headings below this level. */
const deepestHeading = 5;
/** Maps with fewer values are items below their key; larger maps have a heading. */
const minSectionLeaves = 8;
/** Members whose value names the enclosing map; the first that is present counts. */
const namingKeys = ['name', 'title', 'label', 'displayName', 'id', '@id', 'key', 'path', 'type'];

/**
 * Adds data in readable form: single values as list items with their key, maps and lists of similar maps as tables, other data
 * as sections with headings. Single values come before sections, since everything after a heading belongs to it.
 */
export function addData(builder: DocumentBuilder, data: Data, { name = 'item', level = 1 } = {}): void {
  if (typeof data === 'string') addText(builder, data);
  else if (data.kind === 'map') addMap(builder, data, { name, level });
  else addList(builder, data, { name, level });
}

interface Place {
  /** Key of the data, which gives its items their name. */
  name: string;
  /** Level of headings below it. */
  level: number;
}

function addMap(builder: DocumentBuilder, map: DataMap, { name, level }: Place): void {
  const table = map.entries.length < 3 ? undefined : buildMapTable(map.entries.map(([key, data]) => ({ key, data })));
  if (table) {
    builder.table(table);
    return;
  }
  const sections: [string, Data][] = [];
  let list: GroupItem | undefined;
  for (const [key, value] of map.entries) {
    if (key === '' && findInlineText(value) === undefined) addData(builder, value, { name, level });
    else if (level <= deepestHeading && isSection(value)) sections.push([key, value]);
    else addItem(builder, (list ??= builder.group('list')), { key, value });
  }
  for (const [key, value] of sections) {
    builder.heading(level, key);
    addData(builder, value, { name: key, level: level + 1 });
  }
}

function isSection(value: Data): boolean {
  if (findInlineText(value) !== undefined) return false;
  return typeof value === 'string' || countLeaves(value, minSectionLeaves) >= minSectionLeaves || hasLongText(value);
}

function hasLongText(value: Data): boolean {
  if (typeof value === 'string') return findInlineText(value) === undefined;
  return value.kind === 'list' ? value.items.some(hasLongText) : value.entries.some(([, inner]) => hasLongText(inner));
}

function addList(builder: DocumentBuilder, { items }: DataList, { name, level }: Place): void {
  const [only] = items;
  if (items.length === 1 && typeof only === 'object') return addData(builder, only, { name, level });
  const table = buildMapTable(items.map((data) => ({ data }))) ?? buildListTable(items);
  if (table) {
    builder.table(table);
    return;
  }
  let list: GroupItem | undefined;
  for (const [index, item] of items.entries()) {
    if (level > deepestHeading || findInlineText(item) !== undefined) {
      addItem(builder, (list ??= builder.group('list')), { value: item });
      continue;
    }
    list = undefined;
    if (typeof item === 'string') addText(builder, item);
    else {
      const { title, others } = splitTitle(item);
      builder.heading(level, title ?? `${name} ${index + 1}`);
      addData(builder, others, { name, level: level + 1 });
    }
  }
}

const maxTitleLength = 120;

/** Separates the member that names a map from the others. */
function splitTitle(data: DataMap | DataList): { title?: string; others: Data } {
  if (data.kind === 'list') return { others: data };
  for (const namingKey of namingKeys) {
    const titleEntry = data.entries.find(([key]) => key === namingKey);
    const title = titleEntry?.[1];
    if (typeof title === 'string' && title !== '' && title.length <= maxTitleLength && !title.includes('\n'))
      return { title, others: { kind: 'map', entries: data.entries.filter((entry) => entry !== titleEntry) } };
  }
  return { others: data };
}

/** Adds one member as a list item, with its own members as items below it. */
function addItem(builder: DocumentBuilder, list: GroupItem, { key, value }: { key?: string; value: Data }): void {
  const inline = typeof value === 'string' ? value : findInlineText(value);
  if (inline !== undefined) {
    builder.listItem([key, inline].filter(Boolean).join(': '), { parent: list });
    return;
  }
  const inner = typeof value === 'string' ? [] : listEntries(value);
  // A list item without its own key begins with its first member.
  const [first] = inner;
  if (key === undefined && first?.key !== undefined && inner.length === 1) return addItem(builder, list, first);
  const leads = key === undefined && first !== undefined && findInlineText(first.value) !== undefined;
  const head = leads ? [first.key, findInlineText(first.value)].filter(Boolean).join(': ') : (key ?? '');
  const item: NodeItem = builder.listItem(head, { parent: list });
  const below = leads ? inner.slice(1) : inner;
  if (below.length === 0) return;
  const group = builder.group('list', { parent: item });
  for (const member of below) addItem(builder, group, member);
}

function listEntries(value: DataMap | DataList): { key?: string; value: Data }[] {
  if (value.kind === 'list') return value.items.map((item) => ({ value: item }));
  return value.entries.map(([key, inner]) => ({ key, value: inner }));
}

/** Adds the paragraphs of a long text, split as in plain text. */
function addText(builder: DocumentBuilder, text: string): void {
  for (const paragraph of text.split(/\n(?:[ \t]*\n)+/)) {
    const trimmed = paragraph.replace(/^\n+|\s+$/g, '');
    if (trimmed.trim() !== '') builder.text('text', trimmed);
  }
}
