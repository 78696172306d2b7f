import { type Drawing, grid, paragraphs, readDrawn } from './pdf-test-support';

type Cell = readonly [text: string, x: number, align?: 'right' | 'centre'];

/** Draws each cell by itself, as spreadsheet programs do. */
function putRow(pdf: Drawing, cells: readonly Cell[], y: number): void {
  for (const [text, x, align] of cells) {
    const width = pdf.widthOfString(text);
    pdf.text(text, align === 'right' ? x - width : align === 'centre' ? x - width / 2 : x, y, { lineBreak: false });
  }
}

const amounts = Array.from({ length: 44 }, (_, row) => `${(7_919 * (row + 3)) % 90_000}.${10 + (row % 80)}`);

test('a column that counts the rows of a table stays in it', async () => {
  const sheet = await readDrawn((pdf) => {
    pdf.fontSize(10);
    amounts.forEach((amount, row) =>
      putRow(
        pdf,
        [
          ['Pier', 72],
          [amount, 200, 'right'],
          [amounts[row + 1] ?? '1.00', 300, 'right'],
          [String(row + 1), 400, 'right'],
        ],
        72 + 14 * row,
      ),
    );
  });
  expect(grid(sheet)[0]).toHaveLength(4);
  expect(grid(sheet).map((row) => row[3])).toEqual(amounts.map((_, row) => String(row + 1)));
});

test('heads that nearly touch are the heads of the columns below them', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text('Readings of the harbour office', 72, 40);
    const middles = [100, 181, 259, 321];
    putRow(
      pdf,
      ['RECORDER_ID', 'READING_DATE', 'NET_POWER', 'LOWEST'].map((text, index) => [text, middles[index]!, 'centre']),
      72,
    );
    for (let row = 0; row < 8; row += 1)
      putRow(
        pdf,
        ['North pier', '110404', amounts[row]!, String(row + 5)].map((text, index) => [
          text,
          middles[index]!,
          'centre',
        ]),
        86 + 14 * row,
      );
  });
  expect(grid(document)[0]).toEqual(['RECORDER_ID', 'READING_DATE', 'NET_POWER', 'LOWEST']);
  expect(grid(document)).toHaveLength(9);
});

test('figures close before words are cells where both align in many rows, even if the page draws no spaces', async () => {
  const rows = [12, 15, 8, 16, 12, 19, 15, 12];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    rows.forEach((years, row) =>
      putRow(
        pdf,
        [
          ['Female', 72],
          [String(13_980 + 17 * row), 160, 'right'],
          [String(years), 230, 'right'],
          [row % 3 === 0 ? 'Clerical' : 'Manager', 234],
          [amounts[row]!, 340, 'right'],
        ],
        72 + 14 * row,
      ),
    );
  });
  expect(grid(document)[0]).toEqual(['Female', '13980', '12', 'Clerical', amounts[0]]);
  expect(grid(document)).toHaveLength(8);
});

test('a numbered list in a page without drawn spaces is no table', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    for (let row = 0; row < 8; row += 1)
      putRow(
        pdf,
        [
          ['Harbour', 72],
          [String(row + 1), 230, 'right'],
          ['Gauges', 234],
        ],
        72 + 14 * row,
      );
  });
  expect(
    JSON.stringify([...paragraphs(document), ...document.tables.flatMap((_, index) => grid(document, index))]),
  ).toContain('3 Gauges');
});

test('each of two heads at the left of their columns belongs to the figures at the right of them', async () => {
  const values = ['2', '1', '-3', '-2', '0', '#VALUE!', '7'];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).font('Helvetica-Bold');
    putRow(
      pdf,
      [
        ['Formula', 93],
        ['Expected Result', 194],
      ],
      72,
    );
    pdf.font('Helvetica');
    values.forEach((value, row) =>
      putRow(
        pdf,
        [
          [value, 190, 'right'],
          [value, 502, 'right'],
        ],
        102 + 15 * row,
      ),
    );
  });
  expect(grid(document)).toEqual([['Formula', 'Expected Result'], ...values.map((value) => [value, value])]);
});

test('heads some empty rows above their figures are the first row of the table', async () => {
  const heads = ['Values', 'Highlight', 'Data Bars', 'Colours'];
  const values = ['1', '10', '15', '20', '25', '-5'];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    putRow(
      pdf,
      heads.map((text, index): Cell => [text, 72 + 90 * index]),
      72,
    );
    values.forEach((value, row) =>
      putRow(
        pdf,
        heads.map((_, index): Cell => [value, 125 + 90 * index, 'right']),
        132 + 14 * row,
      ),
    );
  });
  expect(grid(document)).toEqual([heads, ...values.map((value) => heads.map(() => value))]);
  const headed = document.tables[0]!.data.table_cells.filter(({ column_header: isHead }) => isHead);
  expect(headed.map(({ text }) => text)).toEqual(heads);
});

test('words far above a table that are not above its columns one by one are no heads', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    putRow(
      pdf,
      [
        ['North pier', 72],
        ['Harbour office', 400],
      ],
      72,
    );
    for (let row = 0; row < 6; row += 1)
      putRow(
        pdf,
        [0, 1, 2, 3].map((index): Cell => [String(row * 7 + index), 125 + 90 * index, 'right']),
        132 + 14 * row,
      );
  });
  expect(grid(document)).toHaveLength(6);
});
