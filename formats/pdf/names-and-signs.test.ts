import { type Drawing, labelled, paragraphs, prose, readDrawn } from './pdf-test-support';

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

test('private codes of symbol fonts are signs', async () => {
  const { plainText } = await import('./engine/signs');
  expect(['\uf0b0', '\uf0b3', '\uf0b4'].map(plainText)).toEqual(['°', '≥', '×']);
});
