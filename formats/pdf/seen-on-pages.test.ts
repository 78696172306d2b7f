import { toMarkdown } from '../../document/write/markdown';
import { type Drawing, labelled, paragraphs, prose, readDrawn } from './pdf-test-support';

/** Options that the pdfkit declarations used here omit. */
const spaced: object = { characterSpacing: 6 };
const rotate = (pdf: Drawing, angle: number, origin: number[]) =>
  (pdf as unknown as { rotate(angle: number, options: object): void }).rotate(angle, { origin });

const put = (pdf: Drawing, text: string, x: number, y: number, size = 11) =>
  pdf.fontSize(size).text(text, x, y, { lineBreak: false });
/** Draws lines below each other. */
const column = (pdf: Drawing, lines: readonly string[], x: number, y: number) =>
  lines.forEach((line, index) => put(pdf, line, x, y + 14 * index));

test('a letter-spaced heading is read as words, even if some letters are closer together', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(18).text('WATER LEVELS', 72, 80, { lineBreak: false, ...spaced });
    pdf.font('Helvetica').fontSize(11).text(prose, 72, 130);
  });
  expect(labelled(document, 'section_header')).toEqual(['WATER LEVELS']);
});

test('short lines with room for the next word stay separate lines; those of a paragraph are joined', async () => {
  const read = async (lines: readonly string[]) =>
    paragraphs(
      await readDrawn((pdf) => {
        pdf.fontSize(11).text(prose, 72, 72);
        column(pdf, lines, 110, 180);
      }),
    ).slice(1);
  const address = ['The harbour office', 'Pier Road 7', 'Oslo'];
  expect(await read(address)).toEqual(address);
  const wrapped = ['The gauge at the', 'northern pier is read', 'at noon by the officer', 'on duty'];
  expect(await read(wrapped)).toEqual([wrapped.join(' ')]);
});

test('a sentence continues on the next line of double-spaced text', async () => {
  const lines = [
    'Readings of the gauge began in the fall of the year 2002 and went on to the spring of 2008,',
    'following each tide from its start to the end of the third hour. The readings have these',
    'components.',
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(`${prose} ${prose} ${prose}`, 72, 72, { width: 450 });
    lines.forEach((line, index) => put(pdf, line, 72, 300 + 27 * index));
  });
  expect(paragraphs(document)[1]).toBe(lines.join(' '));
});

test('raised letters start notes, and so do the words Note and Source', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72);
    for (const [index, mark] of ['a', 'b'].entries()) {
      put(pdf, mark, 72, 180 + 12 * index, 6);
      put(pdf, `Readings of pier ${index + 1} are means of the group.`, 86, 180 + 12 * index, 9);
    }
    put(pdf, 'Source: the harbour office.', 72, 204, 9);
  });
  expect(toMarkdown(document).split('\n\n').slice(1)).toEqual([
    'a Readings of pier 1 are means of the group.',
    'b Readings of pier 2 are means of the group.',
    'Source: the harbour office.',
  ]);
});

test('notes numbered 1- and 2- are list items; a lone number with a dash is not', async () => {
  const read = (lines: readonly [string, string][]) =>
    readDrawn((pdf) => {
      pdf.fontSize(11).text(prose, 72, 72);
      lines.forEach(
        ([mark, text], index) => (put(pdf, mark, 72, 180 + 14 * index), put(pdf, text, 96, 180 + 14 * index)),
      );
    });
  const list = await read([
    ['1-', 'The first note of the form.'],
    ['2-', 'The second note of the form.'],
  ]);
  expect(labelled(list, 'list_item')).toEqual(['The first note of the form.', 'The second note of the form.']);
  expect(labelled(await read([['7-', 'The only note of the form.']]), 'list_item')).toEqual([]);
});

test('checkboxes side by side are read one after the other', async () => {
  const document = await readDrawn((pdf) => {
    const box = (text: string, x: number) => {
      pdf.rect(x, 120, 9, 9).stroke();
      put(pdf, text, x + 14, 120);
    };
    put(pdf, 'Languages that are spoken here:', 72, 100);
    box('Deutsch', 72);
    put(pdf, 'Colour:', 72, 150);
    box('English', 200);
    box('Latin', 330);
  });
  expect(document.texts.map(({ text }) => text)).toEqual([
    'Languages that are spoken here:',
    'Deutsch',
    'English',
    'Latin',
    'Colour:',
  ]);
});

test('the unit between a caption and its table belongs to the caption', async () => {
  const document = await readDrawn((pdf) => {
    put(pdf, 'Table 2. Levels of all piers by month: 2019 through 2021', 72, 100);
    put(pdf, '[In thousands]', 250, 112);
    for (const [row, cells] of [
      ['Pier', 'Level', 'Time'],
      ['North', '31', '8'],
      ['South', '29', '9'],
    ].entries())
      for (const [index, cell] of cells.entries()) {
        pdf.rect(72 + 100 * index, 130 + 20 * row, 100, 20).stroke();
        put(pdf, cell, 76 + 100 * index, 134 + 20 * row);
      }
  });
  expect(labelled(document, 'caption')).toEqual([
    'Table 2. Levels of all piers by month: 2019 through 2021 [In thousands]',
  ]);
});

test('a tab in the margin and a row above the page number are furniture', async () => {
  const document = await readDrawn(
    (pdf) => {
      pdf.fontSize(11);
      for (let index = 0; index < 4; index += 1) pdf.text(prose, 72, 90 + 60 * index, { width: 450 });
      put(pdf, 'Guide for new officers', 72, 775, 8);
      put(pdf, 'June 2011', 480, 775, 8);
      put(pdf, '26', 300, 805, 8);
      rotate(pdf, -90, [30, 300]);
      put(pdf, 'Prepare', 30, 300, 9);
    },
    { margin: 10 },
  );
  expect(labelled(document, 'page_header')).toEqual(['Prepare']);
  expect(labelled(document, 'page_footer').toSorted()).toEqual(['26', 'Guide for new officers', 'June 2011']);
});

test('a short paragraph in the style of other paragraphs is not a heading, though most of the page is smaller', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(9).text(`${prose} ${prose} ${prose}`, 72, 72, { width: 400 }).moveDown();
    pdf.fontSize(12).text('finite fields, fast arithmetic, curves', { indent: 0 }).moveDown();
    pdf.text(prose);
  });
  expect(labelled(document, 'section_header')).toEqual([]);
});

test('a lone label and the bold title below it are one caption; a bold line further down is not part of it', async () => {
  const read = (gap: number) =>
    readDrawn((pdf) => {
      put(pdf, 'Table 6', 72, 100);
      pdf.font('Helvetica-Bold');
      put(pdf, 'Levels of all piers by month', 72, 100 + gap);
      pdf.font('Helvetica').text(prose, 72, 180);
    });
  expect(labelled(await read(13), 'caption')).toEqual(['Table 6 Levels of all piers by month']);
  expect(labelled(await read(40), 'caption')).toEqual(['Table 6']);
});

test('a date and an e-mail address below a title are not headings, though larger than the text', async () => {
  const document = await readDrawn((pdf) => {
    put(pdf, 'The records of the harbour', 72, 80, 20);
    put(pdf, '3 May 2024', 72, 120, 14);
    put(pdf, 'November 3, 2011', 72, 165, 14);
    put(pdf, 'office@harbour.example', 72, 210, 14);
    put(pdf, 'Readings of 2011', 72, 255, 14);
    pdf.fontSize(11).text(prose, 72, 285, { width: 450 });
  });
  const heads = [...labelled(document, 'title'), ...labelled(document, 'section_header')];
  expect(heads).toEqual(['The records of the harbour', 'Readings of 2011']);
});

test('lines shortened by a table beside them form one paragraph with the lines above', async () => {
  const lines = [
    'The harbour office keeps a daily record of the water level at the northern pier of',
    'the town, where the boats wait',
  ];
  const narrow = [
    'for the tide in the morning, and',
    'where they are counted as soon',
    'as the gates are open, as those',
    'who wait for them have known',
    'for as long as anyone can say.',
  ];
  const document = await readDrawn((pdf) => {
    column(pdf, [...lines, ...narrow], 72, 100);
    pdf.rect(300, 124, 200, 72).stroke();
    pdf.moveTo(400, 124).lineTo(400, 196).stroke();
    for (let row = 1; row < 4; row += 1)
      pdf
        .moveTo(300, 124 + 18 * row)
        .lineTo(500, 124 + 18 * row)
        .stroke();
    for (let row = 0; row < 4; row += 1) {
      put(pdf, `Pier ${row + 1}`, 304, 128 + 18 * row, 9);
      put(pdf, String(20 + row), 404, 128 + 18 * row, 9);
    }
  });
  expect(paragraphs(document)).toContain([...lines, ...narrow].join(' '));
});

test('a bar on the axis of a chart is not a checkbox, but a separate square before words is', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72);
    pdf.moveTo(120, 200).lineTo(120, 300).stroke();
    pdf.rect(120, 220, 12, 12).stroke();
    put(pdf, '4.2 metres', 136, 221);
    pdf.rect(120, 340, 11, 11).stroke();
    put(pdf, 'The gauge works', 136, 341);
  });
  const text = toMarkdown(document);
  expect(text).toContain('4.2 metres');
  expect(text).not.toMatch(/\[[ x]\] 4\.2|[☐☒] 4\.2/);
  expect(text).toContain('[ ] The gauge works');
});

test('a small bold heading of references is a heading, a line between two parties is not', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(`${prose} ${prose} ${prose}`, 72, 72, { width: 450 });
    pdf.font('Helvetica-Bold');
    put(pdf, 'and', 280, 230, 13);
    put(pdf, 'References', 280, 300, 9.5);
    pdf.font('Helvetica').fontSize(9.5).text(prose, 72, 320, { width: 450 });
  });
  expect(labelled(document, 'section_header')).toEqual(['References']);
});

test('the title below the label of a table continues in its last line', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72, { width: 450 });
    pdf.font('Helvetica-Bold');
    const centred = (text: string, y: number) => put(pdf, text, 297 - pdf.fontSize(11).widthOfString(text) / 2, y);
    centred('Exhibit 20', 200);
    centred('Readings of the Gauge in the Harbours That Report Them to the Office,', 213);
    centred('2006 to 2007', 226);
    pdf.font('Helvetica');
    for (const [row, cells] of [
      ['Harbour', 'Reading'],
      ['Oslo', '31'],
      ['Bergen', '27'],
    ].entries())
      for (const [column, cell] of cells.entries()) {
        pdf.rect(150 + 150 * column, 250 + 20 * row, 150, 20).stroke();
        put(pdf, cell, 156 + 150 * column, 255 + 20 * row);
      }
  });
  expect(labelled(document, 'caption')).toEqual([
    'Exhibit 20 Readings of the Gauge in the Harbours That Report Them to the Office, 2006 to 2007',
  ]);
});

test('heads in one shaded cell are above their own columns, a sentence in such a cell is not split', async () => {
  const readHead = async (draw: (pdf: Drawing) => void) => {
    const document = await readDrawn((pdf) => {
      pdf.rect(72, 100, 400, 20).stroke();
      draw(pdf);
      for (const [row, cells] of [
        ['sum', 'share', 'sum', 'share'],
        ['41', '2.2', '36', '1.9'],
        ['52', '3.3', '47', '2.8'],
      ].entries())
        for (const [column, cell] of cells.entries()) {
          pdf.rect(72 + 100 * column, 120 + 20 * row, 100, 20).stroke();
          put(pdf, cell, 80 + 100 * column, 125 + 20 * row);
        }
    });
    const cells = document.tables[0]?.data.table_cells.filter(({ start_row_offset_idx: row }) => row === 0) ?? [];
    return cells.map(({ text, start_col_offset_idx: from, end_col_offset_idx: to }) => [text, from, to]);
  };
  const dates = (pdf: Drawing) => {
    put(pdf, '12/31/2009', 140, 105);
    put(pdf, '12/31/2010', 340, 105);
  };
  expect(await readHead(dates)).toEqual([
    ['12/31/2009', 0, 2],
    ['12/31/2010', 2, 4],
  ]);
  expect(await readHead((pdf) => put(pdf, 'Loans of the bank, in thousands', 180, 105))).toEqual([
    ['Loans of the bank, in thousands', 0, 4],
  ]);
});

test('titles of tables on a page without paragraphs are headings; a longer line below shows that a line ends a paragraph', async () => {
  const statement = await readDrawn((pdf) => {
    ['Income', 'Expenses'].forEach((title, block) => {
      const top = 80 + block * 160;
      put(pdf.font('Helvetica-Bold'), title, 72, top, 14);
      pdf.font('Helvetica');
      [
        ['', '2024', '2023'],
        ['Harbour dues', '12,400', '11,900'],
        ['Pilotage', '8,120', '7,310'],
        ['Rents', '310', '45'],
      ].forEach((cells, row) =>
        cells.forEach((text, index) => put(pdf, text, 72 + index * 120, top + 30 + 16 * row, 10)),
      );
    });
  });
  expect(statement.tables).toHaveLength(2);
  expect(labelled(statement, 'section_header')).toEqual(['Income', 'Expenses']);
  const lines = ['No readings on file.', 'No readings of the southern pier on file for this year.'];
  expect(paragraphs(await readDrawn((pdf) => column(pdf, lines, 72, 80)))).toEqual(lines);
});

test('the lowered and raised letters of the names LaTeX and BibTeX stay in their words', async () => {
  /** Draws each sign at its place from the left and its height above the baseline, in type of its size. */
  const name = (pdf: Drawing, x: number, y: number, signs: readonly [string, number, number, number][]) => {
    for (const [text, left, height, size] of signs) put(pdf, text, x + left, y - height + (10 - size), size);
  };
  const tex: [string, number, number, number][] = [
    ['T', 7, 0, 10],
    ['E', 12.4, -2.1, 10],
    ['X', 18.2, 0, 10],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 72, { width: 400 });
    put(pdf, 'Typeset with', 72, 200, 10);
    name(pdf, 136, 200, [['L', 0, 0, 10], ['A', 2.6, 1.8, 7], ...tex]);
    put(pdf, 'at the pier.', 164, 200, 10);
  });
  expect(paragraphs(document).at(-1)).toBe('Typeset with LATEX at the pier.');
});

test('a line of code on its own is code, and so are the lines of a document that is mostly code', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72);
    pdf.font('Courier').fontSize(10);
    put(pdf, 'let next = round(theta, 1);', 72, 160, 10);
    put(pdf, 'thetanew', 72, 200, 10);
  });
  expect(labelled(document, 'code')).toEqual(['let next = round(theta, 1);']);
  expect(paragraphs(document)).toContain('thetanew');
  const listing = ['int tide(int hour) {', '    if (hour > 11) {', '        return hour - 12;', '    }', '}'];
  const code = await readDrawn((pdf) => {
    pdf.fontSize(11).text('The tides:', 72, 72);
    pdf.font('Courier');
    listing.forEach((line, index) => put(pdf, line, 72, 100 + 12 * index, 10));
  });
  expect(labelled(code, 'code')).toEqual([listing.join('\n')]);
});

test('a typescript is prose in monospaced type', async () => {
  const document = await readDrawn((pdf) => pdf.font('Courier').fontSize(11).text(prose, 72, 72));
  expect(labelled(document, 'code')).toEqual([]);
});

test('line numbers beside code are furniture, whether they are close to it or apart', async () => {
  const code = ['begin{', '    watch(pier);', '    record();', '}', 'end.'];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72);
    code.forEach((line, index) => {
      put(pdf.font('Helvetica'), String(36 + index), 60, 162 + 12 * index, 7);
      put(pdf.font('Courier'), line, 74, 160 + 12 * index, 10);
    });
  });
  expect(labelled(document, 'code')).toEqual([code.join('\n')]);
  expect(document.tables).toEqual([]);
  expect(labelled(document, 'page_header').toSorted()).toEqual(['36', '37', '38', '39', '40']);
});

test('dashes on both sides of a word are an ornament, not the bullet of a list', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72);
    put(pdf, '— databases —', 200, 160);
    pdf.fontSize(11).text(prose, 72, 190);
    put(pdf, '— tides —', 200, 280);
  });
  expect(labelled(document, 'list_item')).toEqual([]);
});

test('the names, towns and addresses of several authors below a title are no headings', async () => {
  const document = await readDrawn((pdf) => {
    put(pdf, 'Readings of the gauge at the northern pier', 90, 72, 20);
    const authors = [
      ['Ada Holm', 'Harbour office, Oslo', 'ada@pier.example'],
      ['Per Lund', 'Harbour office, Bergen', 'per@pier.example'],
      ['Eva Berg', 'Harbour office, Bergen', 'eva@pier.example'],
    ];
    authors.flat().forEach((text, index) => put(pdf, text, 230, 120 + 26 * index, 14));
    put(pdf, 'November 1, 2022', 230, 380, 14);
    pdf.fontSize(11).text(`${prose} ${prose}`, 72, 430, { width: 450 });
  });
  expect(labelled(document, 'section_header')).toEqual([]);
  expect(paragraphs(document)).toContain('Per Lund');
});
