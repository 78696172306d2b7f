import { type Drawing, grid, labelled, prose, readDrawn } from './pdf-test-support';

const put = (pdf: Drawing, text: string, x: number, y: number) => void pdf.text(text, x, y, { lineBreak: false });
const putRight = (pdf: Drawing, text: string, x: number, y: number) =>
  put(pdf, text, x - (pdf as unknown as { widthOfString(text: string): number }).widthOfString(text), y);
const rule = (pdf: Drawing, x0: number, x1: number, y: number) => void pdf.moveTo(x0, y).lineTo(x1, y).stroke();
const setBold = (pdf: Drawing, isBold: boolean) => void pdf.font(isBold ? 'Helvetica-Bold' : 'Helvetica');

/** Rows from `top` with their label at the left and right-aligned figures; those in `bold` are bold. */
function drawRows(pdf: Drawing, rows: readonly (readonly string[])[], top: number, bold: readonly number[] = []): void {
  rows.forEach(([label = '', ...figures], index) => {
    setBold(pdf, bold.includes(index));
    put(pdf, label, 72, top + 16 * index);
    figures.forEach((text, column) => putRight(pdf, text, 380 + 90 * column, top + 16 * index));
  });
  setBold(pdf, false);
}

test('rulings above sums, drawn in the columns of figures only, leave the labels in the table', async () => {
  const rows = [
    ['', '2023', '2022'],
    ['Revenue', '48,217', '44,902'],
    ['Cost of sales', '(29,844)', '(28,120)'],
    ['Gross profit', '18,373', '16,782'],
    ['Distribution costs', '(4,410)', '(4,198)'],
    ['Administrative expenses', '(7,915)', '(7,340)'],
    ['Operating profit', '6,048', '5,244'],
    ['Finance costs', '(732)', '(886)'],
    ['Profit before tax', '5,316', '4,358'],
    ['Income tax', '(1,270)', '(1,089)'],
    ['Profit for the year', '4,046', '3,269'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    drawRows(pdf, rows, 100, [0, 3, 6, 8, 10]);
    for (const row of [3, 6, 8, 10]) rule(pdf, 320, 475, 97 + 16 * row);
  });
  expect(grid(document)).toEqual(rows);
});

test('a row between the last two rulings is kept', async () => {
  const rows = [
    ['Rent', '14,400', '14,400'],
    ['Food', '7,200', '7,855'],
    ['Insurance', '2,150', '2,150'],
    ['Total expenses', '23,750', '24,405'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    drawRows(pdf, rows, 100);
    for (const row of [0, 3, 4]) rule(pdf, 72, 475, 97 + 16 * row);
  });
  expect(grid(document)).toEqual(rows);
});

test('digits in groups of three are one figure', async () => {
  const rows = [
    ['Sales', '12 410', '13 984'],
    ['Depreciation', '6 118', '6 540'],
    ['Purchases', '-8 840', '-9 771'],
    ['Securities', '1 204', '2 316'],
    ['Dividends', '-3 000', '-3 200'],
    ['Interest', '5 990', '8 324'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 60, { width: 450 });
    const words = rows.map((cells, index) => cells.map((text) => [text.split(' '), 160 + 16 * index] as const));
    for (const cells of words)
      cells.forEach(([parts, y], column) => {
        if (column === 0) put(pdf, parts.join(' '), 72, y);
        else {
          // No space is drawn within the figure.
          putRight(pdf, parts[1]!, 380 + 90 * (column - 1), y);
          putRight(pdf, parts[0]!, 360.5 + 90 * (column - 1), y);
        }
      });
  });
  expect(grid(document)).toEqual(rows);
});

test('a count and an amount of three digits close to it are two cells where other rows have cells there', async () => {
  const rows = [
    ['Anchors', '3', '250'],
    ['Buoys', '12', '75'],
    ['Chains', '7', '90'],
    ['Drums', '5', '410'],
    ['Floats', '9', '60'],
    ['Hooks', '2', '85'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 60, { width: 450 });
    rows.forEach(([label, ...figures], row) => {
      put(pdf, label!, 72, 160 + 16 * row);
      figures.forEach((text, column) => putRight(pdf, text, 300 + 20.2 * column, 160 + 16 * row));
    });
  });
  expect(grid(document)).toEqual(rows);
});

test('totals of an invoice are labels with amounts, also if the last one is bold and nearly touches its label', async () => {
  const totals = [
    ['Subtotal', '1,004.50'],
    ['VAT 20 %', '200.90'],
    ['Total due', '£1,205.40'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 60, { width: 450 });
    totals.forEach(([label = '', amount = ''], index) => {
      setBold(pdf, index === 2);
      put(pdf, label, 420, 160 + 16 * index);
      putRight(pdf, amount, 522, 160 + 16 * index);
    });
    setBold(pdf, false);
    pdf.text(prose, 72, 240, { width: 450 });
  });
  expect(grid(document)).toEqual(totals);
});

test('two tables close below each other do not share columns', async () => {
  const people = [
    ['Patient', 'HOLT, Andrew', 'Number', '24-118273'],
    ['Born', '17/09/1968', 'Collected', '08/05/2024'],
    ['Sex', 'M', 'Reported', '08/05/2024'],
  ];
  const results = [
    ['Test', 'Result', 'Flag', 'Units', 'Range'],
    ['Sodium', '139', 'N', 'mmol/L', '133 - 146'],
    ['Potassium', '5.6', 'H', 'mmol/L', '3.5 - 5.3'],
    ['Creatinine', '88', 'N', 'mmol/L', '59 - 104'],
    ['Urea', '6.1', 'N', 'mmol/L', '2.5 - 7.8'],
  ];
  const places = [
    [72, 140, 300, 380],
    [84, 180, 225, 260, 320],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    [people, results].forEach((rows, table) =>
      rows.forEach((cells, row) =>
        cells.forEach((text, column) => put(pdf, text, places[table]![column]!, 100 + 80 * table + 16 * row)),
      ),
    );
  });
  expect([grid(document), grid(document, 1)]).toEqual([people, results]);
});

test('totals in places of their own do not break the table above them', async () => {
  const rows = [
    ['Date', 'Service', 'Qty', 'Charges'],
    ['03.10.', 'Room', '1', '220.00'],
    ['04.10.', 'Breakfast', '2', '38.00'],
    ['04.10.', 'Garage', '1', '18.50'],
    ['05.10.', 'Room', '1', '220.00'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    rows.forEach((cells, row) => cells.forEach((text, column) => put(pdf, text, 72 + 110 * column, 100 + 16 * row)));
    ['Total', '496.50', '12.00'].forEach((text, index) => put(pdf, text, 240 + 115 * index, 180));
    ['Balance', '0.00', '0.00'].forEach((text, index) => put(pdf, text, 240 + 115 * index, 196));
  });
  expect(grid(document)).toEqual(rows);
});

test('names, roles and numbers in two rows set apart are a table', async () => {
  const rows = [
    ['Anna Bellini', 'Head of office', 'Ext. 201'],
    ['Tom Reed', 'Payroll', 'Ext. 204'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 60, { width: 450 });
    rows.forEach((cells, row) => cells.forEach((text, column) => put(pdf, text, 72 + 130 * column, 160 + 18 * row)));
    pdf.text(prose, 72, 220, { width: 450 });
  });
  expect(grid(document)).toEqual(rows);
});

test('heads without figures above labels with figures are the first row', async () => {
  const rows = [
    ['Description', 'Rate'],
    ['Prime', '0.032500'],
    ['Overnight', '0.000860'],
    ['One week', '0.001220'],
    ['Two weeks', '0.001710'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    rows.forEach((cells, row) => cells.forEach((text, column) => put(pdf, text, 72 + 136 * column, 100 + 12.8 * row)));
  });
  expect(grid(document)).toEqual(rows);
});

test('a label whose value nearly touches it is in line with the other values', async () => {
  const pairs = [
    ['Premises:', '2-room flat, 54 m², 3rd floor'],
    ['Start:', '1 January 2025'],
    ['Rent:', '€ 610.00 per month'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 60, { width: 450 });
    pairs.forEach(([label = '', value = ''], row) => {
      put(pdf, label, 72, 160 + 17 * row);
      put(pdf, value, 124, 160 + 17 * row);
    });
    pdf.text(prose, 72, 240, { width: 450 });
  });
  expect(grid(document)).toEqual(pairs);
  expect(labelled(document, 'text')).toEqual([prose, prose]);
});

test('a row above the first ruling is the header if a ruling follows each row', async () => {
  const rows = [
    ['Time', 'Destination', 'Gate'],
    ['06:45', 'Copenhagen', 'Pier B'],
    ['07:05', 'Madrid', 'Pier A'],
    ['07:30', 'Reykjavik', 'Pier C'],
    ['07:55', 'Oslo', 'Pier B'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    rows.forEach((cells, row) => {
      cells.forEach((text, column) => put(pdf, text, 78 + 150 * column, 100 + 24 * row));
      rule(pdf, 72, 522, 117 + 24 * row);
    });
  });
  expect(grid(document)).toEqual(rows);
});

test('a line without a label, closer to the row above than rows are to each other, continues its cells', async () => {
  const rows = [
    ['Pos.', 'Work', 'Amount'],
    ['1', 'Cupboard of oak, oiled, with delivery', '2.480,00 EUR'],
    ['2', 'Drawers', '507,00 EUR'],
    ['3', 'Removal of the old cupboard', '203,00 EUR'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    rule(pdf, 72, 522, 114);
    rule(pdf, 72, 522, 192);
    rule(pdf, 72, 522, 94);
    const cells: [string, number, number][] = [
      ['Pos.', 72, 100],
      ['Work', 120, 100],
      ['Amount', 440, 100],
      ['1', 72, 120],
      ['Cupboard of oak, oiled, with', 120, 120],
      ['2.480,00', 440, 120],
      ['delivery', 120, 131],
      ['EUR', 440, 131],
      ['2', 72, 148],
      ['Drawers', 120, 148],
      ['507,00 EUR', 440, 148],
      ['3', 72, 165],
      ['Removal of the old cupboard', 120, 165],
      ['203,00 EUR', 440, 165],
    ];
    for (const [text, x, y] of cells) put(pdf, text, x, y);
  });
  expect(grid(document)).toEqual(rows);
});

test('bold heads in places of their own begin another table', async () => {
  const first = [
    ['Billed to', 'Issued', 'Due'],
    ['Aurora Coffee', '2024-02-01', '2024-02-15'],
    ['Project', 'Contact', 'Currency'],
    ['Brand refresh', 'Lena', 'EUR'],
  ];
  const second = [
    ['Item', 'Hours', 'Rate', 'Total'],
    ['Logo exploration', '18', '85.00', '1,530.00'],
    ['Typography', '11.5', '85.00', '977.50'],
    ['Packaging', '9', '95.00', '855.00'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    first.forEach((cells, row) => cells.forEach((text, column) => put(pdf, text, 72 + 163 * column, 100 + 15 * row)));
    second.forEach((cells, row) => {
      setBold(pdf, row === 0);
      cells.forEach((text, column) => {
        const y = 162 + 15 * row;
        if (column === 0) put(pdf, text, 72, y);
        else putRight(pdf, text, 310 + 72 * column, y);
      });
    });
    setBold(pdf, false);
  });
  expect([grid(document), grid(document, 1)]).toEqual([first, second]);
});

test('the dash at the end of a time that continues in the next line is no bullet of the text beside it', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    ['Registration', 'Opening', 'Workshop', 'Lunch', 'Panel', 'Closing'].forEach((text, row) => {
      const y = 100 + 30 * row;
      // Right edges of figures and left edges of dashes are in line, as those of cells are.
      put(pdf, `${10 + row}:30`, 72, y);
      put(pdf, '–', 101, y);
      put(pdf, `${11 + row}:15`, 72, y + 12);
      put(pdf, text, 138, y);
      put(pdf, 'Main hall', 400, y);
    });
  });
  const texts = [...document.texts.map(({ text }) => text), ...grid(document).flat()];
  expect(texts.filter((text) => /^[-–]\s?\p{L}/u.test(text))).toEqual([]);
  expect(texts.join(' ')).toContain('Registration');
});

test('rulings above texts at the foot of a page are places to sign, not a page footer', async () => {
  const signed = ['Driver', 'Received by', 'Date and signature'];
  const read = (isRuled: boolean) =>
    readDrawn(
      (pdf) => {
        pdf.fontSize(10).text(`${prose}\n\n${prose}\n\n${prose}`, 72, 72, { width: 450 });
        signed.forEach((text, column) => {
          if (isRuled) rule(pdf, 72 + 160 * column, 202 + 160 * column, 786);
          if (column === 0) put(pdf, text, 72, 790);
          else if (column === 1) putRight(pdf, text, 297 + pdf.widthOfString(text) / 2, 790);
          else putRight(pdf, text, 522, 790);
        });
      },
      { margin: 30 },
    );
  expect(labelled(await read(false), 'page_footer')).toEqual(signed);
  expect(labelled(await read(true), 'page_footer')).toEqual([]);
});

test('lines of a form that end in a blank are paragraphs of their own', async () => {
  const fields = ['Name:', 'Address:', 'Phone:'].map((label) => `${label} ${'_'.repeat(72)}`);
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 60, { width: 450 });
    fields.forEach((text, row) => put(pdf, text, 72, 160 + 13 * row));
    pdf.text(prose, 72, 230, { width: 450 });
  });
  expect(labelled(document, 'text')).toEqual([prose, ...fields, prose]);
});

test('heads above the title of the first section are the first row', async () => {
  const rows = [
    ['', '2024 EUR', '2023 EUR'],
    ['Receipts', '', ''],
    ['Subscriptions', '1,240.00', '1,180.00'],
    ['Sale of seeds', '312.45', '290.10'],
    ['Donations', '75.00', '40.00'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 30, { width: 450 });
    drawRows(pdf, rows, 100, [0, 1]);
  });
  expect(grid(document)).toEqual(rows);
});

test('a bold title above cells in other places begins another table', async () => {
  const blood = [
    ['Haemoglobin', '8.4', 'mmol/L', 'normal'],
    ['Leukocytes', '11.8', 'g/L', 'high'],
    ['Thrombocytes', '240', 'g/L', 'normal'],
  ];
  const kidney = [
    ['Creatinine', '66', 'µmol/L', 'normal'],
    ['Urea', '4.4', 'mmol/L', 'normal'],
    ['Potassium', '4.0', 'mmol/L', 'normal'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    const drawCells = (rows: readonly (readonly string[])[], top: number, lefts: readonly number[]) =>
      rows.forEach((cells, row) => cells.forEach((text, column) => put(pdf, text, lefts[column]!, top + 16 * row)));
    drawCells(blood, 100, [72, 180, 240, 330]);
    setBold(pdf, true);
    put(pdf, 'Kidney', 72, 152);
    setBold(pdf, false);
    drawCells(kidney, 170, [72, 215, 285, 400]);
  });
  expect([grid(document), grid(document, 1)]).toEqual([blood, kidney]);
});
