import { zipSync } from 'fflate';
import { convertBytes } from '../../convert';
import { readOptions, relationshipsXml } from '../test-support';
import { readSheets } from './rows';

const u32 = (...values: number[]) => Buffer.concat(values.map((value) => Buffer.from(new Uint32Array([value]).buffer)));
const wide = (text: string) => Buffer.concat([u32(text.length), Buffer.from(text, 'utf16le')]);
const double = (value: number) => Buffer.from(new Float64Array([value]).buffer);
const none = Buffer.alloc(0);

/** A record: type and length with seven bits per byte. */
function record(type: number, ...data: Buffer[]): Buffer {
  const body = Buffer.concat(data);
  const number = (value: number): number[] =>
    value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(value >>> 7)];
  return Buffer.concat([Buffer.from([...number(type), ...number(body.length)]), body]);
}
const cell = (type: number, column: number, style: number, value: Buffer) => record(type, u32(column, style), value);

const getSheet = (name: string, relation: string, state = 0) => record(156, u32(state, 1), wide(relation), wide(name));

function workbook(first: Buffer[], more: Record<string, Buffer> = {}): Uint8Array {
  const parts: Record<string, Buffer> = {
    '[Content_Types].xml': Buffer.from('<Types/>'),
    '_rels/.rels': Buffer.from(relationshipsXml([['rId1', 'officeDocument', 'xl/workbook.bin']])),
    'xl/workbook.bin': Buffer.concat([record(153, u32(0, 0, 0)), getSheet('Sales', 'a'), getSheet('Secret', 'b', 1)]),
    'xl/_rels/workbook.bin.rels': Buffer.from(
      relationshipsXml([
        ['a', 'worksheet', 'worksheets/sheet1.bin'],
        ['b', 'worksheet', 'worksheets/sheet2.bin'],
        ['c', 'sharedStrings', 'sharedStrings.bin'],
        ['d', 'styles', 'styles.bin'],
      ]),
    ),
    'xl/sharedStrings.bin': record(19, Buffer.from([0]), wide('Grüße')),
    'xl/styles.bin': Buffer.concat([
      record(44, Buffer.from([200, 0]), wide('0.0 %')),
      record(47, Buffer.from([0, 0, 14, 0])),
      ...[record(617, u32(3)), ...[0, 200, 14].map((id) => record(47, Buffer.from([0, 0, id, 0]))), record(618)],
    ]),
    'xl/worksheets/sheet1.bin': Buffer.concat(first),
    'xl/worksheets/sheet2.bin': Buffer.concat([record(0, u32(0)), cell(6, 0, 0, wide('hidden'))]),
    ...more,
  };
  return zipSync(parts);
}

test('cells of every type are read as the sheet shows them, with merges, comments, headers and hidden sheets', async () => {
  const bytes = workbook(
    [
      ...[record(0, u32(0)), cell(7, 0, 0, u32(0)), cell(62, 1, 0, Buffer.concat([Buffer.from([1]), wide('rich')]))],
      ...[record(0, u32(1)), cell(5, 0, 1, double(0.062)), cell(2, 1, 2, u32((41_988 << 2) | 2))],
      ...[record(0, u32(2)), cell(4, 0, 0, Buffer.from([1])), cell(3, 1, 0, Buffer.from([7]))],
      ...[record(0, u32(3)), cell(8, 0, 0, wide('joined')), cell(9, 1, 0, double(2.5))],
      record(176, u32(3, 4, 0, 0)),
      record(
        479,
        Buffer.from([0, 0]),
        wide('&LTop'),
        u32(0xffffffff),
        ...Array.from({ length: 4 }, () => u32(0xffffffff)),
      ),
    ],
    {
      'xl/worksheets/_rels/sheet1.bin.rels': Buffer.from(relationshipsXml([['r', 'comments', '../comments1.bin']])),
      'xl/comments1.bin': Buffer.concat([
        record(632, wide('Ann')),
        record(635, u32(0, 1, 1, 0, 0), Buffer.alloc(16)),
        record(637, Buffer.from([0]), wide('check')),
      ]),
    },
  );
  const { document, format } = await convertBytes({ bytes, name: 'renamed.xlsx' });
  expect(format).toBe('xlsb');
  const [sales, secret] = document.tables;
  expect(sales!.data.table_cells.map(({ text, value }) => (value === undefined ? text : [text, value]))).toEqual([
    ...['Grüße', 'rich', ['6.2 %', 0.062], ['2014-12-15', '2014-12-15 00:00:00']],
    ...[['TRUE', true], '#DIV/0!', 'joined', '2.5', ''],
  ]);
  expect(sales!.data.table_cells.find(({ text }) => text === 'joined')).toMatchObject({ row_span: 2 });
  expect(document.texts.map(({ text, content_layer: layer }) => [text, layer])).toEqual([
    ['Top', 'furniture'],
    ['[author: Ann]: check', 'notes'],
  ]);
  expect(secret).toMatchObject({ content_layer: 'invisible' });
});

test('a sheet truncated within a record keeps the content before it; a part without records is rejected', async () => {
  const whole = Buffer.concat([record(0, u32(0)), cell(6, 0, 0, wide('kept')), cell(6, 1, 0, wide('lost'))]);
  const { document } = await convertBytes({ bytes: workbook([whole.subarray(0, -3)]), name: 'a.xlsb' });
  expect(document.tables[0]!.data.table_cells.map(({ text }) => text)).toEqual(['kept']);
  const empty = workbook([none], { 'xl/workbook.bin': Buffer.from('no records') });
  await expect(convertBytes({ bytes: empty, name: 'a.xlsb' })).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
});

test('row by row, the sheets have the texts of the reader without empty rows, also beyond one piece', () => {
  const rows = Array.from({ length: 30_000 }, (_, at) => [
    record(0, u32(at * 2)),
    cell(6, 1, 0, wide(`row ${at}`)),
    cell(5, 3, 1, double(at / 1_000)),
  ]);
  const sheets = [...readSheets(workbook(rows.flat()), readOptions('a.xlsb'))].map((sheet) => ({
    ...sheet,
    rows: [...sheet.rows],
  }));
  expect(sheets.map(({ name, isHidden, rows: own }) => [name, isHidden, own.length])).toEqual([
    ['Sales', false, 30_000],
    ['Secret', true, 1],
  ]);
  expect(sheets[0]?.rows.at(-1)).toEqual(['', 'row 29999', '', '2999.9 %']);
});

test('row by row, a sheet that ends within a record is damaged', () => {
  const cut = Buffer.concat([record(0, u32(0)), cell(6, 0, 0, wide('text')).subarray(0, 12)]);
  expect(() => [...readSheets(workbook([cut]), readOptions('a.xlsb'))].flatMap(({ rows }) => [...rows])).toThrow(
    'ends within a record',
  );
});
