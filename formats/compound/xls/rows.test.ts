import { convertBytes } from '../../convert';
import { defaultLimits } from '../../format';
import { joinBytes, compoundFile, type Piece } from '../test-support';
import { biff } from './records';
import { readSheets } from './rows';
import { hasLargeSheets } from './size';

const limits = defaultLimits;
const record = (type: number, ...pieces: Piece[]) => {
  const data = joinBytes(...pieces);
  return joinBytes([2, type], [2, data.length], data);
};
const bof = (kind: number) => record(biff.bof, [2, 0x600], [2, kind], [4, 0], [4, 0], [4, 0]);
const eof = record(biff.eof);
const place = (row: number, column: number) => joinBytes([2, row], [2, column], [2, 0]);
const double = (value: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
};
const text = (value: string) => joinBytes([2, value.length], [1, 0], Buffer.from(value, 'latin1'));
const label = (row: number, column: number, value: string) => record(biff.label, place(row, column), text(value));
const number = (row: number, column: number, value: number) => record(biff.number, place(row, column), double(value));
/** Whole numbers in neighboring cells. */
const numbers = (row: number, values: number[]) => {
  const cells = values.map((value) => joinBytes([2, 0], [4, (value << 2) | 2]));
  return record(biff.mulRk, [2, row], [2, 0], ...cells, [2, values.length - 1]);
};

function workbook(sheets: { name: string; state?: number; records: Uint8Array[] }[], extra: Uint8Array[] = []) {
  const bodies = sheets.map(({ records }) => joinBytes(bof(0x10), ...records, eof));
  const writeHead = (offsets: number[]) => {
    const entries = sheets.map(({ name, state = 0 }, index) =>
      record(biff.boundSheet, [4, offsets[index]!], [1, state], [1, 0], [1, name.length], [1, 0], Buffer.from(name)),
    );
    return joinBytes(bof(5), ...extra, ...entries, eof);
  };
  let at = writeHead(sheets.map(() => 0)).length;
  const offsets = bodies.map((body) => (at += body.length) - body.length);
  return compoundFile({ Workbook: joinBytes(writeHead(offsets), ...bodies) });
}

test('row by row, the sheets have the texts of the reader: strings, numbers, results of formulas; charts are skipped', async () => {
  const formula = record(biff.formula, place(2, 1), Buffer.from([0, 0, 0, 0, 0, 0, 0xff, 0xff]), Buffer.alloc(8));
  const records = [
    ...[label(0, 0, 'Name'), label(0, 2, 'Sum'), bof(0x20), label(0, 0, 'in a chart'), eof],
    ...[number(1, 2, 1.5), label(2, 0, 'x'), formula, record(biff.string, text('result')), numbers(9, [7, 8])],
  ];
  const bytes = workbook([
    { name: 'First', records },
    { name: 'Hidden', state: 1, records: [label(0, 0, 'secret')] },
  ]);
  const sheets = [...readSheets(bytes, { name: 'a.xls', limits })].map((sheet) => ({
    ...sheet,
    rows: [...sheet.rows],
  }));
  expect(sheets.map(({ name, isHidden }) => [name, isHidden])).toEqual([
    ['First', false],
    ['Hidden', true],
  ]);
  expect(sheets[0]?.rows).toEqual([
    ['Name', '', 'Sum'],
    ['', '', '1.5'],
    ['x', 'result'],
    ['7', '8'],
  ]);
  const { document } = await convertBytes({ bytes, name: 'a.xls' });
  const whole = document.tables.flatMap(({ data }) => data.table_cells.map((cell) => cell.text)).filter(Boolean);
  expect(
    sheets
      .flatMap(({ rows }) => rows.flat())
      .filter(Boolean)
      .sort(),
  ).toEqual(whole.sort());
});

test('only workbooks of many cells are read row by row, and none whose records are encrypted', () => {
  const row = numbers(
    0,
    Array.from({ length: 200 }, (_, column) => column),
  );
  const makeRows = (count: number) => [Buffer.concat(Array.from({ length: count }, () => row))];
  const extra = record(biff.filePass, Buffer.alloc(6));
  expect(hasLargeSheets(workbook([{ name: 'S', records: makeRows(3_600) }]))).toBe(true);
  expect(hasLargeSheets(workbook([{ name: 'S', records: makeRows(3_400) }]))).toBe(false);
  expect(hasLargeSheets(workbook([{ name: 'S', records: makeRows(3_600) }], [extra]))).toBe(false);
  expect(hasLargeSheets(Buffer.alloc(5 * 1024 * 1024))).toBe(false);
});
