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
import { runsOn } from '../../../document/run-on';
import { createOutline, type Outline } from '../../ooxml/docx/outline';
import { placeBelow } from '../../ooxml/docx/story';
import type { ImageShare } from '../../ooxml/image';
import type { ArtPicture } from '../art-pictures';
import type { Drawings } from './drawings';
import type { Lists } from './lists';
import type { Paragraph, ReadParagraphs, Run } from './paragraphs';
import { joinCellText, type PlacedCell, type Row, buildTable } from './table';

/** Data shared by all stories of a document. */
export interface DocumentContext {
  builder: DocumentBuilder;
  paragraphs: ReadParagraphs;
  lists: Lists;
  drawings: Drawings;
  /** Images by offset in the data stream, or by `store 1` for images of the store. */
  images: ImageShare<number | string>;
  /** Items by the position of the comment mark in their paragraph. */
  commented: Map<number, TextItem[]>;
}
/** The body, a header or a cell. */
export interface Story {
  context: DocumentContext;
  outline: Outline;
  layer: ContentLayer;
}

/** Creates a story whose items are added below `root`, by default the body. */
export function createStory(context: DocumentContext, layer: ContentLayer, root?: () => NodeItem): Story {
  return { context, layer, outline: createOutline(context.builder, layer, new Map(), root) };
}

/** Adds the paragraphs of a story, and the tables that some of them form. */
export function addStory(story: Story, paragraphs: Iterable<Paragraph>): void {
  let rows: Row[] = [];
  let cells: Paragraph[][] = [];
  let open: Paragraph[] = [];
  const endTable = () => {
    // The last row of a damaged table may lack its end mark.
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
      // Row marks of nested tables have no text. Nested cells become lines of the outer cell.
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

/** A table with one cell is only a frame: its content is added without the table. */
function addTable(story: Story, rows: readonly Row[]): void {
  const [first] = rows;
  story.outline.endList();
  if (rows.length === 1 && first!.cells.length === 1) {
    for (const paragraph of first!.cells[0]!) addParagraph(story, paragraph);
    return;
  }
  const { data, placed: cells } = buildTable(rows);
  const item = story.context.builder.table(data, placeBelow(story, story.outline.parent()));
  for (const cell of cells) if (isRich(cell)) addRichCell(story, item, cell);
}

/** A plain cell contains one paragraph of unformatted text. All other content is added as items below the table. */
function isRich({ paragraphs }: PlacedCell): boolean {
  const [only] = paragraphs;
  if (paragraphs.length !== 1) return paragraphs.length > 1;
  if (only!.anchors.some(({ kind }) => kind !== 'comment')) return true;
  // Bold text counts as plain if the paragraph style makes it bold.
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
  // The group is created with the first item, so that an empty cell adds no group.
  const findRoot = () => (group ??= builder.group('unspecified', { parent: table, layer, name }));
  const inner = createStory(context, layer, findRoot);
  for (const paragraph of paragraphs) addParagraph(inner, paragraph);
  inner.outline.endList();
  if (group !== undefined) cell.ref = { $ref: group.self_ref };
}

function addParagraph(story: Story, paragraph: Paragraph): void {
  const { commented } = story.context;
  const hasDrawings = addDrawings(story, paragraph);
  if (hasDrawings && joinCellText([paragraph]) === '') return;
  const added = addText(story, paragraph);
  for (const { kind, at } of paragraph.anchors) if (kind === 'comment') commented.set(at, added);
}

function addText(story: Story, { runs, properties }: Paragraph): TextItem[] {
  const { outline, context } = story;
  const { builder, lists } = context;
  const text = joinCellText([{ runs }]);
  const { heading, list, level } = properties;
  if (heading !== undefined && text !== '') {
    if (heading === 0) return [outline.title(text) as TextItem];
    const { enumerated, marker } = list > 0 ? lists.next(list, level) : { enumerated: false, marker: '' };
    const number = enumerated && lists.showsNumbers ? marker : undefined;
    return [outline.heading(heading, text, enumerated ? 'shown' : 'none', number) as TextItem];
  }
  const content = trimRuns(runs);
  const [only] = content;
  if (list > 0 && list < noList && text !== '') {
    const { number, enumerated, marker } = lists.next(list, level);
    const options = { parent: outline.listGroup(number, level), layer: story.layer, enumerated, marker };
    if (content.length === 1) return [builder.listItem(only!.text, { ...only, ...options })];
    const item = builder.listItem('', options);
    return [item, ...addInline(story, content, item)];
  }
  if (text === '') {
    outline.blank((parent) => void builder.text('text', '', placeBelow(story, parent)));
    return [];
  }
  outline.endList();
  const parent = outline.parent();
  return content.length === 1
    ? [builder.text('text', only!.text, { ...only, ...placeBelow(story, parent) })]
    : addInline(story, content, parent);
}

/** List numbers from this value on mean that the paragraph is in no list (MS-DOC 2.6.2). */
const noList = 0x7ff;

function addInline(story: Story, runs: ReturnType<typeof trimRuns>, parent: NodeItem | undefined): TextItem[] {
  const { builder } = story.context;
  const group = builder.group('inline', placeBelow(story, parent));
  return runs.map(({ text, formatting, hyperlink, isRunOn }) =>
    builder.text('text', text, { ...placeBelow(story, group), formatting, hyperlink, isRunOn }),
  );
}

/** Trims each run and removes blank ones. Writers add the blanks between runs. */
function trimRuns(runs: readonly Run[]): (Run & { isRunOn: boolean })[] {
  return runs
    .map((run, index) => ({ ...run, text: run.text.trim(), isRunOn: runsOn(runs[index - 1], run) }))
    .filter(({ text }) => text !== '');
}

/** Adds the text boxes and then the pictures anchored in a paragraph. Returns false if there are none. */
function addDrawings(story: Story, { anchors }: Paragraph): boolean {
  const { drawings, images } = story.context;
  const shapes = anchors.flatMap(({ kind, at }) => (kind === 'drawing' ? drawings.anchored(at) : []));
  const boxes = shapes.flatMap(({ box }) => (box === undefined ? [] : [box]));
  for (const box of boxes) addBox(story, box);
  const pictures: (ImageRef | undefined)[] = [];
  const add = (key: number | string, picture: ArtPicture | undefined) => {
    if (picture) pictures.push(images(key, () => picture.bytes));
  };
  for (const { kind, at } of anchors) if (kind === 'picture') add(at, drawings.inline(at));
  for (const { picture } of shapes) if (picture !== undefined) add(`store ${picture}`, drawings.stored(picture));
  if (pictures.length > 0) addPictures(story, pictures);
  return pictures.length + boxes.length > 0;
}

function addPictures(story: Story, images: readonly (ImageRef | undefined)[]): void {
  const { builder } = story.context;
  story.outline.beforeFloating();
  const parent = story.outline.parent();
  const area = images.length > 1 ? builder.group('picture_area', placeBelow(story, parent)) : parent;
  for (const image of images)
    builder.picture({ ...placeBelow(story, area), ...(image === undefined ? {} : { image }) });
}

/** Adds the text of a box. Ignores drawing anchors in it, which only damaged files have. */
export function addBox(story: Story, [from, to]: readonly [number, number]): void {
  const { context, outline, layer } = story;
  const paragraphs = Array.from(context.paragraphs(from, to), (paragraph) => ({
    ...paragraph,
    anchors: paragraph.anchors.filter(({ kind }) => kind !== 'drawing'),
  }));
  if (joinCellText(paragraphs) === '' && paragraphs.every(({ anchors }) => anchors.length === 0)) return;
  outline.endList();
  const group = context.builder.group('section', { ...placeBelow(story, outline.parent()), name: 'textbox' });
  addStory(
    createStory(context, layer, () => group),
    dropLastEmptyParagraph(paragraphs),
  );
}

/** Removes the meaningless last paragraph of a story other than the body. */
export function dropLastEmptyParagraph(paragraphs: readonly Paragraph[]): readonly Paragraph[] {
  const last = paragraphs.at(-1);
  return last && last.runs.length + last.anchors.length === 0 ? paragraphs.slice(0, -1) : paragraphs;
}
