import { createDocument, type DocumentBuilder } from '../../document/builder';
import type { DoclingDocument, NodeItem } from '../../document/model';
import { createOutline, type Outline } from '../docx/outline';
import { type ReadOptions, stemOf } from '../format';
import { openWord } from './file';
import { type Lists, readLists } from './lists';
import { createParagraphReader, type Paragraph } from './paragraphs';
import { cellText, type Row, tableOf } from './table';

interface Story {
  builder: DocumentBuilder;
  outline: Outline;
  lists: Lists;
}

/** Reads the body and the footnotes of a document of Word 97 to 2003 (MS-DOC). */
export function read(bytes: Uint8Array, options: ReadOptions): DoclingDocument {
  const file = openWord(bytes, options);
  const builder = createDocument(stemOf(options.name));
  const paragraphs = createParagraphReader(file);
  const lists = file.table.subarray(file.main.readUInt32LE(0x9a + 8 * 73));
  const story: Story = {
    builder,
    outline: createOutline(builder, 'body', new Map()),
    lists: readLists(file.structure(73).length === 0 ? Buffer.alloc(0) : lists, file.structure(74)),
  };
  const bodyEnd = Math.min(file.bodyLength, file.text.length);
  addBody(story, paragraphs(0, bodyEnd));
  const notesEnd = Math.min(bodyEnd + file.footnoteLength, file.text.length);
  for (const note of paragraphs(bodyEnd, notesEnd)) {
    const text = cellText([note]);
    if (text !== '') builder.text('footnote', text);
  }
  return builder.document;
}

function addBody(story: Story, paragraphs: Iterable<Paragraph>): void {
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
  const parent = story.outline.parent();
  story.builder.table(tableOf(rows), parent ? { parent } : {});
}

function addParagraph({ builder, outline, lists }: Story, { runs, properties }: Paragraph): void {
  const text = cellText([{ runs, properties, isCellEnd: false }]);
  const { heading, list, level } = properties;
  if (heading !== undefined && text !== '') {
    if (heading === 0) outline.title(text);
    else outline.heading(heading, text, list > 0 && lists.next(list, level).enumerated ? 'shown' : 'none');
    return;
  }
  if (list > 0 && list < 0x7ff && text !== '') {
    const { number, enumerated, marker } = lists.next(list, level);
    const parent = outline.listGroup(number, level);
    const content = trimmed(runs);
    const [only] = content;
    if (content.length === 1) builder.listItem(only!.text, { ...only, parent, enumerated, marker });
    else addInline(builder, content, builder.listItem('', { parent, enumerated, marker }));
    return;
  }
  if (text === '') {
    outline.blank((parent) => void builder.text('text', '', parent ? { parent } : {}));
    return;
  }
  outline.endList();
  const content = trimmed(runs);
  const parent = outline.parent();
  const [only] = content;
  if (content.length === 1) builder.text('text', only!.text, { ...only, ...(parent ? { parent } : {}) });
  else addInline(builder, content, parent);
}

function addInline(builder: DocumentBuilder, runs: Paragraph['runs'], parent: NodeItem | undefined): void {
  const group = builder.group('inline', parent ? { parent } : {});
  for (const { text, formatting, hyperlink } of runs)
    builder.text('text', text, { parent: group, formatting, hyperlink });
}

/** Runs with blanks only go; blanks around the others are set by those who write the text. */
function trimmed(runs: Paragraph['runs']): Paragraph['runs'] {
  return runs.map((run) => ({ ...run, text: run.text.trim() })).filter(({ text }) => text !== '');
}
