import { cleanGlyphs } from './engine/characters';
import type { Glyph, RawPage } from './geometry/page';
import { type Drawing, labelled, paragraphs, prose, readDrawn } from './pdf-test-support';
import { isScan } from './text/ocr-page';

test('text with a negative type size that the matrix undoes is not read backwards', async () => {
  const document = await readDrawn((pdf) => {
    pdf.font('Helvetica').fontSize(12).text('First line of the page', 72, 72);
    const raw = pdf as unknown as { addContent(content: string): void };
    raw.addContent('BT /F1 -12 Tf -1 0 0 1 72 120 Tm (Written with a negative size) Tj ET');
  });
  expect(paragraphs(document)).toEqual(['First line of the page', 'Written with a negative size']);
});

test('letter-spaced text is read as words', async () => {
  const document = await readDrawn((pdf) => {
    const options = { characterSpacing: 2.2, width: 440 } as object;
    pdf.fontSize(11).text(prose, options);
  });
  expect(paragraphs(document)).toEqual([prose]);
});

test('each note below a table starts with its own star', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(9).text('* Different from the first group', 72, 100).text('** Different from all groups', 72, 112);
  });
  expect(document.texts.map(({ text }) => text.replace(/^(\*+)\s*/, '$1 '))).toEqual([
    '* Different from the first group',
    '** Different from all groups',
  ]);
});

test('the last row of a later page is its footer if it is separate from the text', async () => {
  const document = await readDrawn(
    (pdf) => {
      pdf.fontSize(11).text('15', 520, 40, { lineBreak: false });
      for (let index = 0; index < 3; index += 1) pdf.text(prose, 72, 90 + index * 80, { width: 450 });
      pdf.font('Helvetica-Bold').text('Survey of the Harbours, January 2011', 300, 800, { lineBreak: false });
    },
    { margin: 20 },
  );
  expect(labelled(document, 'page_footer')).toEqual(['Survey of the Harbours, January 2011']);
});

test('a ruling below the first row of a later page separates its header from text close by', async () => {
  const document = await readDrawn(
    (pdf) => {
      pdf
        .fontSize(11)
        .text('Appendix A: Glossary', 400, 40, { lineBreak: false })
        .moveTo(72, 54)
        .lineTo(522, 54)
        .stroke();
      for (let index = 0; index < 4; index += 1) pdf.text(prose, 72, 60 + index * 60, { width: 450 });
      pdf.text('3', 290, 810, { lineBreak: false });
    },
    { margin: 20 },
  );
  expect(labelled(document, 'page_header')).toEqual(['Appendix A: Glossary']);
});

const font = { name: 'Harbour', bold: false, italic: false, mono: false };

/** A page with these signs side by side. */
function getPage(signs: string): RawPage {
  const glyphs = Array.from(signs).map((text, index): Glyph => {
    const box = { l: 20 + index * 6, r: 26 + index * 6, b: 98, t: 108 };
    return { text, box, baseline: 100, size: 10, font, rotation: 0, invisible: false };
  });
  return { pageNo: 1, width: 2000, height: 800, glyphs, rules: [], fills: [], drawings: [], images: [], links: [] };
}

test('letters that a font lists at F000 plus their code are letters, unless it is a symbol font', () => {
  const shifted = Array.from('Every morning the gauge is read', (sign) =>
    String.fromCharCode(0xf000 + sign.charCodeAt(0)),
  ).join('');
  const read = (page: RawPage) =>
    cleanGlyphs(page)
      .map(({ text }) => text)
      .join('');
  expect(read(getPage(shifted))).toBe('Every morning the gauge is read');
  const symbols = getPage(shifted);
  for (const glyph of symbols.glyphs) glyph.font = { ...font, name: 'Wingdings' };
  expect(read(symbols)).not.toContain('morning');
});

test('a page with mostly unmapped signs is read as a scan', () => {
  expect(isScan(getPage('\ufffd'.repeat(60)))).toBe(true);
  expect(isScan(getPage(`${'\ufffd'.repeat(10)}${'a'.repeat(50)}`))).toBe(false);
});

test('a row of dashes is a ruling of a typewritten table, not one of its rows', async () => {
  const document = await readDrawn((pdf) => {
    pdf.font('Courier').fontSize(10);
    const rows = [
      'Gauge      Level    Time',
      '-'.repeat(26),
      'North       3.20   10:40',
      'South       4.15   10:55',
      'East        2.80   11:05',
    ];
    rows.forEach((row, index) => pdf.text(row, 80, 100 + index * 13, { lineBreak: false }));
  });
  expect(JSON.stringify(document)).not.toContain('----');
  expect(JSON.stringify(document)).toContain('Level');
});

const put = (pdf: Drawing, text: string, { x = 72, y = 300, font = 'Times-Roman', size = 11 } = {}) =>
  pdf.font(font).fontSize(size).text(text, x, y, { lineBreak: false });

const paragraph = (pdf: Drawing, y: number, text = prose) =>
  pdf.font('Times-Roman').fontSize(11).text(text, 72, y, { width: 450 });

const subjects = ['Sales by region', 'Sales by month', 'Sales by channel', 'Returns by region'];

test('headings in slightly larger type above tables or drawings are headings, with those of their style above text', async () => {
  const drawTable = (pdf: Drawing, y: number) => {
    for (const [index, text] of ['North', '12', 'South', '15'].entries()) {
      const [left, top] = [72 + 120 * (index % 2), y + 24 + 20 * Math.floor(index / 2)];
      pdf.rect(left, top, 120, 20).stroke();
      put(pdf, text, { x: left + 4, y: top + 4, size: 10, font: 'Helvetica' });
    }
  };
  const drawChart = (pdf: Drawing, y: number) => {
    const raw = pdf as unknown as { addContent(content: string): void };
    raw.addContent(
      `0.5 0.5 0.7 rg 80 ${y + 85} m 120 ${y + 20} 160 ${y + 95} 300 ${y + 30} c 300 ${y + 85} l f 0 0 0 rg`,
    );
  };
  for (const drawBelow of [drawTable, drawChart]) {
    const document = await readDrawn((pdf) => {
      paragraph(pdf, 72);
      put(pdf, 'Introduction', { y: 160, size: 13.5, font: 'Helvetica' });
      paragraph(pdf, 180);
      for (const [index, text] of subjects.entries()) {
        put(pdf, text, { y: 240 + 100 * index, size: 13.5, font: 'Helvetica' });
        drawBelow(pdf, 240 + 100 * index);
      }
    });
    expect(labelled(document, 'section_header')).toEqual(['Introduction', ...subjects]);
  }
});

test('part, number and title of a chapter above its text are headings', async () => {
  const numbers = ['One', 'Two', 'Three', 'Four'];
  const document = await readDrawn((pdf) => {
    for (const [index, number] of numbers.entries()) {
      if (index > 0) pdf.addPage();
      const head = [
        `Part ${number}`,
        `Chapter ${index + 1}`,
        ['The Storm', 'The Harbour', 'The Pilot', 'The End'][index]!,
      ];
      for (const [line, text] of head.entries()) put(pdf, text, { y: 72 + 28 * line, size: 14 });
      paragraph(pdf, 170, `${prose} ${prose.replace('daily', `d${index}`)}`);
    }
  });
  expect(labelled(document, 'section_header')).toHaveLength(12);
});

test('a head of four lines above a paragraph is no programme', async () => {
  const document = await readDrawn((pdf) => {
    paragraph(pdf, 72);
    for (const [index, text] of subjects.entries()) put(pdf, text, { y: 200 + 24 * index, size: 13 });
    paragraph(pdf, 320);
  });
  expect(labelled(document, 'section_header')).toEqual(subjects);
});

test('short groups of lines in the style of a programme are text, too', async () => {
  const document = await readDrawn((pdf) => {
    paragraph(pdf, 72);
    put(pdf, 'An Evening at the Harbour', { y: 180, size: 22 });
    for (const [index, text] of ['St Cuthbert Hall', 'at half past seven'].entries())
      put(pdf, text, { y: 215 + 24 * index, size: 13 });
    for (const [index, text] of ['Agnes Holm', 'Peter Sandor', 'Ruth Okafor', 'Iain Laidlaw'].entries())
      put(pdf, text, { y: 290 + 24 * index, size: 13 });
    put(pdf, 'The tides of the year', { y: 420, size: 13 });
    paragraph(pdf, 445);
  });
  expect(labelled(document, 'section_header')).toEqual(['The tides of the year']);
});

test('a single italic line that begins like a numbered section is text', async () => {
  const document = await readDrawn((pdf) => {
    paragraph(pdf, 72);
    put(pdf, '2.1 Smith and Jones', { y: 200, font: 'Times-Italic' });
    put(pdf, 'Harbour water levels in the winter of 1987, volume 3.', { y: 214 });
  });
  expect(labelled(document, 'section_header')).toEqual([]);
});
