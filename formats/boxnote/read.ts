import { createDocument, type DocumentBuilder } from '../../document/builder';
import { maxGridPlaces, tableCell } from '../../document/grid';
import type { Formatting, GroupItem, NodeItem, TableCell } from '../../document/model';
import { AppError } from '../../model/errors';
import { type ReadDocument, getStem } from '../format';
import { normaliseLink } from '../html/link';
import { decodeText } from '../text/decode';

/** A node of the editor's document. Unknown marks and attributes are ignored. */
interface NoteNode {
  type: string;
  text?: string;
  attrs: Record<string, unknown>;
  marks: { type: string; attrs: Record<string, unknown> }[];
  content: NoteNode[];
}

interface Run {
  text: string;
  formatting: Formatting | null;
  hyperlink: string | null;
}

interface Note {
  builder: DocumentBuilder;
  name: string;
}

/** Reads the blocks of the note in order. Notes from before 2022 contain no such document and are rejected. */
export const read: ReadDocument = (bytes, { name, limits }) => {
  const builder = createDocument(getStem(name));
  const root = parseNode((parse(decodeText(bytes, { name }), name) as { doc?: unknown }).doc, limits.maxDepth, name);
  if (!root) {
    throw new AppError(
      'DOCUMENT_CORRUPT',
      `'${name}' has no document of the Box Notes editor: expected the key 'doc' with an object of type 'doc'.`,
    );
  }
  for (const node of root.content) addBlock({ builder, name }, node, builder.document.body);
  return builder.document;
};

function parse(text: string, name: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch (error) {
    throw new AppError('DOCUMENT_CORRUPT', `'${name}' is not a Box Note: it is not JSON.`, {}, error);
  }
}

/** Checks the JSON of a node and of those inside it; undefined if the value is not a node. */
function parseNode(value: unknown, depth: number, name: string): NoteNode | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth <= 0) throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' nests blocks too deeply.`);
  const { type, text, attrs, marks, content } = value as Record<string, unknown>;
  if (typeof type !== 'string') return undefined;
  return {
    type,
    ...(typeof text === 'string' ? { text } : {}),
    attrs: toRecord(attrs),
    marks: (Array.isArray(marks) ? marks : []).map((mark: unknown) => {
      const { type: kind, attrs: attributes } = toRecord(mark);
      return { type: String(kind), attrs: toRecord(attributes) };
    }),
    content: (Array.isArray(content) ? content : []).flatMap((inner) => parseNode(inner, depth - 1, name) ?? []),
  };
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function addBlock(note: Note, node: NoteNode, parent: NodeItem): void {
  const { builder } = note;
  switch (node.type) {
    case 'heading':
      addHeading(note, node, parent);
      break;
    case 'paragraph':
      addRuns(note, listRuns(node), parent);
      break;
    case 'bullet_list':
    case 'ordered_list':
    case 'check_list':
      addList(note, node, parent);
      break;
    case 'code_block':
      builder.code(readText(node), { parent });
      break;
    case 'table':
      addTable(note, node, parent);
      break;
    case 'image':
      addImage(note, node, parent);
      break;
    case 'horizontal_rule':
      break;
    default:
      // Quotes, call-outs and all other containers of blocks.
      if (node.text === undefined) for (const inner of node.content) addBlock(note, inner, parent);
      else addRuns(note, listRuns({ ...node, content: [node] }), parent);
  }
}

function addHeading({ builder }: Note, node: NoteNode, parent: NodeItem): void {
  const text = readText(node).trim();
  const level = Number(node.attrs['level'] ?? 1);
  if (text === '') return;
  if (level <= 1) builder.text('title', text, { parent });
  else builder.heading(level - 1, text, { parent });
}

/** Formatting by mark. */
const formattings: Record<string, Partial<Formatting>> = {
  strong: { bold: true },
  em: { italic: true },
  underline: { underline: true },
  strikethrough: { strikethrough: true },
  superscript: { script: 'super' },
  subscript: { script: 'sub' },
};

function listRuns({ content }: NoteNode): Run[] {
  const runs: Run[] = [];
  for (const node of content) {
    const text = node.type === 'hard_break' ? '\n' : (node.text ?? readText(node));
    let formatting: Formatting | null = null;
    let hyperlink: string | null = null;
    for (const { type, attrs } of node.marks) {
      const marked = formattings[type];
      if (marked) formatting = { ...(formatting ?? plain), ...marked };
      if (type === 'link' && typeof attrs['href'] === 'string') hyperlink = normaliseLink(attrs['href']);
    }
    const last = runs.at(-1);
    const isSame =
      last && last.hyperlink === hyperlink && JSON.stringify(last.formatting) === JSON.stringify(formatting);
    if (isSame) last.text += text;
    else runs.push({ text, formatting, hyperlink });
  }
  return runs.filter(({ text }) => text.trim() !== '');
}

const plain: Formatting = {
  bold: false,
  italic: false,
  underline: false,
  strikethrough: false,
  script: 'baseline',
};

function addRuns({ builder }: Note, runs: readonly Run[], parent: NodeItem): void {
  const owner = runs.length > 1 ? builder.group('inline', { parent }) : parent;
  for (const { text, formatting, hyperlink } of runs) {
    builder.text('text', text, { parent: owner, formatting, hyperlink });
  }
}

/** The first paragraph is the text of the item; all other blocks become its children. */
function addList(note: Note, list: NoteNode, parent: NodeItem): void {
  const { builder } = note;
  const group = builder.group('list', { parent });
  for (const item of list.content) {
    const [first] = item.content;
    const paragraph = first?.type === 'paragraph' ? first : undefined;
    const text = paragraph ? readText(paragraph).trim() : '';
    const runs = paragraph ? listRuns(paragraph) : [];
    const isLinked = runs.length > 1 && runs.some(({ hyperlink }) => hyperlink !== null);
    const added = addItem(note, { list, item, group }, isLinked ? {} : { ...(runs.length === 1 ? runs[0] : {}), text });
    if (isLinked) addRuns(note, runs, added);
    for (const inner of item.content.slice(paragraph ? 1 : 0)) addBlock(note, inner, added);
  }
}

interface ListEntry {
  list: NoteNode;
  item: NoteNode;
  group: GroupItem;
}

/** An item with a single run has the style and link of the run. */
function addItem({ builder }: Note, { list, item, group }: ListEntry, { text, ...style }: Partial<Run>): NodeItem {
  const options = { parent: group, hyperlink: style.hyperlink, formatting: style.formatting };
  if (list.type === 'check_list') {
    const label = item.attrs['checked'] === true ? 'checkbox_selected' : 'checkbox_unselected';
    return builder.text(label, text ?? '', options);
  }
  return builder.listItem(text ?? '', { ...options, enumerated: list.type === 'ordered_list', marker: '' });
}

function addImage({ builder }: Note, { attrs }: NoteNode, parent: NodeItem): void {
  const names = [attrs['alt'], attrs['fileName']].filter((text) => typeof text === 'string');
  const caption = names.find((text) => text.trim() !== '');
  const captions = caption === undefined ? [] : [builder.text('caption', caption, { parent })];
  builder.picture({ parent, captions });
}

function addTable(note: Note, table: NoteNode, parent: NodeItem): void {
  const cells: TableCell[] = [];
  const data = { table_cells: cells, num_rows: table.content.length, num_cols: 0 };
  const item = note.builder.table(data, { parent });
  const freeFrom: number[] = [];
  let places = 0;
  for (const [row, { content }] of table.content.entries()) {
    let column = 0;
    for (const node of content) {
      while ((freeFrom[column] ?? 0) > row) column += 1;
      const columns = parseSpan(node.attrs['colspan'], 1000);
      const rows = parseSpan(node.attrs['rowspan'], table.content.length - row);
      places += columns * rows;
      if (places > maxGridPlaces) {
        throw new AppError('DOCUMENT_TOO_LARGE', `A table of '${note.name}' has more than ${maxGridPlaces} places.`);
      }
      for (let at = column; at < column + columns; at++) freeFrom[at] = row + rows;
      const text = node.content.map(readText).join(' ').trim();
      const cell = tableCell(row, column, text, {
        row_span: rows,
        col_span: columns,
        column_header: node.type === 'table_header',
      });
      if (isRich(node)) {
        const group = note.builder.group('unspecified', { parent: item, name: 'table_cell' });
        for (const inner of node.content) addBlock(note, inner, group);
        if (group.children.length > 0) cell.ref = { $ref: group.self_ref };
      }
      cells.push(cell);
      column += columns;
    }
  }
  data.num_cols = freeFrom.length;
}

function parseSpan(value: unknown, max: number): number {
  return Math.min(Math.max(Math.trunc(Number(value ?? 1)) || 1, 1), max);
}

/** True if plain text would lose content. */
function isRich({ content }: NoteNode): boolean {
  return content.length > 1 || content.some((block) => block.type !== 'paragraph' || isMarked(block));
}

function isMarked({ content }: NoteNode): boolean {
  return content.some((run) => run.marks.some(({ type }) => type === 'link' || formattings[type] !== undefined));
}

function readText(node: NoteNode): string {
  if (node.type === 'hard_break') return '\n';
  return node.text ?? node.content.map(readText).join('');
}
