import { createDocument, type DocumentBuilder } from '../../../document/builder';
import type { ContentLayer, DoclingDocument, GroupItem, NodeItem, TextItem } from '../../../document/model';
import { nodeAt } from '../../../document/tree';
import { AppError } from '../../../model/errors';
import { type ReadOptions, stemOf } from '../../format';
import { createImages } from '../../ooxml/image';
import type { Zip } from '../../zip/zip';
import { isMessage, Message } from './message';
import { type IwaObject, type IwaObjects, readObjects } from './objects';
import { tableOf } from './table';
import { type IwaParagraph, paragraphsOf, type Run } from './text';
import { types } from './message-types';

interface Reading {
  builder: DocumentBuilder;
  name: string;
  objects: IwaObjects;
  image: ReturnType<typeof createImages>;
  /** Entry names of pictures by the number that drawables use. */
  data: Map<number, string>;
  /** Drawables that have been added. */
  seen: Set<number>;
  notes: number[];
}

/** The place where blocks are added: parent and layer. */
interface Place {
  parent?: NodeItem;
  layer?: ContentLayer;
  depth: number;
}

/** Drawables nested more deeply are skipped. */
const maxDepth = 10;

/** Reads a document of Pages 5 and later: its text with anchored objects, floating drawables, notes, margins, comments. */
export function readIwa(zip: Zip, { name, limits }: ReadOptions): DoclingDocument {
  const objects = readObjects(zip, name, limits);
  const document = [...objects.values()].find(({ type }) => type === types.document);
  const body = objects.get(document?.message.reference(4) ?? -1);
  if (!document || body?.type !== types.storage) {
    throw new AppError('DOCUMENT_CORRUPT', `'${name}' holds no text of a Pages document.`);
  }
  const builder = createDocument(stemOf(name));
  const image = createImages({ zip });
  const reading: Reading = { builder, name, objects, image, data: dataOf(zip, objects), seen: new Set(), notes: [] };
  addStorage(reading, body, { depth: 0 });
  const floating = objects.get(document.message.reference(20) ?? -1);
  for (const id of floating ? referencesIn(floating.message, objects, 0) : []) addDrawable(reading, id, { depth: 0 });
  addNotes(reading);
  addFurniture(reading, body);
  addComments(reading, body);
  return builder.document;
}

function dataOf(zip: Zip, objects: IwaObjects): Map<number, string> {
  const entries = new Map(zip.names.map((entry) => [entry.slice(entry.lastIndexOf('/') + 1), entry]));
  const data = new Map<number, string>();
  for (const { type, message } of objects.values()) {
    if (type !== types.packageMetadata) continue;
    for (const info of message.messages(4)) {
      const entry = entries.get(info.text(4) ?? '') ?? entries.get(info.text(3) ?? '');
      if (entry !== undefined) data.set(info.number(1) ?? -1, entry);
    }
  }
  return data;
}

/** Yields the drawables that a message references at any depth, in the order of the message. */
function* referencesIn(message: Message, objects: IwaObjects, depth: number): Generator<number> {
  if (depth > 6) return;
  for (const bytes of message.pieces()) {
    if (bytes.length === 0 || bytes.length > 1_000_000 || !isMessage(bytes)) continue;
    const inner = new Message(bytes);
    const id = inner.number(1);
    const found = id === undefined || bytes.length > 11 ? undefined : objects.get(id);
    if (found && isDrawable(found)) yield id!;
    else yield* referencesIn(inner, objects, depth + 1);
  }
}

function isDrawable({ type }: IwaObject): boolean {
  return type === types.tableInfo || type === types.image || type === types.shape || type === types.group;
}

function addStorage(reading: Reading, storage: IwaObject, place: Place): void {
  let lists: GroupItem[] = [];
  for (const paragraph of paragraphsOf(storage, reading.objects)) {
    reading.notes.push(...paragraph.notes);
    const isEmpty = paragraph.runs.every(({ text }) => text.trim() === '');
    if (isEmpty && paragraph.drawables.length > 0) lists = [];
    if (!isEmpty) lists = addParagraph(reading, paragraph, place, lists);
    for (const id of paragraph.drawables) addDrawable(reading, id, place);
  }
}

/** Adds a paragraph. Returns the lists that are open after it. */
function addParagraph(reading: Reading, paragraph: IwaParagraph, place: Place, lists: GroupItem[]): GroupItem[] {
  const { builder } = reading;
  const { parent, layer } = place;
  const base = { ...(parent ? { parent } : {}), ...(layer ? { layer } : {}) };
  const { list, styleName } = paragraph;
  const level = headingLevel(styleName);
  if (list && level === undefined) {
    const open = lists.slice(0, list.depth + 1);
    while (open.length <= list.depth) {
      const above = open.at(-1);
      const owner = above ? lastItem(builder, above) : undefined;
      open.push(builder.group('list', owner ? { ...base, parent: owner } : base));
    }
    const options = { ...base, parent: open.at(-1)!, enumerated: list.isNumbered, marker: list.marker };
    addRuns(reading, paragraph.runs, (text, style) => builder.listItem(text, { ...options, ...style }));
    return open;
  }
  addRuns(reading, paragraph.runs, (text, style) => {
    if (level === 0) return builder.text('title', text, { ...base, ...style });
    if (level !== undefined) return builder.heading(level, text, { ...base, ...style });
    return builder.text('text', text, { ...base, ...style });
  });
  return [];
}

function lastItem(builder: DocumentBuilder, list: GroupItem): NodeItem | undefined {
  const ref = list.children.at(-1)?.$ref;
  return ref === undefined ? undefined : nodeAt(builder.document, ref);
}

/** Returns 0 for the title. Templates in all languages seen so far use these style names. */
function headingLevel(styleName: string): number | undefined {
  if (/^title$/i.test(styleName)) return 0;
  if (/^(?:subtitle|heading)$/i.test(styleName)) return 1;
  const match = /^heading (\d)$/i.exec(styleName);
  return match ? Math.max(1, Number(match[1])) : undefined;
}

type Style = Pick<Run, 'formatting' | 'hyperlink'>;

/** Adds a single run as the item itself, several runs as an inline group below it. */
function addRuns(reading: Reading, runs: readonly Run[], add: (text: string, style: Style) => TextItem): void {
  const { builder } = reading;
  const filled = runs.filter(({ text }) => text.trim() !== '');
  const [only] = filled;
  if (filled.length === 1 && only) {
    add(only.text.trim(), only);
    return;
  }
  const owner = add('', { formatting: null, hyperlink: null });
  const group = builder.group('inline', { parent: owner, layer: owner.content_layer });
  for (const { text, formatting, hyperlink } of filled)
    builder.text('text', text.trim(), { parent: group, layer: owner.content_layer, formatting, hyperlink });
}

function addDrawable(reading: Reading, id: number, place: Place): void {
  const { builder, objects, seen } = reading;
  const drawable = objects.get(id);
  if (!drawable || seen.has(id) || place.depth > maxDepth) return;
  seen.add(id);
  const { message, type } = drawable;
  const { parent, layer } = place;
  const base = { ...(parent ? { parent } : {}), ...(layer ? { layer } : {}) };
  const below = { ...place, depth: place.depth + 1 };
  if (type === types.tableInfo) {
    const model = objects.get(message.reference(2) ?? -1);
    const data = model?.type === types.tableModel ? tableOf(model, objects, reading.name) : undefined;
    if (data) builder.table(data, base);
  } else if (type === types.image) {
    const entries = [15, 13, 11, 12].flatMap((field) => reading.data.get(message.reference(field) ?? -1) ?? []);
    const image = entries[0] === undefined ? undefined : reading.image(entries[0]);
    builder.picture({ ...base, ...(image ? { image } : {}) });
  } else if (type === types.shape) {
    const storage = objects.get(message.reference(2) ?? -1);
    if (storage?.type === types.storage) addStorage(reading, storage, below);
  } else if (type === types.group) {
    for (const child of message.references(2)) addDrawable(reading, child, below);
  }
}

function textOf(paragraphs: readonly IwaParagraph[]): string {
  return paragraphs
    .map(({ runs }) =>
      runs
        .map(({ text }) => text)
        .join('')
        .trim(),
    )
    .filter(Boolean)
    .join('\n');
}

/** Adds footnotes and endnotes after the text, in the order of their marks. */
function addNotes({ builder, notes, objects }: Reading): void {
  for (const id of new Set(notes)) {
    const storage = objects.get(objects.get(id)?.message.reference(2) ?? -1);
    const text = storage?.type === types.storage ? textOf(paragraphsOf(storage, objects)) : '';
    if (text !== '') builder.text('footnote', text);
  }
}

/** Adds headers and footers. First, even and odd pages have their own, usually with the same text, which is written once. */
function addFurniture({ builder, objects }: Reading, body: IwaObject): void {
  const masters = (body.message.message(17)?.messages(1) ?? []).flatMap((entry) => entry.reference(2) ?? []);
  const written = new Set<string>();
  for (const master of masters.map((id) => objects.get(id))) {
    if (master?.type !== types.pageMaster) continue;
    for (const margins of [23, 24, 25].map((field) => objects.get(master.message.reference(field) ?? -1))) {
      if (margins?.type !== types.headersAndFooters) continue;
      for (const [field, label] of [[1, 'page_header'] as const, [2, 'page_footer'] as const]) {
        for (const id of margins.message.references(field)) {
          const storage = objects.get(id);
          const text = storage?.type === types.storage ? textOf(paragraphsOf(storage, objects)) : '';
          if (text === '' || written.has(label + text)) continue;
          written.add(label + text);
          builder.text(label, text, { layer: 'furniture' });
        }
      }
    }
  }
}

/** Adds the comments on the text, each with its author if known. */
function addComments({ builder, objects }: Reading, body: IwaObject): void {
  const anchors = (body.message.message(23)?.messages(1) ?? []).flatMap((entry) => entry.reference(2) ?? []);
  for (const anchor of new Set(anchors)) {
    const field = objects.get(anchor);
    const comment = field?.type === types.commentField ? objects.get(field.message.reference(1) ?? -1) : undefined;
    const text = comment?.type === types.comment ? (comment.message.text(1)?.trim() ?? '') : '';
    if (text === '') continue;
    const author = objects.get(comment?.message.reference(3) ?? -1);
    const who = author?.type === types.author ? author.message.text(1) : undefined;
    const group = builder.group('comment_section', { name: `comment-${anchor}`, layer: 'notes' });
    builder.text('text', who ? `[author: ${who}]: ${text}` : text, { parent: group, layer: 'notes' });
  }
}
