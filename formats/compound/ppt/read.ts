import { createDocument, type DocumentBuilder, type Placement } from '../../../document/builder';
import { tableCell } from '../../../document/grid';
import type { DoclingDocument, GroupItem, ImageRef, TableData } from '../../../document/model';
import { AppError } from '../../../model/errors';
import { type ReadOptions, getStem } from '../../format';
import { createImageShare } from '../../ooxml/image';
import { type ArtRecord, findChild, readChildren } from '../art-records';
import { addComments } from './comments';
import { createMasterTexts } from './masters';
import { type Numbering, readOutlineNumberings } from './numbering';
import { type ChartMeta, readCharts } from './objects';
import { openPresentation } from './records';
import { type Shape, listShapes } from './shapes';
import { type ShapeText, listTexts } from './text';

/** Types of records (MS-PPT 2.13.24). */
const recordTypes = {
  documentAtom: 0x3e9,
  slide: 0x3ee,
  slideAtom: 0x3ef,
  notes: 0x3f0,
  notesAtom: 0x3f1,
  slideEntry: 0x3f3,
  slideList: 0xff0,
} as const;
/** Instances of the lists of slides and of notes. */
const slideLists = { slides: 0, notes: 2 } as const;
/** Types of texts that are titles (MS-PPT 2.13.33). */
const titleTypes: ReadonlySet<number> = new Set([0, 6]);
/** Slide units (1/576 inch) per point. */
const unitsPerPoint = 8;

/** A slide or a page of notes in the list of the document. */
interface Entry {
  /** Number of its record. */
  id: number;
  slideId: number;
  outline: ShapeText[];
}

/** Reads a PowerPoint 97 to 2003 presentation (MS-PPT): one group and one page per slide, with its notes. */
export async function read(bytes: Uint8Array, options: ReadOptions): Promise<DoclingDocument> {
  const { name, limits, recordOmission } = options;
  const presentation = openPresentation(bytes, { name, password: options.paged?.password, recordOmission });
  const { document, persisted, picture } = presentation;
  const slides = listEntries(
    findChild(document, recordTypes.slideList, slideLists.slides),
    readOutlineNumberings(document),
  );
  const notes = listEntries(findChild(document, recordTypes.slideList, slideLists.notes), new Map()).flatMap(
    (entry) => {
      const record = persisted(entry.id);
      return record?.type === recordTypes.notes ? [{ ...entry, record, slideOfNotes: readNotesSlide(record) }] : [];
    },
  );
  if (slides.length > limits.maxPages) {
    throw new AppError(
      'DOCUMENT_TOO_LARGE',
      `The presentation has ${slides.length} slides; the limit is ${limits.maxPages}.`,
    );
  }
  const size = findChild(document, recordTypes.documentAtom)?.data;
  const hasSize = size !== undefined && size.length >= 8;
  const width = hasSize ? size.readInt32LE(0) / unitsPerPoint : 720;
  const height = hasSize ? size.readInt32LE(4) / unitsPerPoint : 540;
  const firstNumber = size !== undefined && size.length >= 34 ? size.readUInt16LE(32) : 1;
  const charts = await readCharts(presentation, options);
  const builder = createDocument(getStem(name));
  const share = createImageShare<number>();
  const findImage = (number: number) => share(number, () => picture(number)?.bytes);
  const addMasterTexts = createMasterTexts(presentation, limits.maxDepth);
  for (const [index, { id, slideId, outline }] of slides.entries()) {
    builder.page(index + 1, width, height);
    const group = builder.group('chapter', { name: `slide-${index}` });
    const slide = persisted(id);
    if (slide?.type !== recordTypes.slide) continue;
    const page = {
      builder,
      group,
      pageNo: index + 1,
      slideNumber: firstNumber + index,
      height,
      image: findImage,
      charts,
    };
    for (const shape of listShapes(slide, outline, limits.maxDepth)) addShape(page, shape);
    const atom = findChild(slide, recordTypes.slideAtom)?.data;
    const noteId = atom && atom.length >= 20 ? atom.readUInt32LE(16) : 0;
    const note =
      notes.find((entry) => entry.slideId === noteId) ?? notes.find((entry) => entry.slideOfNotes === slideId);
    if (note) addNotes(page, listShapes(note.record, note.outline, limits.maxDepth));
    addMasterTexts(slide, page);
    addFooter(page, slide, document);
    addComments(builder, slide, index + 1);
  }
  reportNotesFurniture(document, recordOmission);
  return builder.document;
}

/** Returns the slides or notes of a list in order, each with the texts stored next to it. */
function listEntries(list: ArtRecord | undefined, numberings: ReadonlyMap<string, Numbering[]>): Entry[] {
  const entries = new Map<number, { id: number; slideId: number; records: ArtRecord[] }>();
  let last: ArtRecord[] = [];
  for (const record of list === undefined ? [] : readChildren(list)) {
    if (record.type === recordTypes.slideEntry && record.data.length >= 16) {
      const id = record.data.readUInt32LE(0);
      last = [];
      // A slide occurs only once. A damaged file that repeats it would grow without limit.
      if (!entries.has(id)) entries.set(id, { id, slideId: record.data.readUInt32LE(12), records: last });
    } else last.push(record);
  }
  return Array.from(entries.values(), ({ id, slideId, records }) => ({
    id,
    slideId,
    outline: listTexts(records, (type) => numberings.get(`${slideId}/${type}`) ?? []),
  }));
}

interface Page {
  builder: DocumentBuilder;
  group: GroupItem;
  pageNo: number;
  /** The number that the slide shows. */
  slideNumber: number;
  height: number;
  /** Returns the picture with that number in the store. */
  image: (number: number) => ImageRef | undefined;
  /** The data of charts by the number of their object. */
  charts: ReadonlyMap<number, ChartMeta>;
}

function addShape(
  { builder, group, pageNo, slideNumber, height, image, charts }: Page,
  { box, text, cells, picture, object, isSlideNumber }: Shape,
): void {
  const [l, t, r, b] = [box.left, box.top, box.right, box.bottom].map((units) => units / unitsPerPoint);
  const bbox = { l: l!, t: height - t!, r: r!, b: height - b!, coord_origin: 'BOTTOMLEFT' as const };
  const createProv = (characters: number) => ({
    prov: [{ page_no: pageNo, bbox, charspan: [0, characters] as [number, number] }],
  });
  if (cells !== undefined) {
    builder.table(buildTable(cells), { parent: group, ...createProv(0) });
    return;
  }
  const chart = charts.get(object ?? -1);
  if (picture !== undefined || chart !== undefined) {
    const imageRef = picture === undefined ? undefined : image(picture);
    const item = builder.picture({ parent: group, ...createProv(0), ...(imageRef ? { image: imageRef } : {}) });
    if (chart) item.meta = chart;
  }
  if (isSlideNumber) {
    const number = String(slideNumber);
    builder.text('page_footer', number, { parent: group, layer: 'furniture', ...createProv(number.length) });
    return;
  }
  const filled = text?.paragraphs.filter((paragraph) => paragraph.text !== '') ?? [];
  const prov = createProv(filled.reduce((sum, paragraph) => sum + paragraph.text.length, 0));
  if (text && titleTypes.has(text.type)) {
    const title = filled.map((paragraph) => paragraph.text).join(' ');
    if (title !== '') builder.text('title', title, { parent: group, ...prov });
    return;
  }
  addParagraphs(builder, filled, { parent: group, ...prov });
}

function addParagraphs(builder: DocumentBuilder, paragraphs: ShapeText['paragraphs'], placement: Placement): void {
  let list: GroupItem | undefined;
  let count: number | undefined;
  for (const { text, hasBullet, startAt } of paragraphs) {
    if (!hasBullet) {
      list = undefined;
      builder.text('paragraph', text, placement);
      continue;
    }
    if (!list) count = undefined;
    list ??= builder.group('list', placement.parent ? { parent: placement.parent } : {});
    const enumerated = startAt !== undefined;
    if (enumerated) count = count === undefined ? startAt : count + 1;
    builder.listItem(text, { ...placement, parent: list, enumerated, marker: enumerated ? `${count}.` : '' });
  }
}

/** Returns the slide that a notes page belongs to; 0 if there is none. */
function readNotesSlide(notes: ArtRecord): number {
  const atom = findChild(notes, recordTypes.notesAtom)?.data;
  return atom && atom.length >= 4 ? atom.readUInt32LE(0) : 0;
}

/** Types of text on a notes page: notes, and text boxes drawn next to them (MS-PPT 2.13.33). */
const notesTypes: ReadonlySet<number> = new Set([2, 4]);

function addNotes({ builder, group, pageNo }: Page, shapes: readonly Shape[]): void {
  for (const { text } of shapes) {
    if (text === undefined || !notesTypes.has(text.type)) continue;
    const lines = text.paragraphs
      .map((paragraph) => paragraph.text)
      .join('\n')
      .trim();
    const bbox = { l: 0, t: 0, r: 0, b: 0, coord_origin: 'TOPLEFT' as const };
    const prov = [{ page_no: pageNo, bbox, charspan: [0, lines.length] as [number, number] }];
    // The page number has its own text box.
    if (!/^[\s\d*]*$/.test(lines)) builder.text('text', lines, { parent: group, layer: 'notes', prov });
  }
}

/** Header and footer records. Those of a slide take precedence over those of all slides (MS-PPT 2.4.15). */
const furniture = {
  container: 0xfd9,
  flags: 0xfda,
  text: 0xfba,
  ofSlides: 3,
  ofNotes: 4,
  header: 1,
  footer: 2,
  showsFooter: 0x20,
} as const;

function addFooter({ builder, group, pageNo }: Page, slide: ArtRecord, document: ArtRecord): void {
  const headersFooters =
    findChild(slide, furniture.container) ?? findChild(document, furniture.container, furniture.ofSlides);
  const flags = findChild(headersFooters, furniture.flags)?.data;
  if (flags === undefined || flags.length < 4 || (flags.readUInt16LE(2) & furniture.showsFooter) === 0) return;
  const text = findChild(headersFooters, furniture.text, furniture.footer)?.data.toString('utf16le').trim() ?? '';
  const bbox = { l: 0, t: 0, r: 0, b: 0, coord_origin: 'TOPLEFT' as const };
  const prov = [{ page_no: pageNo, bbox, charspan: [0, text.length] as [number, number] }];
  if (text !== '') builder.text('page_footer', text, { parent: group, layer: 'furniture', prov });
}

/** Reports headers and footers of printed notes and handouts, which are on no slide. */
function reportNotesFurniture(document: ArtRecord, recordOmission: ReadOptions['recordOmission']): void {
  const headersFooters = findChild(document, furniture.container, furniture.ofNotes);
  for (const [kind, instance] of [
    ['notes header', furniture.header],
    ['notes footer', furniture.footer],
  ] as const) {
    const text = findChild(headersFooters, furniture.text, instance)?.data.toString('utf16le').trim() ?? '';
    if (text !== '') recordOmission?.(kind, text);
  }
}

/** Arranges cells on the grid formed by their edges. The first row is the header. */
function buildTable(cells: readonly Shape[]): TableData {
  const listEdges = (read: (shape: Shape) => number[]) =>
    [...new Set(cells.flatMap(read))].sort((edge, other) => edge - other);
  const columns = listEdges(({ box }) => [box.left, box.right]);
  const rows = listEdges(({ box }) => [box.top, box.bottom]);
  const indexEdges = (values: readonly number[]) => new Map(values.map((value, index) => [value, index]));
  const [columnIndexes, rowIndexes] = [indexEdges(columns), indexEdges(rows)];
  const placed = cells.map(({ box, text }) => {
    const row = rowIndexes.get(box.top)!;
    const column = columnIndexes.get(box.left)!;
    const spans = {
      row_span: Math.max(rowIndexes.get(box.bottom)! - row, 1),
      col_span: Math.max(columnIndexes.get(box.right)! - column, 1),
    };
    const lines =
      text?.paragraphs
        .map((paragraph) => paragraph.text)
        .join('\n')
        .trim() ?? '';
    return tableCell(row, column, lines, { ...spans, column_header: row === 0 });
  });
  placed.sort(
    (cell, other) =>
      cell.start_row_offset_idx - other.start_row_offset_idx || cell.start_col_offset_idx - other.start_col_offset_idx,
  );
  return { table_cells: placed, num_rows: Math.max(rows.length - 1, 1), num_cols: Math.max(columns.length - 1, 1) };
}
