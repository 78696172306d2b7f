import type { DoclingDocument } from '../../../document/model';
import { convertBytes } from '../../convert';
import type { ReadLimits } from '../../format';
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
import { biff } from './records';

const record = (type: number, ...pieces: Piece[]) => {
  const data = joinBytes(...pieces);
  return joinBytes([2, type], [2, data.length], data);
};
const bof = (kind: number, version = 0x600) => record(biff.bof, [2, version], [2, kind], [4, 0], [4, 0], [4, 0]);
const eof = record(biff.eof);
const place = (row: number, column: number, style = 0) => joinBytes([2, row], [2, column], [2, style]);
const double = (value: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
};
const shared = (row: number, column: number, index: number) => record(biff.labelSst, place(row, column), [4, index]);
const narrow = (text: string) => joinBytes([2, text.length], [1, 0], Buffer.from(text, 'latin1'));
const wide = (text: string) => joinBytes([2, text.length], [1, 1], Buffer.from(text, 'utf16le'));

interface SheetBytes {
  name: string;
  state?: number;
  kind?: number;
  records: Uint8Array[];
}
/** The workbook stream: the globals with the start of each sheet, then the sheets. */
function workbook(globals: Uint8Array[], sheets: SheetBytes[], version = 0x600): Buffer {
  const bodies = sheets.map(({ records }) => joinBytes(bof(0x10, version), ...records, eof));
  const entry = ({ name, state = 0, kind = 0 }: SheetBytes, at: number) => {
    const flags = version === 0x600 ? [Buffer.from([0])] : [];
    return record(
      biff.boundSheet,
      [4, at],
      [1, state],
      [1, kind],
      [1, name.length],
      ...flags,
      Buffer.from(name, 'latin1'),
    );
  };
  const head = (offsets: number[]) =>
    joinBytes(bof(5, version), ...globals, ...sheets.map((sheet, index) => entry(sheet, offsets[index]!)), eof);
  let at = head(sheets.map(() => 0)).length;
  const offsets = bodies.map((body) => (at += body.length) - body.length);
  return joinBytes(head(offsets), ...bodies);
}

async function readStream(
  stream: Uint8Array,
  name = 'a.xls',
  limits: Partial<ReadLimits> = {},
): Promise<DoclingDocument> {
  const { document, format } = await convertBytes({ bytes: compoundFile({ Workbook: stream }), name, limits });
  expect(format).toBe('xls');
  return document;
}
const getTexts = ({ tables }: DoclingDocument, index = 0) => tables[index]!.data.table_cells.map(({ text }) => text);

test('cells of every type have the same text as in XLSX', async () => {
  const formula = (column: number, result: Uint8Array) =>
    record(biff.formula, place(0, column), result, [2, 0], [4, 0], [2, 0]);
  const special = (kind: number, value: number) =>
    joinBytes([1, kind], [1, 0], [1, value], [1, 0], [2, 0], [2, 0xffff]);
  const records = [
    shared(0, 0, 0),
    record(biff.label, place(0, 1), wide('Grüße')),
    record(biff.number, place(0, 2), double(2.5)),
    record(biff.rk, place(0, 3), [4, (120 << 2) | 2]),
    record(biff.rk, place(0, 4), [4, (1234 << 2) | 3]),
    record(biff.mulRk, [2, 0], [2, 5], [2, 0], [4, (-7 << 2) | 2], [2, 0], [4, (8 << 2) | 2], [2, 6]),
    record(biff.boolErr, place(0, 7), [1, 1], [1, 0]),
    record(biff.boolErr, place(0, 8), [1, 7], [1, 1]),
    formula(9, double(1200)),
    formula(10, special(0, 0)),
    record(biff.string, narrow('result')),
    formula(11, special(1, 0)),
    formula(12, special(2, 0x2a)),
    formula(13, special(3, 0)),
  ];
  const sst = record(biff.sst, [4, 1], [4, 1], narrow('shared'));
  const document = await readStream(workbook([sst], [{ name: 'S', records }]));
  expect(getTexts(document)).toEqual([
    ...['shared', 'Grüße', '2.5', '120', '12.34', '-7', '8', 'TRUE', '#DIV/0!', '1200', 'result', 'FALSE', '#N/A'],
  ]);
  expect(document.groups[0]).toMatchObject({ name: 'S', label: 'sheet' });
});

test('strings continue in another width in the next record; rich text and Asian data are skipped completely', async () => {
  const first = joinBytes([4, 3], [4, 3], [2, 6], [1, 0], Buffer.from('abc'));
  const second = joinBytes(
    [1, 1],
    Buffer.from('dëf', 'utf16le'),
    [2, 2],
    [1, 8 | 4],
    [2, 1],
    [4, 4],
    Buffer.from('hi'),
    [4, 9],
    [4, 9],
  );
  const third = joinBytes([2, 3], [1, 0], Buffer.from('end'));
  const sst = joinBytes(record(biff.sst, first), record(biff.continue, second), record(biff.continue, third));
  const records = [0, 1, 2].map((index) => shared(0, index, index));
  expect(getTexts(await readStream(workbook([sst], [{ name: 'S', records }])))).toEqual(['abcdëf', 'hi', 'end']);
});

test('phonetic guides are counted as omitted', async () => {
  const guide = Buffer.from('かな', 'utf16le');
  const extension = joinBytes([2, 1], [2, 14], [4, 0], [2, 1], [2, 2], [2, 2], guide);
  const text = Buffer.from('仮名', 'utf16le');
  const sst = record(
    biff.sst,
    [4, 2],
    [4, 2],
    [2, 2],
    [1, 4 | 1],
    [4, extension.length],
    text,
    extension,
    [2, 1],
    [1, 0],
    Buffer.from('x'),
  );
  const bytes = compoundFile({
    Workbook: workbook([sst], [{ name: 'S', records: [shared(0, 0, 0), shared(0, 1, 1)] }]),
  });
  const { document, coverage } = await convertBytes({ bytes, name: 'a.xls' });
  expect(getTexts(document)).toEqual(['仮名', 'x']);
  expect(coverage).toContainEqual({ kind: 'phonetic guide', count: 1, words: 1, in_json: false });
});

test('numbers become dates if the format of their style is a date', async () => {
  const globals = [
    record(biff.format, [2, 164], wide('yyyy\\-mm')),
    ...[0, 14, 164].map((format) => record(biff.xf, [2, 0], [2, format], Buffer.alloc(16))),
  ];
  const cell = (style: number) => record(biff.number, place(0, style, style), double(46082));
  const document = await readStream(workbook(globals, [{ name: 'S', records: [0, 1, 2].map(cell) }]));
  expect(getTexts(document)).toEqual(['46082', '2026-03-01', '2026-03']);
});

test('sheets are pages, hidden sheets are invisible, modules are omitted, and merged cells span', async () => {
  const cells = [record(biff.label, place(0, 0), narrow('a')), record(biff.label, place(0, 1), narrow('b'))];
  const merged = [
    ...cells,
    record(biff.label, place(1, 1), narrow('c')),
    record(biff.mergeCells, [2, 1], [2, 0], [2, 1], [2, 0], [2, 0]),
  ];
  const document = await readStream(
    workbook(
      [],
      [
        { name: 'One', records: merged },
        { name: 'Code', kind: 6, records: [] },
        { name: 'Two', state: 1, records: [bof(0x20), ...cells, eof, ...cells] },
      ],
    ),
  );
  expect(document.groups.map(({ name, content_layer }) => [name, content_layer])).toEqual([
    ['One', 'body'],
    ['Two', 'invisible'],
  ]);
  expect(document.tables[0]!.data.table_cells.map(({ text, row_span }) => [text, row_span])).toEqual([
    ['a', 2],
    ['b', 1],
    ['c', 1],
  ]);
  expect(Object.keys(document.pages)).toEqual(['1', '2']);
});

test('Excel 5 workbooks store strings in the code page of the computer', async () => {
  const label = record(biff.label, place(0, 0), [2, 4], Buffer.from([0xcf, 0xf0, 0xe8, 0x21]));
  const stream = workbook([record(biff.codePage, [2, 1251])], [{ name: 'S', records: [label] }], 0x500);
  const { document } = await convertBytes({ bytes: compoundFile({ Book: stream }), name: 'wrong.docx' });
  expect(getTexts(document)).toEqual(['При!']);
});

test('protected, damaged, truncated and too large workbooks give their codes', async () => {
  const sheets = [
    { name: 'S', records: [] },
    { name: 'T', records: [] },
  ];
  const stream = workbook([], sheets);
  const code = (expected: string) => expect.objectContaining({ code: expected }) as unknown;
  await expect(readStream(workbook([record(biff.filePass, [2, 1])], sheets))).rejects.toEqual(
    code('DOCUMENT_ENCRYPTED'),
  );
  await expect(readStream(Buffer.from('no records'))).rejects.toEqual(code('DOCUMENT_CORRUPT'));
  await expect(readStream(stream.subarray(0, 30))).rejects.toEqual(code('DOCUMENT_CORRUPT'));
  await expect(readStream(stream, 'a.xls', { maxPages: 1 })).rejects.toEqual(code('DOCUMENT_TOO_LARGE'));
  const file = compoundFile({ Workbook: joinBytes(stream, Buffer.alloc(5000)) });
  await expect(convertBytes({ bytes: file.slice(0, 700), name: 'a.xls' })).rejects.toEqual(code('DOCUMENT_CORRUPT'));
});

test('a workbook with any byte changed gives a document or a coded error', async () => {
  const records = [shared(0, 0, 0), record(biff.number, place(1, 0), double(1))];
  const bytes = compoundFile({
    Workbook: workbook([record(biff.sst, [4, 1], [4, 1], narrow('x'))], [{ name: 'S', records }]),
  });
  expect(await failuresOfDamaged(bytes, 'a.xls', 7)).toEqual([]);
});

/** The records of a shape and its object; `follows` contains records after the object, such as its text. */
interface Drawn {
  kind: number;
  id?: number;
  top: number;
  picture?: number;
  follows?: Uint8Array[];
}
const chartText = (text: string) => record(0x100d, [2, 0], [1, text.length], [1, 0], Buffer.from(text, 'latin1'));

function drawingRecords(objects: Drawn[]): Uint8Array[] {
  const shapes = objects.map(({ top, picture }) => {
    const anchor = [2, 1, 0, top, 0, 3, 0, top + 1, 0].map((value) => [2, value] as const);
    const properties = picture === undefined ? [] : [artProperties(0xf00b, [0x4104, picture])];
    const client = [artRecord(0, 0xf010, ...anchor), artRecord(0, 0xf011)];
    return artRecord(0xf, 0xf004, artRecord(2, 0xf00a, [4, 1], [4, 0]), ...properties, ...client);
  });
  const outer = artRecord(0xf, 0xf004, artRecord(2, 0xf00a, [4, 1], [4, 5]));
  const whole = artRecord(0xf, 0xf002, artRecord(0xf, 0xf003, outer, ...shapes));
  // The drawing is split between the objects, as in Excel files.
  let from = 0;
  return objects.flatMap(({ kind, id = 0, follows = [] }, index) => {
    const to = index === objects.length - 1 ? whole.length : from + 20;
    const part = record(biff.drawing, whole.subarray(from, to));
    from = to;
    return [part, record(biff.obj, [2, 0x15], [2, 0x12], [2, kind], [2, id], Buffer.alloc(14)), ...follows];
  });
}
const textObject = (text: string) => [
  record(biff.textObject, Buffer.alloc(10), [2, text.length], [2, 16], [4, 0]),
  record(biff.continue, [1, 0], Buffer.from(text, 'latin1')),
  record(biff.continue, Buffer.alloc(16)),
];
const chartStream = [
  bof(0x20),
  ...['Sales', 'Costs'].flatMap((name) => [record(biff.series, Buffer.alloc(12)), chartText(name)]),
  record(biff.bar, Buffer.alloc(6)),
  record(biff.text, Buffer.alloc(32)),
  chartText('Year'),
  record(biff.objectLink, [2, 1], [4, 0]),
  record(biff.pointsOf, [2, 2]),
  record(biff.label, place(0, 0), narrow('Q1')),
  record(biff.label, place(1, 0), narrow('Q2')),
  record(biff.pointsOf, [2, 1]),
  ...[0, 1].flatMap((row) => [0, 1].map((column) => record(biff.number, place(row, column), double(row + column / 2)))),
  eof,
];
const getStore = (...entries: Uint8Array[]) =>
  record(biff.drawingGroup, artRecord(0xf, 0xf000, artRecord(0xf, 0xf001, ...entries)));

test('pictures have their bytes, charts their data, text boxes their text, and comments are in the notes layer', async () => {
  const png = artRecord(0x6e1 << 4, 0xf01e, Buffer.alloc(33), pngHeader(3, 4));
  const bitmap = joinBytes([4, 40], [4, 2], [4, 1], [2, 1], [2, 24], Buffer.alloc(32));
  const dib = artRecord(0x7a8 << 4, 0xf01f, Buffer.alloc(17), bitmap);
  const objects = [
    { kind: 8, top: 1, picture: 1 },
    { kind: 8, top: 5, picture: 2 },
    { kind: 6, top: 10, follows: textObject('In a box') },
    { kind: 0x19, id: 7, top: 0, follows: textObject('Why so much?') },
    { kind: 5, top: 20, follows: chartStream },
  ];
  const note = record(biff.note, [2, 6], [2, 27], [2, 0], [2, 7], narrow('Ann'), [1, 0]);
  const records = [record(biff.number, place(0, 0), double(1)), ...drawingRecords(objects), note];
  const stream = workbook([getStore(artStoreEntry(png), artStoreEntry(dib))], [{ name: 'S', records }]);
  const document = await readStream(stream);
  expect(await failuresOfDamaged(compoundFile({ Workbook: stream }), 'a.xls', 17)).toEqual([]);
  const [first, second, chart] = document.pictures;
  expect(first!.image).toMatchObject({ mimetype: 'image/png', size: { width: 3, height: 4 } });
  expect(first!.prov[0]!.bbox).toMatchObject({ l: 1, t: 1, r: 4, b: 3 });
  expect(second!.image).toMatchObject({ mimetype: 'image/bmp', size: { width: 2, height: 1 } });
  const values = ['', 'Sales', 'Costs', 'Q1', '0', '0.5', 'Q2', '1', '1.5'];
  expect(chart!.meta).toMatchObject({
    classification: { predictions: [{ class_name: 'bar_chart' }] },
    tabular_chart: { chart_data: { table_cells: values.map((text) => ({ text })) } },
  });
  expect(document.texts.map(({ label, text }) => [label, text])).toEqual([
    ['text', 'In a box'],
    ['caption', 'Year'],
    ['text', '[author: Ann]: Why so much?'],
  ]);
  expect(document.groups.at(-1)).toMatchObject({ name: 'comment-S-AB7', content_layer: 'notes' });
});

test('a drawing that continues after a chart has its later text boxes', async () => {
  const objects = [
    { kind: 5, top: 1, follows: chartStream },
    { kind: 6, top: 9, follows: textObject('After the chart') },
  ];
  const records = drawingRecords(objects);
  const second = Buffer.from(records[2 + chartStream.length]!);
  expect(second.readUInt16LE(0)).toBe(biff.drawing);
  second.writeUInt16LE(biff.continue, 0);
  records[2 + chartStream.length] = second;
  const document = await readStream(workbook([], [{ name: 'S', records }]));
  expect(document.pictures).toHaveLength(1);
  expect(document.texts.map(({ text }) => text)).toContain('After the chart');
});

test('charts of Excel 5, which have no drawings, are at the place that their object records', async () => {
  const corners = [2, 0, 5, 0, 4, 0, 9, 0].map((value) => [2, value] as const);
  const chart = [record(biff.obj, [4, 1], [2, 5], [2, 1], [2, 0], ...corners, Buffer.alloc(10)), bof(0x20, 0x500), eof];
  const records = [record(biff.number, place(0, 0), double(1)), ...chart];
  const { pictures } = await readStream(workbook([], [{ name: 'S', records }], 0x500));
  expect(pictures.map(({ prov }) => prov[0]?.bbox)).toMatchObject([{ l: 2, t: 5, r: 5, b: 10 }]);
});

test('a chart sheet is a picture with its data', async () => {
  const stream = workbook([], [{ name: 'C', kind: 2, records: chartStream.slice(1, -1) }]);
  const { pictures } = await readStream(stream);
  expect(pictures[0]!.meta).toMatchObject({ tabular_chart: { chart_data: { num_rows: 3 } } });
});
