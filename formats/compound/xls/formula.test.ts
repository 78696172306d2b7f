import { convertBytes } from '../../convert';
import { compoundFile, joinBytes, type Piece } from '../test-support';
import { writeFormula } from './formula';
import { createLinks } from './links';
import { biff } from './records';

const record = (type: number, ...pieces: Piece[]) => {
  const data = joinBytes(...pieces);
  return joinBytes([2, type], [2, data.length], data);
};
const bof = (kind: number) => record(biff.bof, [2, 0x600], [2, kind], [4, 0], [4, 0], [4, 0]);
const eof = record(biff.eof);
const narrow = (text: string): Piece[] => [[1, 0], Buffer.from(text, 'latin1')];
const double = (value: number) => Buffer.from(new Float64Array([value]).buffer);
const number = (row: number, column: number, value: number) =>
  record(biff.number, [2, row], [2, column], [2, 0], double(value));
const formula = (row: number, column: number, result: number, tokens: Buffer, constants: Buffer = Buffer.alloc(0)) =>
  record(
    biff.formula,
    [2, row],
    [2, column],
    [2, 0],
    double(result),
    [2, 0],
    [4, 0],
    [2, tokens.length],
    tokens,
    constants,
  );
/** Both parts are relative, as the two upper bits say. */
const relative = (column: number) => column | 0xc000;
const reference = (row: number, column: number) => joinBytes([1, 0x44], [2, row], [2, column]);
const integer = (value: number) => joinBytes([1, 0x1e], [2, value]);

async function readFormulas(sheet: Uint8Array[], globals: Uint8Array[] = []) {
  const head = (at: number) =>
    joinBytes(bof(5), ...globals, record(biff.boundSheet, [4, at], [1, 0], [1, 0], [1, 2], ...narrow('My')), eof);
  const stream = joinBytes(head(head(0).length), bof(0x10), ...sheet, eof);
  const bytes = compoundFile({ Workbook: stream });
  const { document, warnings } = await convertBytes({ bytes, name: 'a.xls', includeFormulas: true });
  const cells = document.tables.flatMap(({ data }) => data.table_cells);
  return { warnings, formulas: cells.map(({ text, formula: written }) => [text, written]) };
}

test('formulas have their references, functions, constants, names and sheets', async () => {
  const times = joinBytes(reference(0, relative(0)), integer(2), [1, 0x05], [1, 0x17], [1, 1], ...narrow('"'), [
    1, 0x08,
  ]);
  const mod = joinBytes(reference(0, 0), integer(3), [1, 0x41], [2, 39]);
  const sum = joinBytes(
    [1, 0x3b],
    [2, 0],
    [2, 0],
    [2, 1],
    [2, relative(0)],
    [2, relative(1)],
    [1, 0x19],
    [1, 0x10],
    [2, 0],
  );
  const named = joinBytes([1, 0x23], [2, 1], [2, 0], [1, 0x42], [1, 1], [2, 4]);
  const constants = joinBytes([1, 1], [2, 0], [1, 1], double(7), [1, 2], [2, 1], [1, 0], Buffer.from('x'));
  const { formulas, warnings } = await readFormulas(
    [
      number(0, 0, 1),
      formula(0, 1, 2, times),
      formula(0, 2, 1, mod),
      formula(0, 3, 3, sum),
      formula(0, 4, 5, named),
      formula(0, 5, 7, joinBytes([1, 0x60], Buffer.alloc(7)), constants),
    ],
    [
      record(biff.supportingBook, [2, 1], [2, 0x401]),
      record(biff.externalSheet, [2, 1], [2, 0], [2, 0], [2, 0]),
      record(biff.name, [2, 0], [1, 0], [1, 4], [2, 0], Buffer.alloc(8), ...narrow('Rate')),
    ],
  );
  expect(formulas).toEqual([
    ['1', undefined],
    ['2', '=A1*2&""""'],
    ['1', '=MOD($A$1,3)'],
    ['3', '=SUM(My!A1:B2)'],
    ['5', '=SUM(Rate)'],
    ['7', '={7,"x"}'],
  ]);
  expect(warnings).toEqual([]);
});

test('a shared formula has the references of each cell', async () => {
  const shared = joinBytes([1, 0x01], [2, 0], [2, 1]);
  const oneToTheLeft = joinBytes([1, 0x4c], [2, 0], [2, relative(0xff)]);
  const { formulas } = await readFormulas([
    number(0, 0, 1),
    formula(0, 1, 1, shared),
    record(biff.sharedFormula, [2, 0], [2, 1], [1, 1], [1, 1], [1, 0], [1, 2], [2, oneToTheLeft.length], oneToTheLeft),
    number(1, 0, 5),
    formula(1, 1, 5, shared),
  ]);
  expect(formulas.map(([, written]) => written)).toEqual([undefined, '=A1', undefined, '=A2']);
});

test('formulas that cannot be read are counted, and their cells keep the value', async () => {
  const { formulas, warnings } = await readFormulas([
    formula(0, 0, 1, joinBytes([1, 0x02], [2, 0], [2, 0])),
    formula(0, 1, 2, joinBytes([1, 0x44], [1, 0])),
  ]);
  expect(formulas).toEqual([
    ['1', undefined],
    ['2', undefined],
  ]);
  expect(warnings).toEqual(['2 formulas could not be read.']);
});

test('any bytes end in a formula or in none, soon', () => {
  let seed = 21;
  const random = () => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff);
  for (let round = 0; round < 3_000; round += 1) {
    const tokens = Buffer.from(Array.from({ length: 40 }, () => (random() >> 8) & 0xff));
    const written = writeFormula({ tokens, constants: tokens }, { row: 1, column: 1 }, createLinks());
    expect(typeof (written ?? '')).toBe('string');
  }
  // A row of texts that double: 2^40 characters if they were written.
  const doubling = Buffer.concat([Buffer.from([0x1e, 1, 0]), Buffer.alloc(30_000, 0x13)]);
  expect(writeFormula({ tokens: doubling, constants: doubling }, { row: 0, column: 0 }, createLinks())?.length).toBe(
    30_001,
  );
});

test('an array of 65,536 rows without constants is refused, not filled', () => {
  const constants = joinBytes([1, 255], [2, 0xffff]);
  const tokens = joinBytes([1, 0x60], Buffer.alloc(7));
  expect(writeFormula({ tokens, constants }, { row: 0, column: 0 }, createLinks())).toBeUndefined();
});
