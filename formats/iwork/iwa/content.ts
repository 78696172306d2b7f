import { createDocument, type DocumentBuilder } from '../../../document/builder';
import type { ContentLayer, GroupItem, NodeItem, TextItem } from '../../../document/model';
import { nodeAt } from '../../../document/tree';
import { addAll } from '../../../model/lists/add-all';
import type { RecordOmission } from '../../coverage';
import { type ReadOptions, getStem } from '../../format';
import { describeChart } from '../../ooxml/chart';
import { createImages } from '../../ooxml/image';
import type { Zip } from '../../zip/zip';
import { findChart } from './chart';
import { addComment } from './comments';
import { findBox, findDrawable, type IwaPage, createProvenance } from './geometry';
import { placeholder, types } from './message-types';
import { type IwaObject, type IwaObjects, readObjects } from './objects';
import { findTable } from './table';
import { type IwaParagraph, listParagraphs, type Run } from './text';

/** A document that is being read. */
export interface IwaReading {
  builder: DocumentBuilder;
  name: string;
  objects: IwaObjects;
  image: ReturnType<typeof createImages>;
  /** Entry names of pictures by the number that drawables use. */
  data: Map<number, string>;
  /** Drawables that have been added. */
  seen: Set<number>;
  notes: number[];
  recordOmission: RecordOmission | undefined;
  /** True if empty rows and columns at the end of tables are only the grid of the sheet. */
  isTrimmed: boolean;
}

/** The place where blocks are added. */
export interface Place {
  parent?: NodeItem;
  layer?: ContentLayer;
  depth: number;
  /** Absent in the text of Pages, whose positions are not known. */
  page?: IwaPage;
  /** The drawable that contains the text. */
  drawable?: IwaObject;
  /** The label of paragraphs that are neither headings nor list items. */
  label?: 'title' | 'text' | 'page_header';
}

/** Drawables nested more deeply are skipped. */
const maxDepth = 10;

/** Reads the objects of a document. `isTrimmed` is for programs whose tables are sheets. */
export function startReading(
  zip: Zip,
  { name, limits, recordOmission }: ReadOptions,
  { isTrimmed }: { isTrimmed: boolean },
): IwaReading {
  const objects = readObjects(zip, name, limits);
  const builder = createDocument(getStem(name));
  return {
    builder,
    name,
    objects,
    image: createImages({ zip }),
    data: mapPictureEntries(zip, objects),
    seen: new Set(),
    notes: [],
    recordOmission,
    isTrimmed,
  };
}

function mapPictureEntries(zip: Zip, objects: IwaObjects): Map<number, string> {
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

/** Adds the paragraphs of a text, each with the drawables that are anchored in it. */
export function addStorage(reading: IwaReading, storage: IwaObject, place: Place): void {
  let lists: GroupItem[] = [];
  for (const paragraph of listParagraphs(storage, reading.objects)) {
    addAll(reading.notes, paragraph.notes);
    const isEmpty = paragraph.runs.every(({ text }) => text.trim() === '');
    if (isEmpty && paragraph.drawables.length > 0) lists = [];
    if (!isEmpty) lists = addParagraph(reading, paragraph, place, lists);
    for (const id of paragraph.drawables) addDrawable(reading, id, place);
  }
}

/** Adds a paragraph. Returns the lists that are open after it. */
function addParagraph(reading: IwaReading, paragraph: IwaParagraph, place: Place, lists: GroupItem[]): GroupItem[] {
  const { builder } = reading;
  const { list, styleName, runs } = paragraph;
  const base = getBaseOptions(place);
  const { label = 'text' } = place;
  // On slides the style says how large a text is, not what it is.
  const level = place.page ? undefined : findHeadingLevel(styleName);
  if (list && level === undefined && label === 'text') {
    const open = lists.slice(0, list.depth + 1);
    while (open.length <= list.depth) {
      const above = open.at(-1);
      const owner = above ? findLastItem(builder, above) : undefined;
      open.push(builder.group('list', owner ? { ...base, parent: owner } : base));
    }
    const options = { ...base, parent: open.at(-1)!, enumerated: list.isNumbered, marker: list.marker };
    addRuns(reading, runs, place, (text, style) => builder.listItem(text, { ...options, ...style }));
    return open;
  }
  addRuns(reading, runs, place, (text, style) => {
    if (level === 0) return builder.text('title', text, { ...base, ...style });
    if (level !== undefined) return builder.heading(level, text, { ...base, ...style });
    return builder.text(label, text, { ...base, ...style });
  });
  return [];
}

function getBaseOptions({ parent, layer }: Place): Pick<Place, 'parent' | 'layer'> {
  return { ...(parent ? { parent } : {}), ...(layer ? { layer } : {}) };
}

function findLastItem(builder: DocumentBuilder, list: GroupItem): NodeItem | undefined {
  const ref = list.children.at(-1)?.$ref;
  return ref === undefined ? undefined : nodeAt(builder.document, ref);
}

/** Returns 0 for the title. Templates in all languages seen so far use these style names. */
function findHeadingLevel(styleName: string): number | undefined {
  if (/^title$/i.test(styleName)) return 0;
  if (/^(?:subtitle|heading)$/i.test(styleName)) return 1;
  const match = /^heading (\d)$/i.exec(styleName);
  return match ? Math.max(1, Number(match[1])) : undefined;
}

type Style = Pick<Run, 'formatting' | 'hyperlink'> & Pick<TextItem, 'prov'>;

/** Adds a single run as the item itself, several runs as an inline group below it. */
function addRuns(
  { builder }: IwaReading,
  runs: readonly Run[],
  place: Place,
  add: (text: string, style: Style) => TextItem,
): void {
  const prov = (length: number) => createItemProvenance(place, place.drawable, length);
  const filled = runs.filter(({ text }) => text.trim() !== '');
  const [only] = filled;
  if (filled.length === 1 && only) {
    const text = only.text.trim();
    add(text, { formatting: only.formatting, hyperlink: only.hyperlink, prov: prov(text.length) });
    return;
  }
  const owner = add('', { formatting: null, hyperlink: null, prov: prov(0) });
  const group = builder.group('inline', { parent: owner, layer: owner.content_layer });
  for (const { text: padded, formatting, hyperlink } of filled) {
    const text = padded.trim();
    const options = { parent: group, layer: owner.content_layer, formatting, hyperlink };
    builder.text('text', text, { ...options, prov: prov(text.length) });
  }
}

function createItemProvenance({ page }: Place, drawable: IwaObject | undefined, length: number): TextItem['prov'] {
  return createProvenance(page, page && drawable && findBox(drawable, page), length);
}

/** Fields of a drawable that refer to its title and its caption, each with the field that hides it. */
const captionFields = [
  { textField: 10, hiddenField: 12 },
  { textField: 11, hiddenField: 13 },
];

/** Adds a table, picture, text box, chart or group, once, with its caption and comment. */
export function addDrawable(reading: IwaReading, id: number, place: Place): void {
  const { objects, seen } = reading;
  const drawable = objects.get(id);
  if (!drawable || seen.has(id) || place.depth > maxDepth) return;
  seen.add(id);
  addContent(reading, drawable, { ...place, drawable, depth: place.depth + 1 });
  const common = findDrawable(drawable);
  for (const { textField, hiddenField } of captionFields) {
    const caption = common?.number(hiddenField) === 1 ? undefined : objects.get(common?.reference(textField) ?? -1);
    const storage = caption?.type === types.caption && findStorage(caption, objects);
    if (caption && storage) addStorage(reading, storage, { ...place, drawable: caption, label: 'text' });
  }
  const comment = common?.reference(6);
  if (comment !== undefined) addComment(reading, comment, { page: place.page, drawable });
}

function addContent(reading: IwaReading, drawable: IwaObject, place: Place): void {
  const { builder, objects } = reading;
  const { message, type } = drawable;
  const base = getBaseOptions(place);
  const prov = createItemProvenance(place, drawable, 0);
  switch (type) {
    case types.tableInfo:
      addTable(reading, drawable, place);
      break;
    case types.image: {
      const image = findImage(reading, message, [15, 13, 11, 12]);
      builder.picture({ ...base, prov, ...(image ? { image } : {}) });
      break;
    }
    case types.movie: {
      reading.recordOmission?.(message.number(9) === 1 ? 'sound' : 'film');
      const image = findImage(reading, message, [15]);
      if (image) builder.picture({ ...base, prov, image });
      break;
    }
    case types.chart: {
      const picture = builder.picture({ ...base, prov });
      const chart = findChart(drawable, objects);
      if (chart) describeChart(builder, picture, chart, { ...base, prov });
      break;
    }
    case types.group: {
      const box = place.page && findBox(drawable, place.page);
      const page = place.page && box ? { page: { no: place.page.no, left: box.left, top: box.top } } : {};
      for (const child of message.references(2)) addDrawable(reading, child, { ...place, ...page });
      break;
    }
    default: {
      const storage = findStorage(drawable, objects);
      if (storage) addStorage(reading, storage, place);
    }
  }
}

function addTable(reading: IwaReading, { message }: IwaObject, place: Place): void {
  const { builder, objects, name, isTrimmed } = reading;
  const model = objects.get(message.reference(2) ?? -1);
  const table = model?.type === types.tableModel ? findTable(model, objects, { name, isTrimmed }) : undefined;
  for (let count = 0; count < (table?.unknownCells ?? 0); count += 1) reading.recordOmission?.('unreadable table cell');
  if (!table || table.data.num_rows === 0) return;
  const base = { ...getBaseOptions(place), prov: createItemProvenance(place, place.drawable, 0) };
  const item = builder.table(table.data, base);
  if (table.name !== '' && place.page) {
    const prov = createItemProvenance(place, place.drawable, table.name.length);
    builder.caption(item, table.name, { ...(place.layer ? { layer: place.layer } : {}), prov });
  }
  for (const id of table.comments) addComment(reading, id, { page: place.page, drawable: place.drawable });
}

function findImage(reading: IwaReading, message: IwaObject['message'], fields: readonly number[]) {
  const entries = fields.flatMap((field) => reading.data.get(message.reference(field) ?? -1) ?? []);
  return entries[0] === undefined ? undefined : reading.image(entries[0]);
}

/** Returns the text of a text box, placeholder or caption. */
export function findStorage({ type, message }: IwaObject, objects: IwaObjects): IwaObject | undefined {
  const isNested = type === placeholder || type === types.caption;
  if (!isNested && type !== types.shape) return undefined;
  const shape = isNested ? message.message(1) : message;
  const storage = objects.get(shape?.reference(4) ?? shape?.reference(2) ?? -1);
  return storage?.type === types.storage ? storage : undefined;
}

/** Returns the filled paragraphs as lines. */
export function readLines(storage: IwaObject | undefined, objects: IwaObjects): string {
  if (storage?.type !== types.storage) return '';
  return listParagraphs(storage, objects)
    .map(({ runs }) =>
      runs
        .map(({ text }) => text)
        .join('')
        .trim(),
    )
    .filter(Boolean)
    .join('\n');
}
