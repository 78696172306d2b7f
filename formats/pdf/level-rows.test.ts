import { grid, prose, readDrawn } from './pdf-test-support';

/** Draws a head and one row between rulings around both and between the columns; each cell has these lines. */
const readRuled = (head: readonly string[], cells: readonly (readonly string[])[], width = 120) =>
  readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 60);
    head.forEach((title, column) => {
      const x = 72 + width * column;
      const lines = cells[column]!;
      pdf.rect(x, 140, width, 18).stroke();
      pdf.rect(x, 158, width, 4 + 12 * Math.max(...cells.map(({ length }) => length))).stroke();
      pdf.text(title, x + 4, 144, { lineBreak: false });
      lines.forEach((text, index) => pdf.text(text, x + 4, 162 + 12 * index, { lineBreak: false }));
    });
  });

test('lines that are level in all columns are rows, though no ruling separates them', async () => {
  const columns = [
    ['205', '206', '222:1', '222:2', '223'],
    ['T6', 'T7', 'O2', 'O2', 'O3'],
    ['Pa-3', 'Ia-3', 'Pn-3n:1', 'Pn-3n:2', 'Pm-3n'],
  ];
  const document = await readRuled(['Number', 'Sign', 'Symbol'], columns);
  expect(grid(document)).toEqual([
    ['Number', 'Sign', 'Symbol'],
    ...columns[0]!.map((_, row) => columns.map((column) => column[row]!)),
  ]);
});

test('in two columns, lines that end early are rows', async () => {
  const columns = [
    ['Pier', 'Lock', 'Quay', 'Mole'],
    ['open', 'closed', 'open', 'unknown'],
  ];
  const document = await readRuled(['Place', 'State'], columns);
  expect(grid(document)).toEqual([['Place', 'State'], ...columns[0]!.map((place, row) => [place, columns[1]![row]!])]);
});

test('level lines of paragraphs are one row', async () => {
  const lines = [
    'The gauge is read each',
    'day before noon, and the',
    'readings are compared',
    'with those of the tides.',
  ];
  const document = await readRuled(['First', 'Second', 'Third'], [lines, lines, lines]);
  expect(grid(document)[1]).toEqual(Array(3).fill(lines.join(' ')));
  expect(grid(document)).toHaveLength(2);
  const filled = [
    'Gauges of all the piers',
    'North, south, west, also',
    'Engineers that repair it',
    'Daily records of levels',
  ];
  const names = await readRuled(['First', 'Second'], [filled, filled]);
  expect(grid(names)).toHaveLength(2);
});
