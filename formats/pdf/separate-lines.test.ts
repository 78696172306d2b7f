import { type Drawing, labelled, paragraphs, prose, readDrawn } from './pdf-test-support';

const put = (pdf: Drawing, text: string, x: number, y: number, size = 11) =>
  pdf.fontSize(size).text(text, x, y, { lineBreak: false });
const getWidth = (pdf: Drawing, text: string) =>
  (pdf as unknown as { widthOfString(text: string): number }).widthOfString(text);

/** The texts after a full-width paragraph. */
async function readBelow(content: (pdf: Drawing) => void): Promise<string[]> {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(`${prose} ${prose}`, 72, 72, { width: 450 });
    content(pdf);
  });
  return paragraphs(document).slice(1);
}

const centre = (pdf: Drawing, lines: readonly string[]) =>
  lines.forEach((text, index) => {
    pdf.fontSize(11);
    put(pdf, text, 297 - getWidth(pdf, text) / 2, 240 + 14 * index);
  });

test('centred names are separate lines, a centred sentence is one paragraph', async () => {
  const names = ['Ada Holm', 'Per Lund', 'Office of the Harbour Master, Northern Pier'];
  expect(await readBelow((pdf) => centre(pdf, names))).toEqual(names);
  const sentence = ['The gauge at the northern pier is read at noon', 'by the officer who is on duty on that day'];
  expect(await readBelow((pdf) => centre(pdf, sentence))).toEqual([sentence.join(' ')]);
});

test('right-aligned lines with room at their left are separate lines', async () => {
  const lines = ['Signed at the northern pier', 'Ada Holm'];
  const read = await readBelow((pdf) =>
    lines.forEach((text, index) => {
      pdf.fontSize(11);
      put(pdf, text, 521.5 - getWidth(pdf, text), 240 + 14 * index);
    }),
  );
  expect(read).toEqual(lines);
});

test('short double-spaced lines are paragraphs', async () => {
  const lines = ['www.pier.example', 'www.gauge.example', 'www.tides.example'];
  expect(await readBelow((pdf) => lines.forEach((text, index) => put(pdf, text, 72, 240 + 22 * index)))).toEqual(lines);
});

test('bold words at the right edge are not headings; those above a column are', async () => {
  const headings = async (x: (width: number) => number) => {
    const document = await readDrawn((pdf) => {
      pdf.fontSize(11).text(`${prose} ${prose}`, 72, 72, { width: 450 });
      pdf.font('Helvetica-Bold');
      put(pdf, 'Harbour master', x(getWidth(pdf, 'Harbour master')), 250);
      pdf.font('Helvetica').text(prose, 72, 280, { width: 450 });
    });
    return labelled(document, 'section_header');
  };
  expect(await headings((width) => 521.5 - width)).toEqual([]);
  expect(await headings(() => 72)).toEqual(['Harbour master']);
});

test('a line in the style of the items below it is not a heading', async () => {
  const document = await readDrawn((pdf) => {
    put(pdf, 'The gauges', 72, 60, 40);
    ['We read them:', '\u2022 at noon', '\u2022 at night'].forEach((text, index) =>
      put(pdf, text, 72, 140 + 40 * index, 26),
    );
    pdf.fontSize(12).text(prose, 72, 300, { width: 450 });
  });
  expect(labelled(document, 'section_header').concat(labelled(document, 'title'))).toEqual(['The gauges']);
  expect(labelled(document, 'list_item')).toEqual(['at noon', 'at night']);
});

test('a sentence ends at the edge of a narrow paragraph without ending it; the title of a table continues after a colon', async () => {
  const narrow = [
    'The gauge of the northern',
    'pier is read at noon by',
    'the officer on duty who',
    'notes it in the book.',
    'Readings of the storm are',
    'kept for another year.',
  ];
  const beside = await readDrawn((pdf) => {
    pdf.fontSize(11);
    narrow.forEach((line, index) => put(pdf, line, 72, 80 + 14 * index));
    pdf.text(prose, 72, 190, { width: 450 });
  });
  expect(paragraphs(beside)[0]).toBe(narrow.join(' '));
  const title = ['Levels of the Northern Pier and of the Southern Pier by Month:', '2005 and 2010'];
  const titled = await readDrawn((pdf) => {
    pdf.font('Helvetica-Bold');
    title.forEach((line, index) => put(pdf, line, 72, 80 + 14 * index, 12));
    pdf.font('Helvetica').fontSize(11).text(`${prose} ${prose}`, 72, 130, { width: 450 });
  });
  expect([...labelled(titled, 'section_header'), ...labelled(titled, 'title')]).toEqual([title.join(' ')]);
});

test('a short line before a capital and a line that fills the column is a paragraph; beside a picture it is not', async () => {
  const wide = 'This guide may be copied under the licence of the harbour office for the gauge and its tables';
  const read = (lines: readonly string[]) =>
    readBelow((pdf) => lines.forEach((text, index) => put(pdf, text, 72, 240 + 14 * index)));
  const owner = 'Copyright 2019 by the harbour office';
  expect(await read([owner, wide])).toEqual([owner, wide]);
  const wrapped = [
    ...Array<string>(12).fill('the gauge of the harbour is read by'),
    'Harbour officers, who keep the readings of all days of the year in one large book of the pier',
  ];
  expect(await read(wrapped)).toEqual([wrapped.join(' ')]);
});

test('a word that a hyphen splits continues in a line that is mostly monospaced', async () => {
  const read = await readBelow((pdf) => {
    put(
      pdf,
      'In the dialog of the printer the script of the harbour office has to be entered like this under com-',
      72,
      240,
    );
    put(pdf, 'mand: ', 72, 254);
    pdf.font('Courier');
    put(pdf, '/usr/bin/gauge --file readings.txt', 115, 254, 9.5);
  });
  expect(read.join('|')).toContain('entered like this under command: /usr/bin/gauge');
});

test('code below a paragraph that ends in a monospaced name stays apart', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(`${prose} ${prose}`, 72, 72, { width: 450 });
    put(
      pdf,
      'The median of the readings of the gauge is found by one function of the package, whose name is',
      72,
      240,
      10,
    );
    pdf.font('Courier');
    put(pdf, 'GAUGE.', 72, 252, 10);
    put(pdf, '> median <- function (readings) {', 72, 280, 10);
    put(pdf, '+   sort(readings)[half]', 72, 292, 10);
    put(pdf, '+ }', 72, 304, 10);
  });
  expect(labelled(document, 'code')).toEqual(['> median <- function (readings) {\n+   sort(readings)[half]\n+ }']);
});

test('a squeezed line without drawn spaces is read as words; letters that are evenly apart are not parted', async () => {
  const words = 'There is another old saying at the northern pier that it is good to read the gauge'.split(' ');
  const read = (gap: number) =>
    readBelow((pdf) => {
      let x = 72;
      for (const word of words) {
        put(pdf, word, x, 240);
        x += getWidth(pdf, word) + gap * 11;
      }
    });
  expect(await read(0.15)).toEqual([words.join(' ')]);
  expect(await read(0)).toEqual([words.join('')]);
});

test('a paragraph between the number and the hanging text of an item is no part of it', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(`${prose} ${prose}`, 72, 72, { width: 450 });
    put(pdf, '1. The gauge at the northern pier is read at noon by the officer who is on duty on the day and', 72, 240);
    put(pdf, 'compared with the tables', 94, 254);
    put(pdf, 'Readers may change the tables of the office.', 82, 268);
  });
  expect(paragraphs(document).at(-1)).toBe('Readers may change the tables of the office.');
});

test('an item with an indented first line continues at the margin', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(`${prose} ${prose}`, 72, 72, { width: 450 });
    put(pdf, '- Readings of the gauge at the northern pier at noon by the officer on duty of the day may be', 86, 240);
    put(pdf, 'late.', 72, 254);
    put(pdf, '- Tables of the tides that the harbour office prints for the years of the past and of the day', 86, 268);
    put(
      pdf,
      'ahead of it, and of the years after them, for the officers of the pier and all of their readers, so',
      72,
      282,
    );
    put(pdf, 'Tables may be late.', 72, 296);
  });
  expect(labelled(document, 'list_item')).toEqual([
    expect.stringMatching(/may be late\.$/),
    expect.stringMatching(/day ahead of it.*so Tables may be late\.$/),
  ]);
});

/** The texts of lines below each other at the left edge. */
const readStacked = (lines: readonly string[]) =>
  readBelow((pdf) => {
    pdf.font('Times-Roman');
    lines.forEach((text, index) => put(pdf, text, 72, 240 + 14 * index));
  });

test('a telephone number that begins a line of a sentence belongs to it', async () => {
  const sentence = [
    'The number of the office, which is open every day until noon, is',
    '040 123 456 789',
    'and the pilot answers it.',
  ];
  expect(await readStacked(sentence)).toEqual([sentence.join(' ')]);
  const contact = ['Treasurer: Ali Demir', '07700 900461'];
  expect(await readStacked(contact)).toEqual(contact);
});

test('a title in capitals is not cut into all its lines', async () => {
  const capitals = [
    'STATEMENT OF THE BOARD OF DIRECTORS ABOUT THE',
    'INTERNAL CONTROLS OVER',
    'FINANCIAL REPORTING OF THE COMPANY',
  ];
  expect(await readStacked(capitals)).toEqual([capitals.slice(0, 2).join(' '), capitals[2]]);
});

test('a sentence with blanks to be filled in goes on below them; fields do not', async () => {
  const sentence = [`The tenant, Mr ${'_'.repeat(66)}`, 'pays the rent of the pier in each month of the year.'];
  expect(await readStacked(sentence)).toEqual([sentence.join(' ')]);
  const fields = [`Name: ${'_'.repeat(70)}`, `Pier: ${'_'.repeat(70)}`];
  expect(await readStacked(fields)).toEqual(fields);
});
