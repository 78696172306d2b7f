import { type Drawing, grid, labelled, prose, readDrawn } from '../pdf-test-support';

const head = ['Pier', 'Level', 'Tide', 'Wind'];
const rows = [
  ['Northern pier', '3.41', '2.90', '14'],
  ['Southern pier', '2.95', '2.71', '9'],
  ['Ferry stage', '1.08', '0.96', '22'],
  ['Dry dock', '4.20', '4.11', '7'],
  ['Lock', '2.22', '2.15', '11'],
];
const lefts = [80, 230, 330, 430];

const getWidth = (pdf: Drawing, text: string) =>
  (pdf as unknown as { widthOfString(text: string): number }).widthOfString(text);

/** Draws rows of text at fixed positions; `under` is drawn before the text of each row. */
function drawTable(pdf: Drawing, under: (index: number, y: number) => void, right = false): void {
  pdf.fontSize(10).text(prose, 72, 72, { width: 450 });
  [head, ...rows].forEach((cells, index) => {
    const y = 160 + index * 20;
    under(index, y);
    cells.forEach((text, column) => {
      pdf.font(index === 0 ? 'Helvetica-Bold' : 'Helvetica').fillColor('black');
      const shift = right && column > 0 ? 60 - getWidth(pdf, text) : 0;
      pdf.text(text, (lefts[column] as number) + shift, y + 5, { lineBreak: false });
    });
  });
  pdf.font('Helvetica').text(prose, 72, 300, { width: 450 });
}

const styles: Record<string, (pdf: Drawing) => (index: number, y: number) => void> = {
  bare: () => () => undefined,
  'rules below each row': (pdf) => (_, y) =>
    void pdf
      .moveTo(72, y + 20)
      .lineTo(500, y + 20)
      .stroke(),
  'every second row shaded': (pdf) => (index, y) => {
    for (const [column, left] of lefts.entries())
      if (index % 2 === 1) pdf.rect(left - 8, y, (lefts[column + 1] ?? 508) - left, 20).fill('#eeeeee');
  },
  'a rule below the head': (pdf) => (index, y) =>
    void (
      index === 0 &&
      pdf
        .moveTo(72, y + 20)
        .lineTo(500, y + 20)
        .stroke()
    ),
};

test.each(Object.keys(styles))('a table keeps its header row and its rows: %s', async (style) => {
  for (const right of [false, true]) {
    const document = await readDrawn((pdf) => drawTable(pdf, styles[style]!(pdf), right));
    expect(document.tables).toHaveLength(1);
    expect(grid(document)).toEqual([head, ...rows]);
    expect(labelled(document, 'text')).toEqual([prose, prose]);
  }
});

test('cells of several lines belong to the row with the same vertical centre', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    [head, ...rows].forEach((cells, index) => {
      const y = 100 + index * 34;
      cells.forEach((text, column) => {
        const [first, second] = column === 0 && index > 0 ? text.split(' ') : [text];
        if (!second) return void pdf.text(text, lefts[column] as number, y, { lineBreak: false });
        pdf.text(`${first} of the old`, lefts[column] as number, y - 6, { lineBreak: false });
        pdf.text(second, lefts[column] as number, y + 6, { lineBreak: false });
      });
    });
  });
  expect(document.tables).toHaveLength(1);
  expect(grid(document).map(([name]) => name)).toEqual([
    'Pier',
    'Northern of the old pier',
    'Southern of the old pier',
    'Ferry of the old stage',
    'Dry of the old dock',
    'Lock',
  ]);
});

test('a statement with sections and three years is one table', async () => {
  const lines = [
    ['', '2024', '2023', '2022'],
    ['Revenue'],
    ['Goods', '1,200', '1,100', '900'],
    ['Services', '300', '280', '210'],
    ['Costs'],
    ['Wages', '(700)', '(650)', '(600)'],
    ['Net result', '800', '730', '510'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    lines.forEach((cells, index) =>
      cells.forEach((text, column) => {
        const shift = column > 0 ? 60 - getWidth(pdf, text) : 0;
        pdf.text(text, (lefts[column] as number) + shift, 100 + index * 18, { lineBreak: false });
      }),
    );
  });
  expect(grid(document)).toEqual(lines.map((cells) => [...cells, ...Array<string>(4 - cells.length).fill('')]));
});

test('text in a column beside a table is not in any of its cells', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    [head, ...rows, ...rows].forEach((cells, index) =>
      cells.slice(0, 3).forEach((text, column) => {
        pdf.text(text, 72 + column * 75, 100 + index * 13, { lineBreak: false });
      }),
    );
    pdf.text(`${prose} ${prose}`, 320, 97, { width: 200 });
  });
  expect(document.tables).toHaveLength(1);
  expect(document.tables[0]!.data.num_cols).toBe(3);
  expect(labelled(document, 'text').join(' ')).toBe(`${prose} ${prose}`);
});

test('a header at the left of right-aligned words is in their column', async () => {
  const heads = ['Pos', 'Place', 'Level', 'Tide'];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 72, { width: 450 });
    [heads, ...rows.map((cells, index) => [String(index + 1), ...cells.slice(0, 3)])].forEach((cells, row) =>
      cells.forEach((text, column) => {
        const isRight = column === 1 && row > 0;
        const x = isRight ? 300 - getWidth(pdf, text) : [80, 110, 350, 430][column]!;
        pdf.text(text, x, 165 + 20 * row, { lineBreak: false });
      }),
    );
  });
  expect(grid(document)[0]).toEqual(heads);
  expect(grid(document)[1]).toEqual(['1', 'Northern pier', '3.41', '2.90']);
});
