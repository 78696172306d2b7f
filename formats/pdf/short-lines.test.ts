import { type Drawing, grid, labelled, paragraphs, prose, readDrawn } from './pdf-test-support';

type Placed = readonly [text: string, x: number, y: number, font?: string];

const put = (pdf: Drawing, [text, x, y, font = 'Helvetica']: Placed) =>
  pdf.font(font).fontSize(11).text(text, x, y, { lineBreak: false });

/** The document with these lines below a full-width paragraph. */
const readLines = (lines: readonly Placed[]) =>
  readDrawn((pdf) => {
    pdf.fontSize(11).text(`${prose} ${prose}`, 72, 72, { width: 450 });
    for (const line of lines) put(pdf, line);
  });

test('a heading and a term are apart from the text that begins further to the right below them', async () => {
  const document = await readLines([
    ['OPTIONS', 72, 220, 'Helvetica-Bold'],
    ['--pier=NAME', 100, 234, 'Helvetica-Bold'],
    ['BUFFER_ERROR', 72, 300],
    ['Memory buffer error.', 100, 314],
    ['CONVERSATION_ERROR', 72, 328],
    ['The conversation failed.', 100, 342],
  ]);
  expect(labelled(document, 'section_header')).toContain('OPTIONS');
  expect(paragraphs(document).slice(-4)).toEqual([
    'BUFFER_ERROR',
    'Memory buffer error.',
    'CONVERSATION_ERROR',
    'The conversation failed.',
  ]);
});

test('a hanging paragraph whose first line is nearly full is one paragraph', async () => {
  const lines = [
    'Location: the place of the gauge that is read. The reading is compared with the',
    'table of the tides.',
  ];
  const document = await readLines([
    [lines[0]!, 72, 240],
    [lines[1]!, 100, 254],
  ]);
  expect(paragraphs(document)).toContain(lines.join(' '));
});

test('lines that leave much of the column empty are separate; text that goes on beside them is not', async () => {
  const read = async (...lines: string[]) =>
    paragraphs(await readLines(lines.map((text, index) => [text, 72, 240 + 14 * index]))).slice(1);
  expect(await read('best regards,', 'miroslav')).toEqual(['best regards,', 'miroslav']);
  expect(await read('Here is a citation:', '(Kramer, page 12)')).toHaveLength(2);
  expect(
    await read('The piers of Oregon, Washington and', 'Wisconsin are read at noon by their officers'),
  ).toHaveLength(1);
});

test('lines that begin with a label of a few words are separate if they leave room for the next one', async () => {
  const read = async (...lines: string[]) =>
    paragraphs(await readLines(lines.map((text, index) => [text, 72, 240 + 14 * index]))).slice(1);
  const entries = ['Place of delivery: the foot of the northern pier, beside the old gauge', 'Time of delivery: noon'];
  expect(await read(...entries)).toEqual(entries);
  const filled = 'Place of delivery: the foot of the northern pier, beside the old gauge in the harbour of';
  expect(await read(filled, 'Time of delivery: noon')).toHaveLength(1);
});

test('a short line that ends in a preposition goes on below', async () => {
  const lines = [
    'Name of the firm',
    'Northern Harbour Construction of',
    'Oregon, Washington and Ohio, Inc.',
    'Pier Road 7',
  ];
  const document = await readLines(lines.map((text, index) => [text, 72, 240 + 14 * index]));
  expect(paragraphs(document).slice(1)).toEqual([lines[0], `${lines[1]} ${lines[2]}`, lines[3]]);
});

test.each([
  ['units', ['Place of delivery: the foot of the pier', 'Length cm', 'Weight kg', 'Height of the pier']],
  ['particles of verbs', ['Place of delivery: the foot of the pier', 'Sign up', 'Log in', 'Check out']],
])('short lines that end in %s are separate', async (_, lines) => {
  const document = await readLines(lines.map((text, index) => [text, 72, 240 + 14 * index]));
  expect(paragraphs(document).slice(1)).toEqual(lines);
});

test('settings and names of functions are separate lines, and no headings in bold type', async () => {
  const settings = ['registry shares = yes', 'include = registry'];
  const names = ['xsltGetNodeParameter', 'xsltSplitQName', 'xsltSaveResultToString'];
  const document = await readLines([
    ...settings.map((text, index): Placed => [text, 100, 230 + 13 * index, 'Helvetica-Bold']),
    ...names.map((text, index): Placed => [text, 72, 300 + 13 * index]),
  ]);
  expect(paragraphs(document).slice(1)).toEqual([...settings, ...names]);
  expect(labelled(document, 'section_header')).toEqual([]);
});

test('bold words with a slash or an equation are headings, a bold path is not', async () => {
  const headings = ['Input/Output', 'Sales/Purchases/Returns', 'TCP/IP', 'The case p = 2'];
  const paths = ['debian/control', '/etc/fstab', 'Documentation/index.rst'];
  const document = await readDrawn((pdf) => {
    for (const [index, text] of [...headings, ...paths].entries()) {
      put(pdf, [text, 72, 60 + 90 * index, 'Helvetica-Bold']);
      pdf.font('Helvetica').text(prose, 72, 80 + 90 * index, { width: 450 });
    }
  });
  expect(labelled(document, 'section_header')).toEqual(headings);
});

test('an address that is broken over two lines of its own is one text', async () => {
  const document = await readLines([
    ['https://harbour.example.org/gauges/northern/', 72, 240],
    ['readings/2024/january/report', 72, 254],
  ]);
  expect(paragraphs(document)).toHaveLength(2);
});

test('a line that begins with a smaller monospaced name continues its paragraph', async () => {
  const document = await readDrawn((pdf) => {
    pdf.font('Times-Roman').fontSize(12);
    pdf.text('The gauge is read by a program that writes its result into a directory of the harbour', 72, 72);
    pdf.font('Courier').fontSize(9.5).text('directory/', 72, 87, { lineBreak: false });
    pdf.font('Times-Roman').fontSize(12).text('will.', 136, 86, { lineBreak: false });
  });
  expect(paragraphs(document)).toHaveLength(1);
});

test('widely set code has no blank lines, and the same button beside each block is no description', async () => {
  const document = await readDrawn((pdf) => {
    pdf.font('Helvetica').fontSize(9).text(prose, 72, 72, { width: 450 });
    for (const [index, y] of [160, 240, 320].entries()) {
      pdf.text(`Step ${index + 1} of the reading of the gauge:`, 72, y, { lineBreak: false });
      pdf
        .font('Courier')
        .fontSize(7.5)
        .text(`mkdir pier${index}`, 72, y + 20, { lineBreak: false });
      pdf.text(`cd pier${index}`, 72, y + 35, { lineBreak: false });
      pdf.font('Helvetica-Bold').text('COPY', 480, y + 35, { lineBreak: false });
      pdf.font('Helvetica').fontSize(9);
    }
  });
  expect(labelled(document, 'code')).toEqual([0, 1, 2].map((index) => `mkdir pier${index}\ncd pier${index}`));
});

test('a button that is drawn before all text is read after the code beside it', async () => {
  const document = await readDrawn((pdf) => {
    pdf.font('Helvetica-Bold').fontSize(7.5);
    for (const y of [195, 275]) pdf.text('COPY', 480, y, { lineBreak: false });
    pdf.font('Helvetica').fontSize(9).text(prose, 72, 72, { width: 450 });
    for (const y of [160, 240]) {
      pdf.font('Helvetica').text('The gauge is read:', 72, y, { lineBreak: false });
      pdf.font('Courier').text('mkdir pier', 72, y + 20, { lineBreak: false });
      pdf.text('cd pier', 72, y + 35, { lineBreak: false });
    }
  });
  const step = ['The gauge is read:', 'mkdir pier\ncd pier', 'COPY'];
  expect(document.texts.map(({ text }) => text).slice(1)).toEqual([...step, ...step]);
});

test('the dash of an item below a bullet is a list item', async () => {
  const document = await readLines([
    ['• Diagnostic tests', 72, 240],
    ['– Central review', 100, 256],
    ['• Outcome', 72, 272],
  ]);
  expect(labelled(document, 'list_item')).toEqual(['Diagnostic tests', 'Central review', 'Outcome']);
});

test('the topmost row that begins and ends with the same words is the page header', async () => {
  const document = await readDrawn(
    (pdf) => {
      for (const [x, text] of [
        [72, 'shadow(5)'],
        [240, 'File Formats'],
        [470, 'shadow(5)'],
      ] as const)
        pdf.fontSize(11).text(text, x, 40, { lineBreak: false });
      pdf.text(prose, 72, 90, { width: 450 });
    },
    { margin: 20 },
  );
  expect(labelled(document, 'page_header')).toEqual(['shadow(5)', 'File Formats', 'shadow(5)']);
});

describe('cells that nearly touch', () => {
  /** Rows of a figure at the right edge of its column, and text directly beside it. */
  const drawRows = (pdf: Drawing, rows: readonly (readonly [string, string, string])[]) =>
    rows.forEach(([figure, name, level], index) => {
      const width = (pdf as unknown as { widthOfString(text: string): number }).widthOfString(figure);
      const y = 100 + 14 * index;
      pdf.text(figure, 120 - width, y, { lineBreak: false });
      pdf.text(name, 122.2, y, { lineBreak: false });
      pdf.text(level, 260, y, { lineBreak: false });
    });

  test('are separate where the page draws its spaces', async () => {
    const rows = [
      ['12', 'Northern pier', '31'],
      ['7', 'Long quay', '44'],
      ['43', 'Dry dock', '30'],
      ['9', 'Ferry stage', '12'],
    ] as const;
    const document = await readDrawn((pdf) => (pdf.font('Helvetica').fontSize(10), drawRows(pdf, rows)));
    expect(grid(document)).toEqual(rows);
  });

  test('are not the number of a list item and its text', async () => {
    const rows = [
      ['1.', 'Read the gauge', 'noon'],
      ['2.', 'Tell the officer', 'noon'],
      ['3.', 'Close the lock', 'noon'],
    ] as const;
    const document = await readDrawn((pdf) => (pdf.font('Helvetica').fontSize(10), drawRows(pdf, rows)));
    expect(document.tables.flatMap(({ data }) => data.table_cells.map(({ text }) => text))).not.toContain('1.');
  });
});

test('the second line of bold heads joins the first, a bold row at the distance of rows does not', async () => {
  const read = async (second: number) =>
    grid(
      await readDrawn((pdf) => {
        const rows = [
          [100, 'Helvetica-Bold', ['Name of', 'Level', 'Price']],
          [100 + second, 'Helvetica-Bold', ['the pier', '(cm)', '(euro)']],
          [140, 'Helvetica', ['Northern', '31', '12.50']],
          [160, 'Helvetica', ['Southern', '44', '13.50']],
          [180, 'Helvetica', ['Ferry', '30', '14.50']],
        ] as const;
        for (const [y, font, cells] of rows)
          cells.forEach((text, column) =>
            pdf
              .font(font)
              .fontSize(10)
              .text(text, 72 + 120 * column, y, { lineBreak: false }),
          );
      }),
    )[0];
  expect(await read(12)).toEqual(['Name of the pier', 'Level (cm)', 'Price (euro)']);
  expect(await read(20)).toEqual(['Name of', 'Level', 'Price']);
});

test('paragraphs beside a picture stay whole below a heading over the full width', async () => {
  const lines = ['Der Hafen liegt nahe bei der alten', 'Mündung des Flusses, an der die', 'Schiffe am Morgen warten.'];
  const document = await readDrawn((pdf) => {
    pdf.font('Times-Bold').fontSize(13);
    pdf.text('The yearly report of the harbour office on the gauges of its northern piers', 72, 72, {
      lineBreak: false,
    });
    pdf.rect(300, 100, 200, 400).fill('#aaaacc').fillColor('black');
    for (let block = 0; block < 5; block += 1)
      lines.forEach((text, row) => put(pdf, [text, 72, 110 + 60 * block + 14 * row, 'Times-Roman']));
  });
  expect(paragraphs(document)).toEqual(Array.from({ length: 5 }, () => lines.join(' ')));
});

test('a sentence goes on with a mention of a table or figure at the start of a line', async () => {
  const read = async (...lines: string[]) =>
    paragraphs(await readLines(lines.map((text, index) => [text, 72, 240 + 14 * index]))).slice(1);
  for (const mention of [
    'Table 3 shows, most of the differences are smaller than',
    'Figure 12-b of the handbook shows, they are small and',
  ])
    expect(
      await read('The readings of both gauges were compared every morning. As', mention, 'one would expect.'),
    ).toHaveLength(1);
});
