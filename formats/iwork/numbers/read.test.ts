import { zipSync } from 'fflate';
import { toMarkdown } from '../../../document';
import { checkTree } from '../../../document/validate';
import { convertBytes } from '../../convert';
import { archive, cell, decimal, double, drawable, type Field, key, reference, row } from '../iwa/iwa-test-support';
import { numbersTypes as kinds, types } from '../iwa/message-types';

const flags = { decimal: 1, double: 2, seconds: 4, plain: 8, number: 0x2000, currency: 0x4000, date: 0x8000 } as const;
const format = (id: number, ...fields: Field[]): Field => [
  3,
  [
    [1, id],
    [6, fields],
  ],
];
const texts = (...entries: string[]): [number, Field[]] => [
  types.dataList,
  entries.map((text, index): Field => [
    3,
    [
      [1, index + 1],
      [3, text],
    ],
  ]),
];
const text = (id: number) => cell(3, flags.plain, key(id));
/** A reference of a formula to the rectangle from row 3, column 0 over two columns. */
const merge: Field = [
  3,
  [
    [
      2,
      [
        [
          1,
          [
            [
              1,
              [
                [1, 67],
                [
                  40,
                  [
                    [
                      3,
                      [
                        [1, 0],
                        [2, 1],
                      ],
                    ],
                    [4, [[1, 3]]],
                  ],
                ],
              ],
            ],
          ],
        ],
      ],
    ],
  ],
];
const tile = (id: number, at: number): Field => [
  1,
  [
    [1, at],
    [2, reference(id)],
  ],
];

const workbook = {
  1: [
    kinds.document,
    [
      [1, reference(2)],
      [1, reference(3)],
    ],
  ],
  2: [
    kinds.sheet,
    [
      [1, 'Costs'],
      [2, reference(10)],
    ],
  ],
  3: [
    kinds.sheet,
    [
      [1, 'Secret'],
      [25, 1],
      [2, reference(11)],
    ],
  ],
  10: [
    types.tableInfo,
    [
      [1, drawable([10, 20])],
      [2, reference(12)],
    ],
  ],
  11: [
    types.shape,
    [
      [1, [[1, drawable([0, 0])]]],
      [4, reference(19)],
    ],
  ],
  12: [
    types.tableModel,
    [
      [6, 400],
      [7, 9],
      [8, 'Per month'],
      [9, 1],
      [10, 1],
      [22, 1],
      [47, [[2, [merge]]]],
      [
        4,
        [
          [3, [tile(13, 0), tile(14, 1), [2, 256]]],
          [4, reference(15)],
          [22, reference(16)],
        ],
      ],
    ],
  ],
  13: [
    types.tile,
    [
      row(0, [text(1), text(2)]),
      row(1, [text(1), cell(2, flags.decimal | flags.number, decimal(), key(1))]),
      row(2, [
        cell(5, flags.seconds | flags.date, double(86_400), key(3)),
        cell(2, flags.double | flags.number, double(0.062), key(2)),
      ]),
      row(3, [text(3)]),
    ],
  ],
  14: [types.tile, [row(1, [undefined, cell(10, flags.double | flags.currency, double(-1234.5), key(4))])]],
  15: texts('Month', 'Sum', 'Together'),
  16: [
    types.dataList,
    [
      format(1, [1, 256], [2, 2]),
      format(2, [1, 258], [2, 1]),
      format(3, [1, 261], [14, "EEEE, d MMM y 'at' HH:mm"]),
      format(4, [1, 257], [2, 2], [3, 'EUR'], [4, 2], [5, 1]),
    ],
  ],
  19: [types.storage, [[3, 'Not shown']]],
} as Parameters<typeof archive>[0];
const bytes = zipSync({ 'Index/Document.iwa': archive(workbook) });

test('cells are as the sheet shows them, also beyond the first block of 256 rows, without the empty grid around them', async () => {
  const { document, format } = await convertBytes({ bytes, name: 'costs.numbers' });
  expect(format).toBe('iwork_numbers');
  checkTree(document);
  const { data } = document.tables[0]!;
  expect([data.num_rows, data.num_cols]).toEqual([258, 2]);
  expect(data.table_cells.map(({ text, value }) => [text, value])).toEqual([
    ['Month', undefined],
    ['Sum', undefined],
    ['Month', undefined],
    ['12.50', undefined],
    ['Tuesday, 2 Jan 2001 at 00:00', '2001-01-02'],
    ['6.2%', 0.062],
    ['Together', undefined],
    ['(€1,234.50)', -1234.5],
  ]);
  const merged = data.table_cells.find(({ text }) => text === 'Together');
  expect(merged).toMatchObject({ start_row_offset_idx: 3, row_span: 1, col_span: 2, row_header: true });
  expect(data.table_cells.at(-1)).toMatchObject({ start_row_offset_idx: 257 });
});

test('a sheet is a group and a page, the name of a table its caption, and a hidden sheet invisible', async () => {
  const { document } = await convertBytes({ bytes, name: 'costs.numbers' });
  expect(document.groups.map(({ name, content_layer: layer }) => [name, layer])).toEqual([
    ['sheet: Costs', 'body'],
    ['sheet: Secret', 'invisible'],
  ]);
  expect(document.pages['1']?.size).toEqual({ width: 110, height: 40 });
  expect(toMarkdown(document)).toMatch(/^Per month\n\n\| Month/);
  expect(document.texts.find(({ text }) => text === 'Not shown')?.content_layer).toBe('invisible');
});

test.each([
  ['a spreadsheet of 2009', { 'index.xml': new Uint8Array(4) }, 'FORMAT_UNSUPPORTED'],
  ['a container without archives', { 'readme.txt': new Uint8Array(4) }, 'DOCUMENT_CORRUPT'],
  ['archives without sheets', { 'Index/Document.iwa': archive({ 9: [9, []] }) }, 'DOCUMENT_CORRUPT'],
])('%s is refused', async (_, entries, code) => {
  await expect(convertBytes({ bytes: zipSync(entries), name: 'a.numbers' })).rejects.toMatchObject({ code });
});
