import type { DocumentBuilder } from '../../../document/builder';
import type {
  ContentLayer,
  Formatting,
  GroupItem,
  ImageRef,
  NodeItem,
  TableItem,
  TextItem,
} from '../../../document/model';
import type { ArtPicture } from '../art-pictures';
import { createOutline, type Outline } from '../../ooxml/docx/outline';
import { placed } from '../../ooxml/docx/blocks';
import type { ImageShare } from '../../ooxml/image';
import type { Drawings } from './drawings';
import type { Lists } from './lists';
import type { Paragraph, ReadParagraphs, Run } from './paragraphs';
import { cellText, type PlacedCell, type Row, tableOf } from './table';

/** What all stories of a document share. */
export interface DocumentContext {
  builder: DocumentBuilder;
  paragraphs: ReadParagraphs;
  lists: Lists;
  drawings: Drawings;
  /** Images by their place: of the data stream as it is, of the store as `store 1`. */
  images: ImageShare<number | string>;
  /** Items by the place of the mark of a comment in their paragraph. */
  commented: Map<number, TextItem[]>;
}
/** A body, a header or a cell. */
export interface Story {
  context: DocumentContext;
  outline: Outline;
  layer: ContentLayer;
}

/** A story whose items hang below `root`, or in the body. */
export function createStory(context: DocumentContext, layer: ContentLayer, root?: () => NodeItem): Story {
  return { context, layer, outline: createOutline(context.builder, layer, new Map(), root) };
}

/** Adds the paragraphs of a story and the tables that some of them make. */
export function addStory(story: Story, paragraphs: Iterable<Paragraph>): void {
  let rows: Row[] = [];
  let cells: Paragraph[][] = [];
  let open: Paragraph[] = [];
  const endTable = () => {
    // A damaged table may lack the mark at the end of its last row.
    if (open.length > 0) cells.push(open);
    if (cells.length > 0) rows.push({ cells, definition: undefined });
    if (rows.length > 0) addTable(story, rows);
    [rows, cells, open] = [[], [], []];
  };
  for (const paragraph of paragraphs) {
    const { properties, isCellEnd } = paragraph;
    if (!properties.isInTable && !isCellEnd) {
      endTable();
      addParagraph(story, paragraph);
    } else if (isCellEnd && properties.isRowEnd) {
      if (open.length > 0) cells.push(open);
      rows.push({ cells, definition: properties.row });
      [cells, open] = [[], []];
    } else if (!properties.isRowEnd) {
      // Marks of rows of inner tables have no text; their cells stand as lines of the outer one.
      open.push(paragraph);
      if (isCellEnd) {
        cells.push(open);
        open = [];
      }
    }
  }
  endTable();
  story.outline.endList();
}

/** A table of one cell is only a frame: its content goes where the table stands. */
function addTable(story: Story, rows: readonly Row[]): void {
  const [first] = rows;
  story.outline.endList();
  if (rows.length === 1 && first!.cells.length === 1) {
    for (const paragraph of first!.cells[0]!) addParagraph(story, paragraph);
    return;
  }
  const { data, placed: cells } = tableOf(rows);
  const item = story.context.builder.table(data, placed(story, story.outline.parent()));
  for (const cell of cells) if (isRich(cell)) addRichCell(story, item, cell);
}

/** Plain cells hold one paragraph of unformatted text; anything more is kept as items below the table. */
function isRich({ paragraphs }: PlacedCell): boolean {
  const [only] = paragraphs;
  if (paragraphs.length !== 1) return paragraphs.length > 1;
  if (only!.anchors.some(({ kind }) => kind !== 'comment')) return true;
  // What only its style makes bold looks like the rest of its kind.
  return only!.runs.some(
    ({ text, hyperlink, formatting }) =>
      text.trim() !== '' && hyperlink === null && hasMarks(formatting) && !(only!.isBold && hasOnlyBold(formatting)),
  );
}

function hasMarks({ bold, italic, underline, strikethrough, script }: Formatting): boolean {
  return bold || italic || underline || strikethrough || script !== 'baseline';
}

function hasOnlyBold(formatting: Formatting): boolean {
  return formatting.bold && !hasMarks({ ...formatting, bold: false });
}

function addRichCell({ context, layer }: Story, table: TableItem, { cell, paragraphs }: PlacedCell): void {
  const { builder } = context;
  const { start_col_offset_idx: column, start_row_offset_idx: row } = cell;
  const name = `rich_cell_group_${builder.document.tables.length}_${column}_${row}`;
  let group: GroupItem | undefined;
  // The group is made with the first item, so that a cell without content leaves none behind.
  const root = () => (group ??= builder.group('unspecified', { parent: table, layer, name }));
  const inner = createStory(context, layer, root);
  for (const paragraph of paragraphs) addParagraph(inner, paragraph);
  inner.outline.endList();
  if (group !== undefined) cell.ref = { $ref: group.self_ref };
}

function addParagraph(story: Story, paragraph: Paragraph): void {
  const { commented } = story.context;
  const hasDrawings = addDrawings(story, paragraph);
  if (hasDrawings && cellText([paragraph]) === '') return;
  const added = addText(story, paragraph);
  for (const { kind, at } of paragraph.anchors) if (kind === 'comment') commented.set(at, added);
}

function addText(story: Story, { runs, properties }: Paragraph): TextItem[] {
  const { outline, context } = story;
  const { builder, lists } = context;
  const text = cellText([{ runs }]);
  const { heading, list, level } = properties;
  if (heading !== undefined && text !== '') {
    if (heading === 0) return [outline.title(text) as TextItem];
    const numbering = list > 0 && lists.next(list, level).enumerated ? 'shown' : 'none';
    return [outline.heading(heading, text, numbering) as TextItem];
  }
  const content = trimmed(runs);
  const [only] = content;
  if (list > 0 && list < noList && text !== '') {
    const { number, enumerated, marker } = lists.next(list, level);
    const options = { parent: outline.listGroup(number, level), layer: story.layer, enumerated, marker };
    if (content.length === 1) return [builder.listItem(only!.text, { ...only, ...options })];
    const item = builder.listItem('', options);
    return [item, ...addInline(story, content, item)];
  }
  if (text === '') {
    outline.blank((parent) => void builder.text('text', '', placed(story, parent)));
    return [];
  }
  outline.endList();
  const parent = outline.parent();
  return content.length === 1
    ? [builder.text('text', only!.text, { ...only, ...placed(story, parent) })]
    : addInline(story, content, parent);
}

/** Numbers of lists from here on mean that the paragraph is in none (MS-DOC 2.6.2). */
const noList = 0x7ff;

function addInline(story: Story, runs: readonly Run[], parent: NodeItem | undefined): TextItem[] {
  const { builder } = story.context;
  const group = builder.group('inline', placed(story, parent));
  return runs.map(({ text, formatting, hyperlink }) =>
    builder.text('text', text, { ...placed(story, group), formatting, hyperlink }),
  );
}

/** Runs with blanks only go; blanks around the others are set by those who write the text. */
function trimmed(runs: readonly Run[]): Run[] {
  return runs.map((run) => ({ ...run, text: run.text.trim() })).filter(({ text }) => text !== '');
}

/** Adds the text boxes, then the pictures that hang in a paragraph; false when there are none. */
function addDrawings(story: Story, { anchors }: Paragraph): boolean {
  const { drawings, images } = story.context;
  const shapes = anchors.flatMap(({ kind, at }) => (kind === 'drawing' ? drawings.anchored(at) : []));
  const boxes = shapes.flatMap(({ box }) => (box === undefined ? [] : [box]));
  for (const box of boxes) addBox(story, box);
  const found: (ImageRef | undefined)[] = [];
  const add = (key: number | string, picture: ArtPicture | undefined) => {
    if (picture) found.push(images(key, () => picture.bytes));
  };
  for (const { kind, at } of anchors) if (kind === 'picture') add(at, drawings.inline(at));
  for (const { picture } of shapes) if (picture !== undefined) add(`store ${picture}`, drawings.stored(picture));
  if (found.length > 0) addPictures(story, found);
  return found.length + boxes.length > 0;
}

function addPictures(story: Story, images: readonly (ImageRef | undefined)[]): void {
  const { builder } = story.context;
  story.outline.beforeFloating();
  const parent = story.outline.parent();
  const area = images.length > 1 ? builder.group('picture_area', placed(story, parent)) : parent;
  for (const image of images) builder.picture({ ...placed(story, area), ...(image === undefined ? {} : { image }) });
}

/** Adds the text of a box. Anchors of drawings in it are damage: those of a text stand in the text itself. */
export function addBox(story: Story, [from, to]: readonly [number, number]): void {
  const { context, outline, layer } = story;
  const paragraphs = Array.from(context.paragraphs(from, to), (paragraph) => ({
    ...paragraph,
    anchors: paragraph.anchors.filter(({ kind }) => kind !== 'drawing'),
  }));
  if (cellText(paragraphs) === '' && paragraphs.every(({ anchors }) => anchors.length === 0)) return;
  outline.endList();
  const group = context.builder.group('section', { ...placed(story, outline.parent()), name: 'textbox' });
  addStory(
    createStory(context, layer, () => group),
    withoutGuard(paragraphs),
  );
}

/** Stories beside the body end with a paragraph of no meaning. */
export function withoutGuard(paragraphs: readonly Paragraph[]): readonly Paragraph[] {
  const last = paragraphs.at(-1);
  return last && last.runs.length + last.anchors.length === 0 ? paragraphs.slice(0, -1) : paragraphs;
}
