import { type Drawing, grid, labelled, prose, readDrawn } from '../pdf-test-support';

const lefts = [80, 230, 330, 430];
const edges = [72, 222, 322, 422, 522];

const put = (pdf: Drawing, text: string, x: number, y: number) => void pdf.text(text, x, y, { lineBreak: false });
const putRight = (pdf: Drawing, text: string, x: number, y: number) =>
  put(pdf, text, x - (pdf as unknown as { widthOfString(text: string): number }).widthOfString(text), y);
const line = (pdf: Drawing, x0: number, y0: number, x1: number, y1: number) =>
  void pdf.moveTo(x0, y0).lineTo(x1, y1).stroke();

/** Rulings around a table, between its columns and at the given heights. */
function rulings(pdf: Drawing, heights: readonly number[], columns: readonly number[] = edges): void {
  const [top, bottom] = [heights[0]!, heights.at(-1)!];
  for (const x of columns) line(pdf, x, top, x, bottom);
  for (const y of heights) line(pdf, columns[0]!, y, columns.at(-1)!, y);
}

const head = ['Pier', 'Level', 'Tide', 'Wind'];
const rows = [
  ['Northern pier', '3.41', '2.90', '14'],
  ['Southern pier', '2.95', '2.71', '9'],
  ['Ferry stage', '1.08', '0.96', '22'],
  ['Dry dock', '4.20', '4.11', '7'],
  ['Lock', '2.22', '2.15', '11'],
];

test('figures below each other between two rulings are rows', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    rulings(pdf, [100, 120, 200]);
    [head, ...rows].forEach((cells, row) =>
      cells.forEach((text, column) => put(pdf, text, lefts[column]!, 105 + row * 15 + (row > 0 ? 5 : 0))),
    );
  });
  expect(grid(document)).toEqual([head, ...rows]);
});

test('labels without rulings between them belong to the rows of the columns beside them', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    const heights = [100, 120, 140, 160, 180, 200, 220];
    for (const x of edges) line(pdf, x, 100, x, 220);
    for (const y of [100, 120, 220]) line(pdf, 72, y, 522, y);
    for (const y of heights) line(pdf, 222, y, 522, y);
    [head, ...rows].forEach((cells, row) =>
      cells.forEach((text, column) => put(pdf, text, lefts[column]!, 105 + row * 20)),
    );
  });
  expect(grid(document)).toEqual([head, ...rows]);
});

test('paragraphs that start level in three columns are rows, wrapped cells are one row', async () => {
  const wrapped = ['watched by the harbour office', 'read before noon by the guard'];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    rulings(pdf, [100, 120, 230, 270], [72, 222, 372, 522]);
    ['Place', 'Use', 'Gauge'].forEach((text, column) => put(pdf, text, 80 + column * 150, 105));
    for (const top of [126, 180, 236]) {
      ['Northern pier', ...wrapped].forEach((text, column) =>
        pdf.text(`${text} ${top}`, 80 + column * 150, top, { width: 90 }),
      );
    }
  });
  expect(grid(document).slice(1)).toEqual(
    [126, 180, 236].map((top) => ['Northern pier', ...wrapped].map((text) => `${text} ${top}`)),
  );
});

test('a title and notes inside the frame of a table are its caption and text', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    rulings(pdf, [120, 140, 160, 180, 200, 220, 240]);
    pdf.rect(72, 100, 450, 200).stroke();
    put(pdf, 'Table 7. Levels of the harbour', 200, 106);
    [head, ...rows].forEach((cells, row) =>
      cells.forEach((text, column) => put(pdf, text, lefts[column]!, 125 + row * 20)),
    );
    pdf.text(`Note: ${prose}`, 80, 246, { width: 430 });
  });
  expect(grid(document)).toEqual([head, ...rows]);
  expect(labelled(document, 'caption')).toEqual(['Table 7. Levels of the harbour']);
  expect(labelled(document, 'text')).toEqual([`Note: ${prose}`]);
});

test('multi-line headers are one cell each, and figures that almost touch are separate cells', async () => {
  const years = ['2019-20', '2020-21', '2021-22'];
  const figures = [
    ['Northern pier', '2,753,438', '2,799,250', '2,815,544'],
    ['Southern pier', '485,670', '503,528', '521,015'],
    ['Ferry stage', '2,034,573', '2,035,515', '2,036,222'],
  ];
  const rights = [265, 308, 351];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(9);
    for (const y of [100, 140, 190]) line(pdf, 72, y, 360, y);
    put(pdf, 'Pier', 80, 126);
    years.forEach((_, column) => putRight(pdf, 'Ships', rights[column]!, 114));
    years.forEach((text, column) => putRight(pdf, text, rights[column]!, 126));
    figures.forEach((cells, row) => {
      put(pdf, cells[0]!, 80, 145 + row * 14);
      cells.slice(1).forEach((text, column) => putRight(pdf, text, rights[column]!, 145 + row * 14));
    });
  });
  expect(grid(document)).toEqual([['Pier', ...years.map((year) => `Ships ${year}`)], ...figures]);
});

test('text between the ruling of a page header and a table stays text', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    line(pdf, 72, 60, 522, 60);
    pdf.text(prose, 72, 70, { width: 450 });
    for (const y of [200, 220, 330]) line(pdf, 72, y, 522, y);
    [head, ...rows].forEach((cells, row) =>
      cells.forEach((text, column) => put(pdf, text, lefts[column]!, 205 + row * 20)),
    );
  });
  expect(grid(document)).toEqual([head, ...rows]);
  expect(labelled(document, 'text')).toEqual([prose]);
});

test('a header over two columns is the first row of a table without rulings', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    put(pdf, 'Mean before the storms', 250, 100);
    put(pdf, 'Mean behind the storms', 400, 100);
    ['', '2009', '2010', '2009', '2010'].forEach((text, column) => put(pdf, text, 90 + column * 75 + 90, 112));
    rows.forEach(([name, ...cells], row) => {
      put(pdf, name!, 80, 124 + row * 12);
      [...cells, '9.1'].forEach((text, column) => put(pdf, text, 90 + (column + 1) * 75 + 90, 124 + row * 12));
    });
  });
  expect(document.tables).toHaveLength(1);
  expect(grid(document).slice(0, 2)).toEqual([
    ['', 'Mean before the storms', '', 'Mean behind the storms', ''],
    ['', '2009', '2010', '2009', '2010'],
  ]);
});

test('bold labels and labels with a colon become separate rows if no figure is beside them; the second line of a label does not', async () => {
  const labels = [
    'Outer harbour',
    'Northern pier',
    'Southern pier',
    'by the mole',
    'Inner harbour:',
    'Dry dock',
    'Lock',
  ];
  const document = await readDrawn((pdf) => {
    rulings(pdf, [100, 120, 240], [72, 222, 322, 422]);
    pdf.fontSize(10);
    head.slice(0, 3).forEach((text, column) => put(pdf, text, lefts[column]!, 105));
    labels.forEach((text, row) => {
      pdf.font(row === 0 ? 'Helvetica-Bold' : 'Helvetica');
      put(pdf, text, lefts[0]!, 125 + 15 * row);
      pdf.font('Helvetica');
      const figures = rows[[1, 2, 5, 6].indexOf(row)]?.slice(1, 3) ?? [];
      figures.forEach((figure, column) => put(pdf, figure, lefts[column + 1]!, 125 + 15 * row));
    });
  });
  expect(grid(document).map(([label]) => label)).toEqual([
    'Pier',
    'Outer harbour',
    'Northern pier',
    'Southern pier by the mole',
    'Inner harbour:',
    'Dry dock',
    'Lock',
  ]);
});

test('the last row of a table with every second row shaded keeps its cells, though it ends at a ruling', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    const shaded = [head, ...rows].map((_, row) => row).filter((row) => row % 2 === 0);
    for (const row of shaded)
      for (const column of [0, 1, 2, 3]) pdf.rect(72 + 100 * column, 100 + 20 * row, 100, 20).fill('#cde');
    pdf.fillColor('black');
    for (const y of [100, 220]) line(pdf, 72, y, 472, y);
    for (const x of [72, 472]) for (const row of [0, 1, 2, 3, 4, 5]) line(pdf, x, 100 + 20 * row, x, 120 + 20 * row);
    [head, ...rows].forEach((cells, row) =>
      cells.forEach((text, column) => put(pdf, text, 80 + 100 * column, 105 + 20 * row)),
    );
  });
  expect(grid(document)).toEqual([head, ...rows]);
});

test('a grid whose cells contain several columns of figures is read by white space, also in monospaced type', async () => {
  const document = await readDrawn((pdf) => {
    pdf.font('Courier').fontSize(10);
    rulings(pdf, [100, 120, 205, 225], [72, 222, 522]);
    [head, ...rows, ['Total', '13.86', '12.83', '63']].forEach((cells, row) =>
      cells.forEach((text, column) =>
        put(pdf, text, lefts[column]!, row === 0 ? 105 : row === 6 ? 210 : 110 + row * 15),
      ),
    );
  });
  expect(grid(document)).toEqual([head, ...rows, ['Total', '13.86', '12.83', '63']]);
});
