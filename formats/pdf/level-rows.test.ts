import { type Drawing, grid, prose, readDrawn } from './pdf-test-support';

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

/** Reads rows without rulings below a paragraph, with their cells at these places. */
const readPlaced = (rows: readonly (readonly string[])[], places: readonly number[], raise = 0) =>
  readDrawn((pdf: Drawing) => {
    pdf.font('Times-Roman').fontSize(11).text(`${prose} ${prose}`, 72, 72, { width: 450 });
    rows.forEach((cells, row) =>
      cells.forEach((text, column) =>
        pdf.text(text, places[column]!, 205 + 15 * row - (column === 0 ? raise : 0), { lineBreak: false }),
      ),
    );
    pdf.text(prose, 72, 330, { width: 450 });
  });

test('letters of notes beside amounts are cells', async () => {
  const rows = [
    ['Land', '(a)', '1,234', '1,100'],
    ['Buildings', '(b)', '2,345', '2,100'],
    ['Plant', '(c)', '345', '310'],
    ['Vessels', '(d)', '8,345', '8,310'],
  ];
  expect(grid(await readPlaced(rows, [72, 270, 300, 380]))).toEqual(rows);
  const lettered = rows.map((cells) => cells.slice(1));
  expect(grid(await readPlaced(lettered, [72, 100, 180]))).toEqual(lettered);
  const amounts = rows.map(([label, ...cells]) => [...cells, label!]);
  expect(grid(await readPlaced(amounts, [72, 100, 180, 260]))).toEqual(amounts);
});

test('numbers set slightly higher than the names beside them are cells', async () => {
  const rows = [
    ['12', 'Bremen'],
    ['7', 'Leith'],
    ['9', 'Hull'],
    ['3', 'Ghent'],
  ];
  const document = await readPlaced(rows, [72, 88], 3);
  expect(grid(document)).toEqual(rows);
});
