import { cleanGlyphs } from './engine/characters';
import type { Glyph, RawPage } from './geometry/page';
import { labelled, paragraphs, prose, readDrawn } from './pdf-test-support';
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
