import { encode } from 'iconv-lite';
import { convertBytes } from '../../convert';
import { joinBytes, compoundFile, failuresOfDamaged, type Piece } from '../test-support';

const textAt = 0x300;

/** A page of text runs: their positions, one entry of `entryBytes` for each, and their lists from the end of the page. */
function page(stretches: { end: number; list: Buffer }[], entryBytes: number): Buffer {
  const bytes = Buffer.alloc(512);
  bytes.writeUInt32LE(textAt, 0);
  let listAt = 510;
  for (const [index, { end, list }] of stretches.entries()) {
    bytes.writeUInt32LE(end, 4 * (index + 1));
    listAt = (listAt - list.length) & ~1;
    list.copy(bytes, listAt);
    bytes[4 * (stretches.length + 1) + index * entryBytes] = listAt / 2;
  }
  bytes[511] = stretches.length;
  return bytes;
}

interface Part {
  text: string;
  style?: number;
  /** Properties of the paragraph and its characters, in Word 6 format. */
  changes?: number[];
  marks?: number[];
  encoding?: string;
}

const fontNames: [name: string, charset: number][] = [
  ['Times', 0],
  ['Times Cyr', 204],
  ['Gothic', 128],
];

function wordFile(parts: Part[], { language = 0x409, notes = '' } = {}): Uint8Array {
  const texts = parts.map(({ text, encoding = 'cp1252' }) => encode(text, encoding));
  const text = Buffer.concat([...texts, Buffer.from(notes)]);
  let at = textAt;
  const ends = texts.map((own) => (at += own.length));
  const paragraphs = parts.map(({ style = 0, changes = [] }, index) => {
    const list = joinBytes([2, style], Buffer.from(changes));
    return { end: ends[index]!, list: joinBytes([1, Math.ceil(list.length / 2)], list, Buffer.alloc(list.length & 1)) };
  });
  const characters = parts.map(({ marks = [] }, index) => ({
    end: ends[index]!,
    list: Buffer.from([marks.length, ...marks]),
  }));
  const pages = Math.ceil((textAt + text.length) / 512);
  const bins = (number: number) => joinBytes([4, textAt], [4, at], [2, number]);
  const heading = joinBytes([2, 1], [2, 0xfff1], [2, 1], [2, 0], Buffer.from('\x04Head\0'));
  const normal = joinBytes([2, 0], [2, 0xfff1], [2, 1], [2, 0], Buffer.from('\x06Normal\0'));
  const styles = [normal, heading].map((bytes) => joinBytes([2, bytes.length], bytes));
  const fonts = fontNames.map(([name, charset]) =>
    joinBytes([1, name.length + 6], [1, 0], [2, 400], [1, charset], [1, 0], Buffer.from(`${name}\0`)),
  );
  const structures: [at: number, bytes: Buffer][] = [
    [0x60, joinBytes([2, 4], [2, styles.length], [2, 8], ...styles)],
    [0x70, joinBytes([4, 0], [4, notes.length], [4, notes.length])],
    [0xb8, bins(pages + 1)],
    [0xc0, bins(pages)],
    [0xd0, joinBytes([2, 0], ...fonts)],
  ];
  const main = Buffer.alloc((pages + 2) * 512);
  const head: [number, Piece][] = [
    [0, [2, 0xa5dc]],
    [2, [2, 104]],
    [6, [2, language]],
    [0x18, [4, textAt]],
    [0x34, [4, text.length - notes.length]],
    [0x38, [4, notes.length]],
  ];
  for (const [place, piece] of head) joinBytes(piece).copy(main, place);
  text.copy(main, textAt);
  page(paragraphs, 7).copy(main, pages * 512);
  page(characters, 1).copy(main, (pages + 1) * 512);
  let end = main.length;
  for (const [place, bytes] of structures) {
    joinBytes([4, end], [4, bytes.length]).copy(main, place);
    end += bytes.length;
  }
  return compoundFile({ WordDocument: Buffer.concat([main, ...structures.map(([, bytes]) => bytes)]) });
}

const read = async (parts: Part[], options?: Parameters<typeof wordFile>[1]) =>
  (await convertBytes({ bytes: wordFile(parts, options), name: 'old.doc' })).document;

const [inTable, rowEnd] = [24, 25];

test('a Word 95 document has headings by style, formatting, notes and tables', async () => {
  const cells = ['Name', 'Sum', 'Rent', '900'].map((text) => ({ text: `${text}\x07`, changes: [inTable, 1] }));
  const endOfRow = { text: '\x07', changes: [inTable, 1, rowEnd, 1] };
  const parts: Part[] = [
    { text: 'Chapter\r', style: 1 },
    { text: 'plain ' },
    { text: 'bold\r', marks: [85, 1] },
    ...cells.slice(0, 2),
    endOfRow,
    ...cells.slice(2),
    endOfRow,
    { text: 'after \x13 PAGE \x147\x15\r' },
  ];
  const document = await read(parts, { notes: 'A note.\r' });
  expect(document.texts.map(({ label, text }) => [label, text])).toEqual([
    ['section_header', 'Chapter'],
    ['text', 'plain'],
    ['text', 'bold'],
    ['text', 'after 7'],
    ['footnote', 'A note.'],
  ]);
  expect(document.texts[2]!.formatting).toMatchObject({ bold: true });
  expect(document.tables[0]!.data.table_cells.map(({ text }) => text)).toEqual(['Name', 'Sum', 'Rent', '900']);
  expect(await failuresOfDamaged(wordFile(parts), 'a.doc', 97)).toEqual([]);
});

test.each<[what: string, part: Part, options: Parameters<typeof wordFile>[1]]>([
  ['by the typeface', { text: 'Привет\r', encoding: 'cp1251', marks: [93, 1, 0] }, {}],
  ['with two bytes per character', { text: '日本語\r', encoding: 'cp932', marks: [93, 2, 0] }, {}],
  ['by the language of the file', { text: 'Привет\r', encoding: 'cp1251' }, { language: 0x419 }],
  ['by the frequency of its characters', { text: 'Привет всем, как у вас дела?\r', encoding: 'cp1251' }, {}],
  ['Western', { text: 'Grüße – €\r' }, {}],
])('text is decoded %s', async (_, part, options) => {
  const document = await read([part, { text: 'end\r' }], options);
  expect(document.texts.map(({ text }) => text)).toEqual([part.text.trim(), 'end']);
});
