import { toMarkdown } from '../../document/write/markdown';
import { describeFont } from './engine/glyphs';
import { toPlainText } from './engine/signs';
import { type Drawing, grid, labelled, paragraphs, prose, readDrawn } from './pdf-test-support';

const put = (pdf: Drawing, text: string, x: number, y: number, size = 10) =>
  pdf.fontSize(size).text(text, x, y, { lineBreak: false });

test('code that is longer than the text does not make headings of the text', async () => {
  const code = Array.from(
    { length: 30 },
    (_, index) => `record(pier[${index}], read(gauge[${index}]), table.of(tides));`,
  );
  const document = await readDrawn((pdf) => {
    put(pdf, 'The readings are written as follows:', 72, 72, 12);
    code.forEach((line, index) => put(pdf.font('Courier'), line, 72, 100 + 11 * index, 9));
    put(pdf.font('Helvetica'), 'A frame that contains them is returned by', 72, 450, 12);
    put(pdf.font('Courier'), 'frame draw(pier);', 72, 480, 9);
  });
  expect(labelled(document, 'section_header')).toEqual([]);
  expect(paragraphs(document)).toContain('A frame that contains them is returned by');
});

test('a bold section number makes a heading of a version with a date and of a name of one letter', async () => {
  const document = await readDrawn((pdf) => {
    put(pdf.font('Helvetica-Bold'), '18.1.10 Gauge 4.216 2021-12-05', 72, 72);
    pdf.font('Helvetica').text(prose, 72, 90);
    put(pdf.font('Helvetica-Bold'), '4.8.4.2 f', 72, 160);
    pdf.font('Helvetica').text(prose, 72, 178);
  });
  expect(labelled(document, 'section_header')).toEqual(['18.1.10 Gauge 4.216 2021-12-05', '4.8.4.2 f']);
});

test('a bold keyword of an algorithm is not a heading', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 72);
    put(pdf.font('Helvetica-Bold'), 'end while', 72, 140);
    pdf.font('Helvetica').text(prose, 72, 170);
  });
  expect(labelled(document, 'section_header')).toEqual([]);
});

test('an indented line below a short one begins a paragraph, also after the number of a note', async () => {
  const first = 'Copyright 2020 Anna Berg';
  const document = await readDrawn((pdf) => {
    put(pdf, first, 72, 72);
    pdf.text(prose, 72, 84, { indent: 15 });
    pdf.text(`${prose} It is read daily.²`, 72, 150);
    pdf.text(prose, 72, pdf.y, { indent: 15 });
  });
  expect(paragraphs(document)).toEqual([first, prose, `${prose} It is read daily.²`, prose]);
});

test('numbered lines of a list of contents are separate', async () => {
  const entries = ['D.3.1. The Gauges', 'D.3.2. The Northern Pier and its Tables', 'D.3.3. Tides', 'D.3.4. Storms'];
  const document = await readDrawn((pdf) => {
    entries.forEach((text, index) => put(pdf, text, 110, 72 + 13 * index));
    put(pdf, 'D.4. Readings', 90, 72 + 13 * entries.length);
    pdf.text(prose, 72, 200);
  });
  expect(paragraphs(document)).toEqual([...entries, 'D.4. Readings', prose]);
});

test('monospaced names beside paragraphs are read before the text beside them, not together', async () => {
  const terms: [string, string, string][] = [
    ['priority', 'The priority of the reading that is stored at the pier.', 'It is a number from zero to nine.'],
    ['flags', 'The test that the office applies to each of the readings', 'before they are sent to the engineer.'],
    ['place', 'Later readings are preferred to the ones that are older,', 'as they are strictly ordered.'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 72);
    terms.forEach(([name, first, second], index) => {
      const y = 150 + 32 * index;
      put(pdf.font('Courier'), name, 100, y);
      put(pdf.font('Helvetica'), first, 180, y);
      put(pdf, second, 180, y + 12);
    });
  });
  expect(paragraphs(document).slice(1)).toEqual(terms.flatMap(([name, first, second]) => [name, `${first} ${second}`]));
});

test('terms with a few words beside each are rows of a table', async () => {
  const terms = [
    ['ACF', 'Tables of the tides'],
    ['ALSCAL', 'Gauges at the piers'],
    ['ANOVA', 'Readings'],
    ['CCF', 'Daily records'],
    ['DATE', 'The office'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 72);
    terms.forEach(([name, text], index) => {
      put(pdf.font('Courier'), name!, 72, 140 + 17 * index);
      put(pdf.font('Helvetica'), text!, 150, 140 + 17 * index);
    });
  });
  expect(grid(document)).toEqual(terms);
  expect(document.texts.map(({ text }) => text)).toEqual([prose]);
});

test('a heading may contain a monospaced name; its number may begin with a letter', async () => {
  const document = await readDrawn((pdf) => {
    put(pdf.font('Helvetica-Bold'), '5.20', 72, 72);
    put(pdf.font('Courier'), 'gauge_extract:', 110, 72);
    put(pdf.font('Helvetica-Bold'), 'reads the tide', 200, 72);
    pdf.font('Helvetica').text(prose, 72, 90);
    put(pdf.font('Helvetica-Bold'), 'A.2.3', 72, 150);
    put(pdf, 'Assembling tables', 120, 150);
    pdf.font('Helvetica').text(prose, 72, 168);
  });
  expect(labelled(document, 'section_header')).toEqual([
    '5.20 gauge_extract: reads the tide',
    'A.2.3 Assembling tables',
  ]);
});

test('code whose words line up is not two columns', async () => {
  const lead = '<!ENTITY scaron  CDATA "353" -- small letter s with caron -->';
  const rows = Array.from({ length: 12 }, (_, index) =>
    index % 3 === 2
      ? `                 U+20${index} ISOlat2 -->`
      : `<!ENTITY ens${index}    CDATA "81${index}" -- space, U+200${index} ISOpub`,
  );
  const document = await readDrawn((pdf) => {
    pdf.font('Courier');
    for (const [index, row] of [lead, ...rows].entries()) {
      // Each word is placed on its own, as browsers do, so that the spaces are white.
      for (const { 0: word, index: at } of row.matchAll(/\S+(?: \S+)*/g)) put(pdf, word, 72 + 6 * at, 72 + 12 * index);
    }
  });
  expect(labelled(document, 'code')).toEqual([[lead, ...rows].join('\n')]);
});

test('short notes in the margin are read with the text beside them', async () => {
  const document = await readDrawn((pdf) => {
    for (const [index, name] of ['north', 'south', 'west'].entries()) {
      const y = 100 + 100 * index;
      put(pdf.font('Helvetica'), `The ${name} pier`, 160, y - 20, 10);
      pdf.fontSize(10).text(prose, 160, y, { width: 360 });
      put(pdf, `new: ${name}`, 72, y + 4, 8);
    }
  });
  const texts = paragraphs(document);
  expect(texts.indexOf('new: south')).toBeGreaterThan(texts.indexOf('The south pier'));
  expect(texts.indexOf('new: south')).toBeLessThan(texts.indexOf('The west pier'));
});

test('short rules between letters are underscores, and bars in code; those of a table and of a fraction are not', async () => {
  const document = await readDrawn((pdf) => {
    put(pdf, 'gauge', 72, 72);
    const [word, base] = [pdf.widthOfString('gauge'), 72 + 0.718 * 10];
    pdf
      .lineWidth(0.4)
      .moveTo(72 + word + 0.3, base)
      .lineTo(72 + word + 4.5, base)
      .stroke();
    put(pdf, 'level is the name of the reading', 72 + word + 5, 72);
    put(pdf.font('Courier'), 'cat pier', 72, 120);
    pdf.moveTo(129, 119).lineTo(129, 129).stroke();
    put(pdf, 'record', 138, 120);
    put(pdf, 'north', 72, 160);
    put(pdf, 'south', 138, 160);
    pdf.moveTo(120, 159).lineTo(120, 169).stroke();
    put(pdf, 'east', 72, 171);
    put(pdf, 'west', 138, 171);
    pdf.moveTo(120, 170).lineTo(120, 180).stroke();
  });
  const all = document.texts.map(({ text }) => text).join('\n');
  expect(all).toContain('gauge_level is the name');
  expect(all).toContain('cat pier | record');
  expect(all).not.toMatch(/north.*\|/);
});

test('a line below words that ends in a short piece is not an underscore', async () => {
  const document = await readDrawn((pdf) => {
    put(pdf, 'By Post and Fax', 72, 72);
    const end = 72 + pdf.widthOfString('By Post and Fax');
    pdf
      .lineWidth(0.5)
      .moveTo(72, 80)
      .lineTo(end, 80)
      .stroke()
      .moveTo(end, 80)
      .lineTo(end + 3, 80)
      .stroke();
    pdf.text(prose, 72, 120);
  });
  expect(paragraphs(document)[0]).toBe('By Post and Fax');
});

test('signs in monospaced type are terms', async () => {
  const document = await readDrawn((pdf) => {
    put(pdf.font('Courier'), '$$', 72, 72);
    pdf.font('Helvetica').text(prose, 110, 72);
    put(pdf.font('Courier'), '+', 72, 130);
    pdf.font('Helvetica').text(prose, 110, 130);
  });
  const texts = document.texts.map(({ text }) => text);
  expect(texts).toEqual(['$$', prose, '+', prose]);
});

test('bold terms above indented text are no headings; a bold line above text at its margin is one', async () => {
  const document = await readDrawn((pdf) => {
    for (const [index, name] of ['north pier', 'south pier', 'west pier'].entries()) {
      put(pdf.font('Helvetica-Bold'), name, 72, 72 + 60 * index);
      pdf.font('Helvetica').text(prose, 95, 84 + 60 * index);
    }
    put(pdf.font('Helvetica-Bold'), 'The east pier', 72, 280);
    pdf.font('Helvetica').text(prose, 72, 300);
  });
  expect(labelled(document, 'section_header')).toEqual(['The east pier']);
});

test('the sections of a manual page are headings, although their text is indented', async () => {
  const sections = ['NAME', 'SYNOPSIS', 'DESCRIPTION'];
  const document = await readDrawn((pdf) => {
    sections.forEach((name, index) => {
      put(pdf.font('Helvetica-Bold'), name, 72, 72 + 60 * index);
      pdf.font('Helvetica').text(prose, 108, 84 + 60 * index);
    });
  });
  expect(labelled(document, 'section_header')).toEqual(sections);
});

test('names and an edition below a title are separate lines and no headings', async () => {
  const lines = ['The Harbour Office', 'Barbara Berg', 'Version 2.08, 2014/07/11'];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(17).text('The gauge package', 72, 72, { align: 'center' });
    lines.forEach((text, index) => pdf.fontSize(12).text(text, 72, 110 + [0, 14, 38][index]!, { align: 'center' }));
    put(pdf.font('Helvetica-Bold'), '1 Introduction', 72, 190, 14);
    pdf.font('Helvetica').fontSize(10).text(prose, 72, 215).text(prose, 72, 270);
  });
  expect(labelled(document, 'title')).toEqual(['The gauge package']);
  expect(labelled(document, 'section_header')).toEqual(['1 Introduction']);
  expect(paragraphs(document).slice(0, 3)).toEqual(lines);
});

test('a version as large as the title above it is not a heading, and the names below it are none', async () => {
  const lines = ['Version 1.1', 'Barbara Berg', 'November 3, 2011'];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(17).text('The gauge package', 72, 72, { align: 'center' });
    lines.forEach((text, index) =>
      pdf.fontSize(index === 0 ? 17 : 12).text(text, 72, 95 + 32 * index, { align: 'center' }),
    );
    put(pdf.font('Helvetica-Bold'), '1 Introduction', 72, 220, 14);
    pdf.font('Helvetica').fontSize(10).text(prose, 72, 245).text(prose, 72, 300);
  });
  expect(labelled(document, 'title')).toEqual(['The gauge package']);
  expect(labelled(document, 'section_header')).toEqual(['1 Introduction']);
  expect(paragraphs(document).slice(0, 3)).toEqual(lines);
});

test('an entry of an index with several pages stays in the table of its neighbours', async () => {
  const entries = ['Comments', 'Constraints', 'Copyright', 'Credits'];
  const document = await readDrawn((pdf) =>
    entries.forEach((text, index) =>
      put(pdf, `${text} . . . . . . . . . . ${index === 2 ? '3, 131' : 20 + index}`, 72, 72 + 14 * index),
    ),
  );
  expect(document.tables).toHaveLength(1);
  expect(document.tables[0]?.data.num_rows).toBe(4);
});

test('a line with more small than large letters continues in the paragraph', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 72);
    let x = 72;
    const pieces: [string, number][] = [
      ['Add it to', 10],
      ['the-record-of-all-the-northern-gauges-of-the-harbour', 7],
      ['for each reading', 10],
    ];
    for (const [text, size] of pieces) {
      put(pdf, text, x, 150 + 0.7 * (10 - size), size);
      x += pdf.widthOfString(`${text}_`);
    }
    put(pdf, 'of each pier, of which the office keeps a record.', 72, 163);
  });
  expect(paragraphs(document)[1]).toMatch(/^Add .* reading of each pier/);
});

test('bold fonts without the word in their names', () => {
  const isBold = (name: string) => describeFont(name, { flags: 0, weight: 400, angled: false }).bold;
  expect(['LinLibertineOB', 'LinBiolinumTB', 'SFSX1000', 'LinLibertineO', 'SFRM1000'].map(isBold)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

test('private codes of symbol fonts are signs', () => {
  expect(['\uf0b0', '\uf0b3', '\uf0b4'].map(toPlainText)).toEqual(['°', '≥', '×']);
});

test('upright letters that lean are italics of the same width, and none of them becomes a ligature', async () => {
  const leaning: object = { oblique: 15, lineBreak: false };
  const document = await readDrawn((pdf) => {
    pdf.font('Times-Roman').fontSize(12).text(`The officer often lifts the lid. ${prose}`, 72, 72);
    pdf.text('I like to eat leaves', 72, 200, leaning);
  });
  expect(toMarkdown(document)).toContain('\n\n*I like to eat leaves*');
});
