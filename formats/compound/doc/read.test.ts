import type { DoclingDocument } from '../../../document/model';
import { treeProblems } from '../../../document/validate';
import { convertBytes } from '../../convert';
import { pngHeader } from '../../ooxml/test-support';
import {
  artProperties,
  artRecord,
  artStoreEntry,
  joinBytes,
  compoundFile,
  failuresOfDamaged,
  type Piece,
} from '../test-support';
import { structures } from './structure';

/** A paragraph with its end mark, its style, direct changes, and changes of its characters. */
interface Part {
  text: string;
  style?: number;
  changes?: Piece[];
  marks?: Piece[];
}
const flag = (code: number): Piece[] => [
  [2, code],
  [1, 1],
];
const inTable = flag(0x2416);
const textAt = 0x400;

/** A page of properties: the ends of the ranges, then for each the position of its properties in units of two bytes. */
function page(
  stretches: { end: number; list: Buffer }[],
  entryBytes: number,
  listOf: (list: Buffer) => Buffer,
): Buffer {
  const bytes = Buffer.alloc(512);
  bytes.writeUInt32LE(textAt, 0);
  let free = 510;
  for (const [index, { end, list }] of stretches.entries()) {
    bytes.writeUInt32LE(end, 4 * (index + 1));
    const entry = listOf(list);
    free = (free - entry.length) & ~1;
    entry.copy(bytes, free);
    bytes[4 * (stretches.length + 1) + index * entryBytes] = free / 2;
  }
  bytes[511] = stretches.length;
  return bytes;
}
const paragraphList = (list: Buffer) =>
  list.length % 2 === 1 ? joinBytes([1, (list.length + 1) / 2], list) : joinBytes([1, 0], [1, list.length / 2], list);

function style(identifier: number, name: string, paragraph: Buffer = Buffer.alloc(0)): Buffer {
  const body = joinBytes(
    ...[[2, identifier] as const, [2, 0xfff1] as const, [2, 2] as const, [4, 0] as const],
    ...[[2, name.length] as const, Buffer.from(name, 'utf16le'), [2, 0] as const],
    ...[
      [2, paragraph.length + 2] as const,
      [2, 0] as const,
      paragraph,
      Buffer.alloc(paragraph.length & 1),
      [2, 0] as const,
    ],
  );
  return joinBytes([2, body.length], body);
}

interface Extra {
  /** Stories after the body, and the offsets of their lengths in the header. */
  notes?: string;
  headers?: string;
  comments?: string;
  endnotes?: string;
  boxes?: string;
  data?: Uint8Array;
  structures?: [number, Buffer][];
  flags?: number;
  lists?: Buffer;
  uses?: Buffer;
}
function wordFile(parts: Part[], { flags = 0, lists, uses, data, ...extra }: Extra = {}): Uint8Array {
  const body = parts.map(({ text }) => text).join('');
  const { notes = '', headers = '', comments = '', endnotes = '', boxes = '' } = extra;
  const stories = [body, notes, headers, '', comments, endnotes, boxes];
  const text = Buffer.from(stories.join(''), 'utf16le');
  let at = textAt;
  const ends = parts.map(({ text: own }) => (at += own.length * 2));
  const paragraphs = parts.map(({ style: own = 0, changes = [] }, index) => ({
    end: ends[index]!,
    list: joinBytes([2, own], ...changes),
  }));
  const characters = parts.map(({ marks = [] }, index) => ({ end: ends[index]!, list: joinBytes(...marks) }));
  const styles = [
    style(0, 'Normal'),
    style(1, 'Überschrift 1'),
    style(62, 'Titel'),
    style(4095, 'Own', joinBytes([2, 0x2640], [1, 1])),
  ];
  const sheet = joinBytes([2, 6], [2, styles.length], [2, 10], [2, 0], ...styles);
  const total = text.length / 2;
  const clx = joinBytes([1, 2], [4, 16], [4, 0], [4, total], [2, 0], [4, textAt], [2, 0]);
  const textPages = Math.ceil((textAt + text.length) / 512);
  const bins = (number: number) => joinBytes([4, textAt], [4, ends.at(-1)!], [4, number]);
  const main = Buffer.alloc((textPages + 2) * 512);
  const tables: [number, Buffer][] = [
    [1, sheet],
    [12, bins(textPages + 1)],
    [13, bins(textPages)],
    [33, clx],
    ...(extra.structures ?? []),
  ];
  if (uses) tables.push([74, uses]);
  if (lists) tables.push([73, lists]);
  main.writeUInt16LE(0xa5ec, 0);
  main.writeUInt16LE(0xc1, 2);
  main.writeUInt16LE(flags, 0x0a);
  for (const [index, story] of stories.entries()) main.writeUInt32LE(story.length, 0x4c + 4 * index);
  let offset = 0;
  for (const [index, table] of tables) {
    main.writeUInt32LE(offset, 0x9a + 8 * index);
    main.writeUInt32LE(table.length, 0x9a + 8 * index + 4);
    offset += table.length;
  }
  text.copy(main, textAt);
  page(paragraphs, 13, paragraphList).copy(main, textPages * 512);
  page(characters, 1, (list) => joinBytes([1, list.length], list)).copy(main, (textPages + 1) * 512);
  const table = joinBytes(...tables.map(([, bytes]) => bytes), Buffer.alloc(16));
  return compoundFile({ WordDocument: main, '0Table': table, ...(data ? { Data: data } : {}) });
}

async function readParts(parts: Part[], extra?: Extra): Promise<DoclingDocument> {
  const { document, format } = await convertBytes({ bytes: wordFile(parts, extra), name: 'a.doc' });
  expect(format).toBe('doc');
  expect(treeProblems(document)).toEqual([]);
  return document;
}
const shown = ({ texts }: DoclingDocument) => texts.map(({ label, text }) => [label, text]);

test('headings are recognized by style, whatever its name, or by outline level; footnotes follow', async () => {
  const parts = [
    { text: 'Title\r', style: 2 },
    { text: 'One\r', style: 1 },
    { text: 'Two\r', style: 3 },
    { text: 'gr\u00fc\u00dfe\u000bnext\u001eline\r' },
  ];
  const document = await readParts(parts, { notes: '\u0002 the note\r' });
  expect(shown(document)).toEqual([
    ['title', 'Title'],
    ['section_header', 'One'],
    ['section_header', 'Two'],
    ['text', 'grüße\nnext-line'],
    ['footnote', 'the note'],
  ]);
  expect(document.texts[2]).toMatchObject({ level: 2 });
});

test('fields show their result, hidden text is omitted, and formatting makes runs', async () => {
  const document = await readParts([
    { text: 'see \u0013HYPERLINK "https://a.example/"\u0014here\u0015 ' },
    { text: 'secret ', marks: flag(0x083c) },
    { text: 'bold', marks: flag(0x0835) },
    { text: '\r' },
  ]);
  expect(document.texts.map(({ text, hyperlink, formatting }) => [text, hyperlink, formatting?.bold])).toEqual([
    ['see', null, false],
    ['here', 'https://a.example/', false],
    ['bold', null, true],
  ]);
});

test('table cells are defined by their edges, and a continued cell is merged with the cell above', async () => {
  const row = (edges: number[], flags: number[]): Piece[] => {
    const value = joinBytes(
      [1, flags.length],
      ...edges.map((edge) => [2, edge] as const),
      ...flags.flatMap((own) => [[2, own] as const, Buffer.alloc(18)]),
    );
    return [...inTable, ...flag(0x2417), [2, 0xd608], [2, value.length + 1], value];
  };
  const cell = (text: string): Part => ({ text: `${text}\u0007`, changes: inTable });
  const { tables, texts } = await readParts([
    ...[cell('wide'), { text: '\u0007', changes: row([0, 2000], [0]) }],
    ...[
      cell('a'),
      { text: 'b\r', changes: inTable },
      cell('c'),
      { text: '\u0007', changes: row([0, 1000, 2000], [0x60, 0]) },
    ],
    ...[cell(''), cell('d'), { text: '\u0007', changes: row([0, 1000, 2000], [0x20, 0]) }],
    { text: 'after\r' },
  ]);
  expect(tables[0]!.data).toMatchObject({ num_rows: 3, num_cols: 2 });
  expect(tables[0]!.data.table_cells.map(({ text, row_span, col_span }) => [text, row_span, col_span])).toEqual([
    ['wide', 1, 2],
    ['a', 2, 1],
    ['b\nc', 1, 1],
    ['d', 1, 1],
  ]);
  expect(texts.map(({ text }) => text)).toEqual(['b', 'c', 'after']);
});

test('list items count by level, bullets do not', async () => {
  const level = (format: number) => joinBytes([4, 1], [1, format], Buffer.alloc(23), [2, 0]);
  const head = (id: number, isSimple: number) => joinBytes([4, id], Buffer.alloc(22), [1, isSimple], [1, 0]);
  const nine = Array.from({ length: 9 }, () => level(0));
  const lists = joinBytes([2, 2], head(7, 0), head(8, 1), ...nine, level(23));
  const uses = joinBytes([4, 2], [4, 7], Buffer.alloc(12), [4, 8], Buffer.alloc(12));
  const item = (text: string, list: number, depth: number): Part => ({
    text: `${text}\r`,
    changes: [
      [2, 0x260a],
      [1, depth],
      [2, 0x460b],
      [2, list],
    ],
  });
  const { texts } = await readParts(
    [item('a', 1, 0), item('b', 1, 1), item('c', 1, 1), item('d', 1, 0), item('e', 2, 0)],
    { lists, uses },
  );
  expect(texts.map(({ text, ...rest }) => [text, 'marker' in rest ? rest.marker : undefined])).toEqual([
    ['a', '1.'],
    ['b', '1.1.'],
    ['c', '1.2.'],
    ['d', '2.'],
    ['e', ''],
  ]);
});

/** Positions followed by data. */
const places = (at: number[], ...data: Uint8Array[]) => joinBytes(...at.map((place) => [4, place] as const), ...data);
const png = artRecord(0x6e0 << 4, 0xf01e, Buffer.alloc(17), pngHeader(3, 4));

test('inline pictures have their bytes, shapes have their picture or text box, and a picture paragraph has no text', async () => {
  const picture = (kind: number, ...inner: Uint8Array[]) => {
    const rest = joinBytes(...inner);
    return joinBytes([4, 68 + rest.length], [2, 68], [2, kind], Buffer.alloc(60), rest);
  };
  const data = joinBytes(picture(0x64, artRecord(0xf, 0xf004), artStoreEntry(png)), picture(8));
  const shape = (id: number, ...inner: Uint8Array[]) =>
    artRecord(0xf, 0xf004, artRecord(2, 0xf00a, [4, id], [4, 0]), ...inner);
  const drawing = artRecord(
    0xf,
    0xf002,
    artRecord(
      0xf,
      0xf003,
      shape(1),
      shape(1026, artProperties(0xf00b, [0x4104, 1])),
      artRecord(0xf, 0xf003, shape(1027), shape(1028)),
    ),
  );
  const store = artRecord(0xf, 0xf000, artRecord(0xf, 0xf001, artStoreEntry(png)));
  const mark = (at: number): Piece[] => [
    [2, 0x6a03],
    [4, at],
  ];
  const anchor = (id: number) => joinBytes([4, id], Buffer.alloc(22));
  const box = (id: number) => joinBytes(Buffer.alloc(14), [4, id], [4, 0]);
  const input: [Part[], Extra] = [
    [
      { text: '\u0001', marks: mark(0) },
      { text: '\rwords ' },
      { text: '\u0001', marks: mark(data.length - 68) },
      { text: '\u0008\u0008\r' },
    ],
    {
      data,
      boxes: 'in a box\r\rleft\r\r\r',
      structures: [
        [structures.drawings, joinBytes(store, [1, 0], drawing)],
        [structures.shapes, places([9, 10, 11], anchor(1026), anchor(1027))],
        [structures.textBoxes, places([0, 10, 16, 17], box(1028), box(9), box(0))],
      ],
    },
  ];
  const document = await readParts(...input);
  expect(await failuresOfDamaged(wordFile(...input), 'a.doc', 17)).toEqual([]);
  expect(document.pictures.map(({ image }) => image?.mimetype)).toEqual(['image/png', undefined, 'image/png']);
  expect(shown(document)).toEqual([
    ['text', 'in a box'],
    ['text', 'words'],
    ['text', 'left'],
  ]);
  expect(document.groups.map(({ label }) => label)).toEqual(['section', 'picture_area', 'section']);
});

test('comments reference their items, notes have paragraphs, headers are furniture, deleted text is omitted', async () => {
  const initials = joinBytes([2, 2], Buffer.from('AL', 'utf16le'), Buffer.alloc(14), [2, 0], Buffer.alloc(8));
  const authors = joinBytes([2, 7], Buffer.from('Ann Lee', 'utf16le'));
  // Six note separators, then the parts of the section: the default header and footer, and those of the first page.
  const headers = places([0, 0, 0, 0, 0, 0, 0, 0, 6, 6, 9, 16, 17, 18]);
  const section = joinBytes([2, 0], [4, 0x220], Buffer.alloc(6));
  const parts = [
    { text: 'kept' },
    { text: ' gone', marks: flag(0x0800) },
    { text: '\u0005', marks: [] },
    {
      text: '(',
      marks: [
        [2, 0x6a09],
        [2, 0],
        [2, 0xf0e0],
      ] as Piece[],
    },
    { text: '\r' },
  ];
  const fonts = joinBytes([2, 1], [2, 0], [1, 59], Buffer.alloc(39), Buffer.from('Wingdings\0', 'utf16le'));
  const extra: Extra = {
    notes: 'one\rline\r\r',
    headers: 'Head\r\r7\r\rFirst\r\r\r',
    comments: '\u0005Why?\r\r',
    endnotes: 'the end\r\r',
    structures: [
      [structures.footnotes, places([0, 9, 10])],
      [structures.endnotes, places([0, 8, 9])],
      [structures.comments, places([0, 6, 7])],
      [structures.commentMarks, places([9, 10], initials)],
      [structures.commentAuthors, authors],
      [structures.headers, headers],
      [structures.sections, places([0, 11], section)],
      [structures.fonts, fonts],
    ],
  };
  const document = await readParts(parts, extra);
  expect(await failuresOfDamaged(wordFile(parts, extra), 'a.doc', 17)).toEqual([]);
  expect(shown(document)).toEqual([
    ['text', 'kept→'],
    ['footnote', 'one\nline'],
    ['footnote', 'the end'],
    ['text', 'Head'],
    ['text', '[author: Ann Lee (AL)]: Why?'],
  ]);
  expect(document.texts[3]!.content_layer).toBe('furniture');
  expect(document.texts[0]!.comments).toEqual([{ $ref: document.groups.at(-1)!.self_ref }]);
});

test('protected, older and damaged documents give their codes', async () => {
  await expect(readParts([{ text: 'a\r' }], { flags: 0x100 })).rejects.toMatchObject({ code: 'DOCUMENT_ENCRYPTED' });
  const noTable = compoundFile({ WordDocument: Buffer.alloc(4096) });
  await expect(convertBytes({ bytes: noTable, name: 'a.txt' })).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
  const bytes = wordFile([
    { text: 'some text\r', style: 1 },
    { text: 'x\u0007', changes: inTable },
  ]);
  expect(await failuresOfDamaged(bytes, 'a.doc', 5)).toEqual([]);
});

test.each([
  ['\x13 MACROBUTTON NoMacro [Click here] \x15.', '[Click here].'],
  ['\x13 SYMBOL 183 \\f "Symbol" \x15 x', '· x'],
  ['\x13 PAGE \x15of', 'of'],
  ['a \x13 that never ends', 'a  that never ends'],
  ['\x13 IF 1 = \x13 QUOTE "1" \x15 "yes" \x14yes\x15', 'yes'],
  ['\x13 "words that are no instruction" \x15', '"words that are no instruction"'],
])('a field without a result shows the text from its instruction: %j', async (text, shown) => {
  const document = await readParts([{ text: `${text}\r` }, { text: 'after\r' }]);
  expect(document.texts.map((item) => item.text)).toEqual([shown, 'after']);
});

test('deleted and hidden text is counted by paragraph', async () => {
  const parts = [
    { text: 'kept' },
    { text: ' gone away', marks: flag(0x0800) },
    { text: ' unseen', marks: flag(0x083c) },
    { text: '\r' },
    { text: 'secret\r', marks: flag(0x083c) },
  ];
  const { coverage } = await convertBytes({ bytes: wordFile(parts), name: 'a.doc' });
  expect(coverage).toEqual([
    { kind: 'deleted text', count: 1, words: 2, in_json: false },
    { kind: 'hidden text', count: 2, words: 2, in_json: false },
  ]);
});
