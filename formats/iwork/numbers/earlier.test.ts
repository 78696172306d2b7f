import { zipSync } from 'fflate';
import { convertBytes } from '../../convert';
import { archive, double, drawable, type Field, key, reference } from '../iwa/iwa-test-support';
import { numbersTypes as kinds, types } from '../iwa/message-types';

const flags = { cellStyle: 0x2, format: 0x4, formula: 0x8, plain: 0x10, double: 0x20, seconds: 0x40, textStyle: 0x80 };

/** Creates a cell as Numbers 3 of 2013 stored it. */
function cell(kind: number, flag: number, ...values: Uint8Array[]): Uint8Array {
  const head = Buffer.alloc(12);
  head[0] = 4;
  head[1] = kind;
  head.writeUInt32LE(flag, 4);
  return Buffer.concat([head, ...values]);
}

/** Creates a row with its cells and their offsets in the fields of that time. */
function row(index: number, cells: readonly Uint8Array[]): Field {
  const offsets = Buffer.alloc(cells.length * 2);
  let at = 0;
  for (const [column, bytes] of cells.entries()) {
    offsets.writeUInt16LE(at, column * 2);
    at += bytes.length;
  }
  return [
    5,
    [
      [1, index],
      [3, Buffer.concat(cells)],
      [4, offsets],
    ],
  ];
}

const entry = (id: number, field: number, value: string | Field[]): Field => [
  3,
  [
    [1, id],
    [field, value],
  ],
];
const item = (text: string): Field => [
  2,
  [
    [1, 5],
    [5, [[1, text]]],
  ],
];
const text = (id: number) => cell(3, flags.textStyle | flags.format | flags.plain, key(2), key(1), key(id));
const chosen = (value: number) => cell(2, flags.format | flags.double, key(4), double(value));
const amount = cell(
  2,
  flags.cellStyle | flags.format | flags.formula | flags.double,
  key(1),
  key(2),
  key(4),
  double(-872.4),
  key(2),
);
const date = cell(5, flags.format | flags.seconds, key(3), double(276_048_000), key(3));

function workbook(rows: Field[]) {
  const store: Field[] = [
    [
      3,
      [
        [1, [[1, 0] as Field, [2, reference(13)] as Field]],
        [2, 256],
      ],
    ],
    [4, reference(14)],
    [11, reference(15)],
    [16, reference(16)],
  ];
  return zipSync({
    'Index/Document.iwa': archive({
      1: [kinds.document, [[1, reference(2)]]],
      2: [
        kinds.sheet,
        [
          [1, 'Account'],
          [2, reference(10)],
        ],
      ],
      10: [
        types.tableInfo,
        [
          [1, drawable([10, 20])],
          [2, reference(12)],
        ],
      ],
      12: [
        types.tableModel,
        [
          [6, 4],
          [7, 3],
          [9, 1],
          [4, store],
        ],
      ],
      13: [types.tile, rows],
      14: [types.dataList, [entry(1, 3, 'Date'), entry(2, 3, 'Kind'), entry(3, 3, 'Amount')]],
      15: [
        types.dataList,
        [
          entry(1, 6, [[1, 260]]),
          entry(2, 6, [
            [1, 257],
            [2, 2],
            [3, 'EUR'],
            [5, 1],
          ]),
          entry(3, 6, [
            [1, 261],
            [14, 'M/d/yy'],
          ]),
          entry(4, 6, [
            [1, 266],
            [38, 1],
          ]),
        ],
      ],
      16: [types.dataList, [entry(1, 4, reference(17))]],
      17: [types.popUpMenu, [[2, [[1, 1]]], item('Deposit'), item('Food')]],
    }),
  });
}

test('cells of 2013 have their texts, formats and chosen items', async () => {
  const bytes = workbook([
    row(0, [text(1), text(2), text(3)]),
    row(1, [date, chosen(2), amount]),
    row(2, [date, chosen(0), amount]),
    row(3, [date, chosen(9), amount]),
  ]);
  const { document, coverage } = await convertBytes({ bytes, name: 'account.numbers' });
  const cells = document.tables[0]!.data.table_cells;
  expect(cells.map((one) => one.text)).toEqual([
    ...['Date', 'Kind', 'Amount'],
    ...['10/1/09', 'Food', '-€872.40'],
    ...['10/1/09', '-€872.40'],
    ...['10/1/09', '9', '-€872.40'],
  ]);
  expect(cells.find((one) => one.text === '-€872.40')?.value).toBe(-872.4);
  expect(coverage).toEqual([]);
});

test('cells in a form that is not known, or cut off, are counted', async () => {
  const unknown = Buffer.from(text(1));
  unknown[0] = 7;
  const bytes = workbook([row(0, [text(1), unknown]), row(1, [text(2), amount.subarray(0, 20)])]);
  const { document, coverage } = await convertBytes({ bytes, name: 'account.numbers' });
  expect(document.tables[0]!.data.table_cells.map((one) => one.text)).toEqual(['Date', 'Kind']);
  expect(coverage).toEqual([{ kind: 'unreadable table cell', count: 2, words: 0, in_json: false }]);
});
