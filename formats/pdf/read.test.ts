import { toMarkdown } from '../../document/write/markdown';
import { type Drawing, grid, labelled, prose, readDrawn, ruledTable } from './pdf-test-support';

test('title, headings and paragraphs are in order, with levels by size', async () => {
  const document = await readDrawn((pdf) => {
    pdf.font('Helvetica-Bold').fontSize(24).text('Tide Report');
    pdf.moveDown().font('Times-Roman').fontSize(11).text(prose);
    pdf.moveDown().font('Helvetica-Bold').fontSize(16).text('Readings');
    pdf.moveDown().font('Times-Roman').fontSize(11).text(prose);
    pdf.moveDown().font('Helvetica-Bold').fontSize(13).text('Northern pier');
    pdf.moveDown().font('Times-Roman').fontSize(11).text(prose);
  });
  expect(toMarkdown(document)).toBe(
    ['# Tide Report', prose, '## Readings', prose, '### Northern pier', prose].join('\n\n'),
  );
});

test('every item has its page and its box, measured from the lower left, and pages have their size', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose);
    pdf.addPage({ size: [400, 300], margin: 50 });
    pdf.text('Second page, one line of it.');
  });
  expect(document.pages).toEqual({
    '1': { size: { width: expect.closeTo(595.28, 1), height: expect.closeTo(841.89, 1) }, page_no: 1 },
    '2': { size: { width: 400, height: 300 }, page_no: 2 },
  });
  const [first, second] = document.texts;
  expect(first!.prov).toMatchObject([
    { page_no: 1, bbox: { l: expect.closeTo(72, 0), coord_origin: 'BOTTOMLEFT' }, charspan: [0, prose.length] },
  ]);
  expect(first!.prov[0]!.bbox.t).toBeCloseTo(841.89 - 72, -1);
  expect(second!.prov).toMatchObject([{ page_no: 2 }]);
});

test('two columns are read one after the other, below the heading that spans them', async () => {
  const left = Array.from({ length: 5 }, (_, index) => `Left ${index}. ${prose}`);
  const right = Array.from({ length: 5 }, (_, index) => `Right ${index}. ${prose}`);
  const document = await readDrawn((pdf) => {
    pdf.font('Helvetica-Bold').fontSize(20).text('A heading across both of the columns', 72, 72, { width: 450 });
    pdf.font('Times-Roman').fontSize(10);
    // Drawn paragraph by paragraph from left to right, so that the file order contradicts the columns.
    left.forEach((text, index) => {
      pdf.text(text, 72, 120 + index * 110, { width: 215 });
      pdf.text(right[index]!, 310, 120 + index * 110, { width: 215 });
    });
  });
  expect(document.texts.map(({ text }) => text)).toEqual(['A heading across both of the columns', ...left, ...right]);
});

test('a heading below two columns stays with the text below it', async () => {
  const document = await readDrawn((pdf) => {
    pdf.font('Times-Roman').fontSize(10);
    pdf.text(`Left. ${prose}`, 72, 100, { width: 215 }).text(`Right. ${prose}`, 310, 100, { width: 215 });
    pdf.font('Helvetica-Bold').fontSize(14).text('Contact', 72, 210);
    pdf.font('Times-Roman').fontSize(10).text(`Below. ${prose}`, 72, 235, { width: 453 });
  });
  expect(document.texts.map(({ text }) => text.split(' ')[0])).toEqual(['Left.', 'Right.', 'Contact', 'Below.']);
});

test('three columns of unequal length are read one after the other', async () => {
  const texts = ['First', 'Second', 'Third'].map(
    (word, index) => `${word} column. ${prose.slice(0, 260 - index * 60)}`,
  );
  const document = await readDrawn((pdf) => {
    pdf.font('Times-Roman').fontSize(9);
    texts.toReversed().forEach((text, index) => pdf.text(text, 72 + (2 - index) * 160, 100, { width: 140 }));
  });
  expect(document.texts.map(({ text }) => text.split(' ')[0])).toEqual(['First', 'Second', 'Third']);
});

test('tables and figures within columns do not hide the columns', async () => {
  const left = Array.from({ length: 3 }, (_, index) => `Left ${index}. ${prose}`);
  const right = Array.from({ length: 4 }, (_, index) => `Right ${index}. ${prose}`);
  const document = await readDrawn((pdf) => {
    pdf.font('Times-Roman').fontSize(10);
    right.forEach((text, index) => pdf.text(text, 310, 100 + index * 110, { width: 215 }));
    left.forEach((text, index) => pdf.text(text, 72, 100 + index * 110, { width: 215 }));
    for (let row = 0; row < 9; row += 1)
      ['Pier', '3.4', '7.1', '9.9'].forEach((cell, column) =>
        pdf.text(row === 0 ? `Head${column}` : cell, 80 + column * 50, 430 + row * 13, { lineBreak: false }),
      );
  });
  expect(labelled(document, 'text')).toEqual([...left, ...right]);
  expect(document.tables[0]!.data).toMatchObject({ num_rows: 9, num_cols: 4 });
});

test('a line that ends in a hyphen is joined with the next line', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text('The engineer looks at the gauge and at the measure-', 72, 100, { lineBreak: false });
    pdf.text('ment of the day before, and signs the book.', 72, 114, { lineBreak: false });
  });
  expect(labelled(document, 'text')).toEqual([
    'The engineer looks at the gauge and at the measurement of the day before, and signs the book.',
  ]);
});

test('a paragraph that continues on the next page is one item with two positions', async () => {
  const document = await readDrawn((pdf) => {
    pdf
      .fontSize(11)
      .text('This paragraph begins on the first page and it is not finished there, since the', 72, 700, { width: 450 });
    pdf.addPage();
    pdf.text('second page holds the rest of it.', 72, 72, { width: 450 });
  });
  expect(document.texts).toHaveLength(1);
  expect(document.texts[0]!.prov.map(({ page_no }) => page_no)).toEqual([1, 2]);
  expect(document.texts[0]!.text).toBe(
    'This paragraph begins on the first page and it is not finished there, since the second page holds the rest of it.',
  );
});

test('bullets and numbers make lists, and an indent makes a nested list', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11);
    const item = (mark: string, text: string, indent: number, row: number) => {
      pdf.text(mark, 72 + indent, 100 + row * 16, { lineBreak: false });
      pdf.text(text, 90 + indent, 100 + row * 16, { lineBreak: false });
    };
    item('•', 'Check the gauge', 0, 0);
    item('•', 'Clean the well', 0, 1);
    item('•', 'with fresh water', 24, 2);
    item('•', 'Close the housing', 0, 3);
    pdf.text('Then, in this order, the office is called and told of the result.', 72, 190);
    item('1.', 'Name the pier', 0, 8);
    item('2.', 'Name the level', 0, 9);
  });
  expect(toMarkdown(document)).toBe(
    [
      '- Check the gauge\n- Clean the well\n    - with fresh water\n- Close the housing',
      'Then, in this order, the office is called and told of the result.',
      '1. Name the pier\n2. Name the level',
    ].join('\n\n'),
  );
});

test('rulings make a table whose first row is its header', async () => {
  const rows = [
    ['Pier', 'Level', 'Time'],
    ['North', '3.40', '07:10'],
    ['South', '3.10', '07:40'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 72, { width: 450 });
    ruledTable(pdf, rows, { x: 72, y: 200, width: 120, height: 20 });
    pdf.text(prose, 72, 300, { width: 450 });
  });
  expect(grid(document)).toEqual(rows);
  expect(document.tables[0]!.data.table_cells.filter((cell) => cell.column_header).map(({ text }) => text)).toEqual([
    'Pier',
    'Level',
    'Time',
  ]);
  expect(document.body.children.map(({ $ref }) => $ref)).toEqual(['#/texts/0', '#/tables/0', '#/texts/1']);
});

test('a cell over two columns spans both', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    pdf.rect(72, 100, 200, 20).stroke().text('Both piers', 76, 104, { lineBreak: false });
    ruledTable(
      pdf,
      [
        ['North', 'South'],
        ['3.40', '3.10'],
      ],
      { x: 72, y: 120, width: 100, height: 20 },
    );
  });
  expect(document.tables[0]!.data).toMatchObject({ num_rows: 3, num_cols: 2 });
  expect(document.tables[0]!.data.table_cells[0]).toMatchObject({ text: 'Both piers', col_span: 2, row_span: 1 });
});

test('aligned cells make a table without rulings, and its caption belongs to it', async () => {
  const rows = [
    ['Year', 'Trips', 'Cars'],
    ['2030', '400', '90'],
    ['2031', '437', '101'],
    ['2032', '474', '112'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 72, { width: 450 });
    pdf.text('Table 1: Trips of the ferry', 72, 170, { lineBreak: false });
    rows.forEach((cells, row) =>
      cells.forEach((text, column) => pdf.text(text, 72 + column * 110, 190 + row * 15, { lineBreak: false })),
    );
    pdf.text(prose, 72, 290, { width: 450 });
  });
  expect(grid(document)).toEqual(rows);
  expect(labelled(document, 'caption')).toEqual(['Table 1: Trips of the ferry']);
  expect(document.tables[0]!.captions).toHaveLength(1);
});

test('a table continued on further pages is one table, with a position on each page and one header', async () => {
  const head = ['Pier', 'Level', 'Time'];
  const rows = Array.from({ length: 9 }, (_, row) => [`Pier ${row}`, `${row}.40`, `07:1${row}`]);
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 72, { width: 450 });
    ruledTable(pdf, [head, ...rows.slice(0, 3)], { x: 72, y: 600, width: 120, height: 20 });
    pdf.addPage();
    ruledTable(pdf, [head, ...rows.slice(3, 6)], { x: 72, y: 72, width: 120, height: 20 });
    pdf.addPage();
    ruledTable(pdf, rows.slice(6), { x: 72, y: 72, width: 120, height: 20 });
    pdf.text(prose, 72, 300, { width: 450 });
  });
  expect(document.tables).toHaveLength(1);
  expect(grid(document)).toEqual([head, ...rows]);
  expect(document.tables[0]!.prov.map(({ page_no }) => page_no)).toEqual([1, 2, 3]);
});

test('paragraphs side by side are not a table', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 100, { width: 215 }).text(prose, 310, 100, { width: 215 });
  });
  expect(document.tables).toEqual([]);
  expect(labelled(document, 'text')).toEqual([prose, prose]);
});

test('repeated headers, footers and page numbers are furniture and not part of the text', async () => {
  const document = await readDrawn(
    (pdf) => {
      for (let page = 1; page <= 4; page += 1) {
        if (page > 1) pdf.addPage();
        pdf.fontSize(8).text('Harbour Office, Report 7', 72, 30, { lineBreak: false });
        pdf.text(`Page ${page} of 4`, 500, 790, { lineBreak: false });
        pdf.fontSize(11).text(`${prose} This is page ${page}.`, 72, 90, { width: 450 });
      }
    },
    { margin: 20 },
  );
  expect(labelled(document, 'page_header')).toHaveLength(4);
  expect(labelled(document, 'page_footer')).toEqual(['Page 1 of 4', 'Page 2 of 4', 'Page 3 of 4', 'Page 4 of 4']);
  expect(document.texts.filter(({ content_layer }) => content_layer === 'furniture')).toHaveLength(8);
  expect(toMarkdown(document)).not.toContain('Report 7');
});

test('a table at the top of some pages is not a header', async () => {
  const document = await readDrawn(
    (pdf) => {
      for (let page = 1; page <= 4; page += 1) {
        if (page > 1) pdf.addPage();
        pdf.fontSize(11);
        if (page % 2 === 0)
          for (let row = 0; row < 4; row += 1)
            ['Model', 'Score', 'Time'].forEach((text, column) =>
              pdf.text(row === 0 ? text : `${page}${row}${column}`, 72 + column * 90, 60 + row * 14, {
                lineBreak: false,
              }),
            );
        pdf.text(`${prose} Page ${page}.`, 72, 150, { width: 450 });
      }
    },
    { margin: 20 },
  );
  expect(labelled(document, 'page_header')).toEqual([]);
  expect(document.tables).toHaveLength(2);
});

test('references numbered in brackets are list items that keep their numbers', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    ['[1] A. Berg. Tides of the north.', '[2] J. Lund. Piers.'].forEach((text, row) =>
      pdf.text(text, 72, 100 + row * 14, { lineBreak: false }),
    );
    pdf.text('[9] stands at the start of a line by chance, and is no item of a list at all.', 72, 200);
  });
  expect(labelled(document, 'list_item')).toEqual(['[1] A. Berg. Tides of the north.', '[2] J. Lund. Piers.']);
});

test('bullets drawn as dots make a list', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72, { width: 450 });
    ['Check the gauge', 'Close the housing'].forEach((text, row) => {
      (pdf as unknown as { circle(x: number, y: number, radius: number): Drawing })
        .circle(80, 165 + row * 16, 1.8)
        .fill();
      pdf.text(text, 90, 160 + row * 16, { lineBreak: false });
    });
  });
  expect(labelled(document, 'list_item')).toEqual(['Check the gauge', 'Close the housing']);
});

test('lists side by side are separate lists', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11);
    ['one', 'two', 'three'].forEach((text, row) => {
      pdf.text(`${row + 1}. ${text}`, 72, 100 + row * 16, { lineBreak: false });
      pdf.text(`• ${text} too`, 250, 100 + row * 16, { lineBreak: false });
    });
  });
  expect(toMarkdown(document)).toBe('1. one\n2. two\n3. three\n\n- one too\n- two too\n- three too');
});

test('monospaced text is code that keeps its lines and indents', async () => {
  const code = ['function add(a, b) {', '  return a + b; // mind', '}', 'console.log(add(1, 2));'];
  const document = await readDrawn((pdf) => {
    pdf.font('Times-Roman').fontSize(11).text(`${prose} ${prose}`);
    pdf.moveDown().font('Courier').fontSize(9);
    code.forEach((line, index) =>
      pdf.text(line.trimStart(), 90 + (line.length - line.trimStart().length) * 5.4, 260 + index * 12, {
        lineBreak: false,
      }),
    );
  });
  expect(labelled(document, 'code')).toEqual([code.join('\n')]);
});

test('an image is a picture with its caption; a page with only images has no text', async () => {
  const pixel = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose);
    pdf.image(pixel, 100, 200, { width: 200, height: 100 });
    pdf.text('Figure 1: The northern pier', 100, 310, { lineBreak: false });
  });
  expect(document.pictures).toHaveLength(1);
  expect(labelled(document, 'caption')).toEqual(['Figure 1: The northern pier']);
  const scan = await readDrawn((pdf) => void pdf.image(pixel, 0, 0, { width: 595, height: 842 }), { margin: 0 });
  expect(scan.texts).toEqual([]);
  expect(scan.pictures).toHaveLength(1);
  expect(Object.keys(scan.pages)).toEqual(['1']);
});

test('text boxes of a drawing are its labels if a caption calls it a figure; its description contains their words', async () => {
  const boxed = async (caption: string, profile?: 'reference') =>
    readDrawn(
      (pdf) => {
        pdf.fontSize(11).text(prose, 72, 72, { width: 450 });
        for (let row = 0; row < 9; row += 1) {
          (pdf as unknown as { roundedRect(...box: number[]): Drawing })
            .roundedRect(72, 160 + row * 40, 400, 36, 5)
            .fill('#dddddd');
          pdf.fillColor('black').fontSize(9);
          pdf.text(`Step ${row} says in one whole sentence what has to be done there`, 80, 170 + row * 40, {
            lineBreak: false,
          });
        }
        pdf.fontSize(11).text(caption, 72, 540, { lineBreak: false });
      },
      {},
      profile,
    );
  const caption = 'Figure 1: What is done at the pier';
  const figure = await boxed(caption);
  expect(figure.pictures).toHaveLength(1);
  expect(toMarkdown(figure)).toContain('Step 2 says in one whole sentence what has to be done there, Step 3 says');
  expect(toMarkdown(await boxed(caption, 'reference'))).not.toContain('Step 3');
  expect(toMarkdown(await boxed('What is done at the pier'))).toContain('Step 3');
});

test('lone signs without letters are dropped', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72, { width: 450 });
    pdf.text('!', 300, 200, { lineBreak: false }).text('#', 100, 260, { lineBreak: false });
  });
  expect(document.texts.map(({ text }) => text)).toEqual([prose]);
});

test('a sideways page is read in its writing direction, with boxes as the page is displayed', async () => {
  const document = await readDrawn((pdf) => {
    (pdf as unknown as { rotate(angle: number, options: object): void }).rotate(90, { origin: [300, 300] });
    pdf.fontSize(11).text('The first line of a page that was turned.', 72, 100, { lineBreak: false });
    pdf.text('The second line of it.', 72, 130, { lineBreak: false });
  });
  expect(document.texts.map(({ text }) => text)).toEqual([
    'The first line of a page that was turned.',
    'The second line of it.',
  ]);
  const box = document.texts[0]!.prov[0]!.bbox;
  expect(box.t - box.b).toBeGreaterThan(box.r - box.l);
});
