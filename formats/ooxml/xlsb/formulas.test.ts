import { zipSync } from 'fflate';
import { convertBytes } from '../../convert';
import { relationshipsXml } from '../test-support';

const u32 = (...values: number[]) => Buffer.concat(values.map((value) => Buffer.from(new Int32Array([value]).buffer)));
const u16 = (...values: number[]) => Buffer.concat(values.map((value) => Buffer.from(new Uint16Array([value]).buffer)));
const wide = (text: string) => Buffer.concat([u32(text.length), Buffer.from(text, 'utf16le')]);
const double = (value: number) => Buffer.from(new Float64Array([value]).buffer);
const bytes = (...values: number[]) => Buffer.from(values);
const nothing = u32(-1);

/** A record: type and length with seven bits per byte. */
function record(type: number, ...data: Buffer[]): Buffer {
  const body = Buffer.concat(data);
  const number = (value: number): number[] =>
    value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(value >>> 7)];
  return Buffer.concat([Buffer.from([...number(type), ...number(body.length)]), body]);
}

/** Both parts relative, unless a flag of `$` is given. */
const column = (number: number, { fixedColumn = false, fixedRow = false } = {}) =>
  u16(number | (fixedColumn ? 0 : 0x4000) | (fixedRow ? 0 : 0x8000));
const reference = (row: number, at: Buffer) => Buffer.concat([bytes(0x44), u32(row), at]);
const area = (rows: [number, number], from: Buffer, to: Buffer) => Buffer.concat([bytes(0x25), u32(...rows), from, to]);
const text = (value: string) => Buffer.concat([bytes(0x17), u16(value.length), Buffer.from(value, 'utf16le')]);
const integer = (value: number) => Buffer.concat([bytes(0x1e), u16(value)]);
const variable = (count: number, number: number) => Buffer.concat([bytes(0x42, count), u16(number)]);
const name = (number: number, kind = 0x43) => Buffer.concat([bytes(kind), u32(number)]);
const table = (flags: number, first = 0, last = first) =>
  Buffer.concat([bytes(0x18, 0x19), u16(0, flags), u32(7), u16(first, last)]);
const b2 = reference(1, column(1));

interface Formula {
  tokens: Buffer;
  constants?: Buffer;
}
const parsed = ({ tokens, constants = Buffer.alloc(0) }: Formula) =>
  Buffer.concat([u32(tokens.length), tokens, u32(constants.length), constants]);
/** A formula with the result 5. */
const formulaCell = (at: number, formula: Formula) => record(9, u32(at, 0), double(5), u16(0), parsed(formula));

function buildWorkbook(sheet: Buffer[], more: Record<string, Buffer> = {}): Uint8Array {
  const defineName = (value: string, flags = 0) =>
    record(39, u32(flags), bytes(0), u32(-1), wide(value), parsed({ tokens: integer(1) }), nothing);
  const types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="bin" ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/><Override PartName="/xl/worksheets/sheet1.bin" ContentType="application/vnd.ms-excel.worksheet"/><Override PartName="/xl/worksheets/sheet2.bin" ContentType="application/vnd.ms-excel.worksheet"/></Types>`;
  return zipSync({
    '[Content_Types].xml': Buffer.from(types),
    '_rels/.rels': Buffer.from(relationshipsXml([['rId1', 'officeDocument', 'xl/workbook.bin']])),
    'xl/workbook.bin': Buffer.concat([
      record(131),
      record(153, u32(0, 0), wide('')),
      record(143),
      ...[record(156, u32(0, 1), wide('a'), wide('Sales')), record(156, u32(0, 2), wide('b'), wide('Old data'))],
      record(144),
      record(353),
      record(357),
      record(362, u32(2), u32(0, 1, 1), u32(0, 0, 1)),
      record(354),
      defineName('Rate'),
      defineName('_xlfn.IFNA', 0x100002),
      record(132),
    ]),
    'xl/_rels/workbook.bin.rels': Buffer.from(
      relationshipsXml([
        ['a', 'worksheet', 'worksheets/sheet1.bin'],
        ['b', 'worksheet', 'worksheets/sheet2.bin'],
      ]),
    ),
    'xl/worksheets/sheet1.bin': Buffer.concat([record(129), record(145), ...sheet, record(146), record(130)]),
    'xl/worksheets/sheet2.bin': Buffer.concat([record(129), record(145), record(146), record(130)]),
    ...more,
  });
}

const rowRecord = (row: number) => record(0, u32(row, 0), u16(300, 0), bytes(0), u32(0));

async function readFormulas(sheet: Buffer[], more?: Record<string, Buffer>) {
  const file = buildWorkbook(sheet, more);
  const { document, warnings } = await convertBytes({ bytes: file, name: 'a.xlsb', includeFormulas: true });
  const formulas = document.tables.flatMap(({ data }) => data.table_cells.map(({ formula }) => formula));
  return { formulas, warnings };
}

/** Puts each formula into a row of its own. */
const inRows = (formulas: Formula[]) => formulas.flatMap((formula, row) => [rowRecord(row), formulaCell(0, formula)]);

test('references, texts, arrays, names and functions are written as Excel shows them', async () => {
  const sum = Buffer.concat([area([0, 99_999], column(0), column(16_383)), bytes(0x19, 0x10, 0, 0)]);
  const fixed = reference(1, column(1, { fixedColumn: true, fixedRow: true }));
  const array = {
    tokens: Buffer.concat([bytes(0x60), Buffer.alloc(14), variable(1, 4)]),
    constants: Buffer.concat([
      u32(2, 3),
      ...[1, 2.5].map((value) => Buffer.concat([bytes(0), double(value)])),
      ...[bytes(1), u16(2), Buffer.from('ü"', 'utf16le'), bytes(2, 1), bytes(4, 0x2a, 0, 0, 0), bytes(0), double(-3)],
    ]),
  };
  const { formulas, warnings } = await readFormulas(
    inRows([
      { tokens: Buffer.concat([b2, fixed, bytes(0x05), integer(2), bytes(0x03)]) },
      { tokens: sum },
      { tokens: Buffer.concat([text('Zürich "1"'), b2, bytes(0x08)]) },
      array,
      { tokens: Buffer.concat([name(1), bytes(0x14)]) },
      { tokens: Buffer.concat([name(2, 0x23), b2, integer(0), variable(3, 255)]) },
      { tokens: Buffer.concat([bytes(0x5a), u16(0), u32(4), column(2)]) },
      { tokens: Buffer.concat([bytes(0x3b), u16(1), u32(0, 1_048_575), column(0), column(0), variable(1, 4)]) },
      { tokens: Buffer.concat([b2, bytes(0x16), variable(2, 480)]) },
      { tokens: Buffer.concat([bytes(0x2a), Buffer.alloc(6), bytes(0x2b), Buffer.alloc(12), bytes(0x03)]) },
      { tokens: Buffer.concat([b2, bytes(0x41), u16(15)]) },
    ]),
  );
  expect(formulas).toEqual([
    '=B2*$B$2+2',
    '=SUM(1:100000)',
    '="Zürich ""1"""&B2',
    '=SUM({1,2.5,"ü""";TRUE,#N/A,-3})',
    '=Rate%',
    '=IFNA(B2,0)',
    "='Old data'!C5",
    "=SUM('Sales:Old data'!A:A)",
    '=IFERROR(B2,)',
    '=#REF!+#REF!',
    '=SIN(B2)',
  ]);
  expect(warnings).toEqual([]);
});

test('cells that share a formula or an array have their own references', async () => {
  const exp = { tokens: Buffer.concat([bytes(1), u32(0)]), constants: u32(0) };
  const arrayExp = { tokens: Buffer.concat([bytes(1), u32(0)]), constants: u32(2) };
  const relative = Buffer.concat([bytes(0x4c), u32(-1), column(0x3fff)]);
  const { formulas } = await readFormulas([
    rowRecord(0),
    formulaCell(0, exp),
    record(427, u32(0, 2, 0, 0), parsed({ tokens: Buffer.concat([relative, integer(1), bytes(0x03)]) })),
    formulaCell(2, arrayExp),
    record(426, u32(0, 1, 2, 2), bytes(0), parsed({ tokens: Buffer.concat([b2, b2, bytes(0x05)]) })),
    rowRecord(2),
    formulaCell(1, exp),
  ]);
  expect(formulas.filter((formula) => formula !== undefined)).toEqual(['=XFD1048576+1', '{=B2*B2}', '=A2+1']);
});

test('tables are named by their headings', async () => {
  const more = {
    'xl/worksheets/_rels/sheet1.bin.rels': Buffer.from(relationshipsXml([['t', 'table', '../tables/table1.bin']])),
    'xl/tables/table1.bin': Buffer.concat([
      record(343, u32(0, 3, 0, 1), u32(0, 7, 1, 0), Buffer.alloc(32), wide('Inner'), wide('Prices')),
      record(345, u32(2)),
      record(347, u32(1, 0, -1, -1, -1, 0), nothing, wide('Item')),
      record(347, u32(2, 0, -1, -1, -1, 0), nothing, wide("Price [€] at 5 o'clock")),
      record(347, u32(3, 0, -1, -1, -1, 0), nothing, wide('x'.repeat(256))),
    ]),
  };
  const rows = { all: 1, headers: 2, data: 4, totals: 8, thisRow: 16 };
  const flags = (columns: number, row: number) => columns | (row << 2);
  const { formulas, warnings } = await readFormulas(
    inRows(
      [
        table(flags(0, rows.data)),
        table(flags(0, rows.all)),
        table(flags(1, rows.data)),
        table(flags(2, rows.data), 0, 1),
        table(flags(1, rows.thisRow), 1),
        table(flags(2, rows.headers | rows.data), 0, 1),
        table(flags(1, rows.data), 9),
        table(flags(1, rows.data), 2),
      ].map((tokens) => ({ tokens })),
    ),
    more,
  );
  expect(formulas.filter((formula) => formula !== undefined)).toEqual([
    '=Prices',
    '=Prices[#All]',
    '=Prices[Item]',
    "=Prices[[Item]:[Price '[€'] at 5 o''clock]]",
    "=Prices[[#This Row],[Price '[€'] at 5 o''clock]]",
    "=Prices[[#Headers],[#Data],[Item]:[Price '[€'] at 5 o''clock]]",
  ]);
  expect(warnings).toEqual(['2 formulas could not be read.']);
});

test('formulas that are cut off, too large or of macros are counted, and the cells keep their results', async () => {
  const hugeArray = {
    tokens: Buffer.concat([bytes(0x60), Buffer.alloc(14)]),
    constants: Buffer.concat([u32(-1, -1), Buffer.alloc(100)]),
  };
  const emptyArray = { ...hugeArray, constants: Buffer.concat([u32(-1, 0), Buffer.alloc(100)]) };
  const cases = [
    { tokens: b2.subarray(0, 4) },
    hugeArray,
    emptyArray,
    { tokens: bytes(0x18, 0x01, 0, 0) },
    { tokens: variable(1, 4) },
  ];
  const { formulas, warnings } = await readFormulas(inRows(cases));
  expect(formulas.every((formula) => formula === undefined)).toBe(true);
  expect(warnings).toEqual([`${cases.length} formulas could not be read.`]);
});
