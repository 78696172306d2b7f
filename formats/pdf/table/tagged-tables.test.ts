import { type Drawing, grid, readDrawn } from '../pdf-test-support';

interface TaggedDrawing extends Drawing {
  struct(tag: string, content: unknown): unknown;
  addStructure(element: unknown): void;
}

/** Draws a table cell by cell at the positions that `at` returns, tagged in the given rows. */
function drawTagged(
  drawing: Drawing,
  rows: string[][],
  at: (row: number, column: number) => [x: number, y: number],
): void {
  const pdf = drawing as TaggedDrawing;
  const cell = (text: string, row: number, column: number) =>
    pdf.struct(row === 0 ? 'TH' : 'TD', () => {
      pdf.text(text, ...at(row, column), { lineBreak: false });
    });
  const table = rows.map((cells, row) =>
    pdf.struct(
      'TR',
      cells.map((text, column) => cell(text, row, column)),
    ),
  );
  pdf.addStructure(pdf.struct('Table', table));
}

const rows = [
  ['Place', 'Opened', 'Remarks'],
  ['Harbour', 'in May', 'the gate is shut at night'],
  ['Old town', 'in June', 'by the north pier only'],
];

test('a table without rulings is read from its tags', async () => {
  const document = await readDrawn(
    (pdf) => {
      pdf.fontSize(10);
      drawTagged(pdf, rows, (row, column) => [80 + column * 64, 100 + row * 16]);
    },
    { tagged: true, pdfVersion: '1.5' },
  );
  expect(grid(document)).toEqual(rows);
  expect(document.tables[0]?.data.table_cells.filter((cell) => cell.column_header).map(({ text }) => text)).toEqual(
    rows[0],
  );
});

test('tags are ignored if their columns overlap on the page', async () => {
  const document = await readDrawn(
    (pdf) => {
      pdf.fontSize(10);
      drawTagged(pdf, rows, (row, column) => [80, 100 + (row * 3 + column) * 40]);
    },
    { tagged: true, pdfVersion: '1.5' },
  );
  expect(document.tables).toEqual([]);
  expect(document.texts).toHaveLength(9);
});
