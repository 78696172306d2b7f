import { toMarkdown } from '../../document/write/markdown';
import { type Drawing, labelled, paragraphs, prose, readDrawn } from './pdf-test-support';
import { findStaves } from './table/staves';

const put = (pdf: Drawing, text: string, x: number, y: number, size = 11) =>
  pdf.fontSize(size).text(text, x, y, { lineBreak: false });

test('names between a title and an address or date are not headings; a section above a date is one', async () => {
  const read = (lines: readonly [text: string, size: number][]) =>
    readDrawn((pdf) => {
      lines.forEach(([text, size], index) => pdf.fontSize(size).text(text, 72, 72 + 30 * index, { align: 'center' }));
      pdf.fontSize(10).text(prose, 72, 250).text(prose, 72, 320);
    });
  const named = await read([
    ['The Water Gauges', 18],
    ['Anna Berg', 12],
    ['anna@harbour.example', 12],
    ['August 2021', 12],
  ]);
  expect(labelled(named, 'title')).toEqual(['The Water Gauges']);
  expect(labelled(named, 'section_header')).toEqual([]);
  const sections = await read([
    ['The Water Gauges', 18],
    ['1 Introduction', 12],
    ['August 2021', 12],
  ]);
  expect(labelled(sections, 'section_header')).toEqual(['1 Introduction']);
});

test('a year after a section number is the title of its section', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 72);
    put(pdf.font('Helvetica-Bold'), '9.1', 72, 140, 10);
    put(pdf, '2019', 104, 140, 10);
    pdf.font('Helvetica').fontSize(10).text(prose, 72, 160);
  });
  expect(labelled(document, 'section_header')).toEqual(['9.1 2019']);
});

test('entries of an index in two columns are lines of their own, column by column', async () => {
  const left = ['pier, 12', 'pilot, 7, 15', 'quay', 'east, 18', 'north, 19-21', 'radar, 44'];
  const right = ['sand, 3', 'seal, 100', 'ship, 5, 8', 'tide, 12', 'tower, 9', 'wave, 2'];
  const document = await readDrawn((pdf) => {
    left.forEach((text, index) => put(pdf, text, 72, 72 + 14 * index));
    right.forEach((text, index) => put(pdf, text, 300, 72 + 14 * index));
  });
  expect(document.tables).toEqual([]);
  expect(paragraphs(document)).toEqual([...left, ...right]);
});

test('comments of code that begin with # stay in its block', async () => {
  const code = ['# Reads the gauge', '# at noon.', 'watch pier 3', '', '# Then', 'record > log.txt'];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72);
    code.forEach((line, index) => put(pdf.font('Courier'), line, 72, 160 + 12 * index, 10));
  });
  expect(labelled(document, 'code')).toEqual([code.join('\n')]);
});

test('the numbers of empty lines of code are furniture; that of a heading at the same margin is not', async () => {
  const code = ['begin{', '    watch(pier);', '', '    record();', '    stop();', '}'];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72);
    code.forEach((line, index) => {
      put(pdf.font('Helvetica'), String(3 + index), 60, 162 + 12 * index, 7);
      if (line) put(pdf.font('Courier'), line, 74, 160 + 12 * index, 10);
    });
    put(pdf.font('Helvetica-Bold'), '4', 56, 250, 14);
    put(pdf, 'The gauges', 74, 250, 14);
    pdf.font('Helvetica').fontSize(11).text(prose, 72, 280);
  });
  expect(labelled(document, 'code')).toEqual([code.join('\n')]);
  expect(labelled(document, 'page_header').toSorted()).toEqual(['3', '4', '5', '6', '7', '8']);
  expect(labelled(document, 'section_header')).toEqual(['4 The gauges']);
});

test('an indented first line and a monospaced second line are one paragraph if both fill the column', async () => {
  const first = 'The commands that are new in this release of the programs for gauges are';
  const second = 'watch, record, stop, resume, repeat, report, read, set, quit';
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72, { width: 396 });
    // Both lines end at the right edge of the second one, 60 letters wide.
    const size = (11 * (60 * 6.6 - 18)) / pdf.widthOfString(first);
    put(pdf, first, 90, 170, size);
    put(pdf.font('Courier'), second, 72, 184);
  });
  expect(paragraphs(document)[1]).toBe(`${first} ${second}`);
});

test('five close lines are a staff: its signs are a picture, whose words are its description', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72);
    for (const top of [200, 250]) {
      for (let line = 0; line < 5; line += 1)
        pdf
          .moveTo(72, top + 5 * line)
          .lineTo(500, top + 5 * line)
          .lineWidth(0.4)
          .stroke();
      for (const x of [72, 200, 350, 500])
        pdf
          .moveTo(x, top)
          .lineTo(x, top + 20)
          .lineWidth(0.4)
          .stroke();
      for (const [index, sign] of ['4', '2', 'tr', 'mf'].entries()) put(pdf, sign, 90 + 80 * index, top + 3 * index, 9);
    }
    pdf.fontSize(11).text(prose, 72, 320);
  });
  expect(document.tables).toEqual([]);
  expect(document.pictures).toHaveLength(1);
  expect(paragraphs(document).filter((text) => text.length > 20)).toEqual([prose, prose]);
  expect(toMarkdown(document)).toMatch(/4.*2.*tr.*mf/);
});

test('six close lines are ruled paper rather than a staff', () => {
  const rules = (count: number) =>
    Array.from({ length: count }, (_, line) => ({ axis: 'h' as const, at: 700 - 5 * line, from: 72, to: 500 }));
  expect(findStaves(rules(6))).toEqual([]);
  expect(findStaves(rules(5))).toEqual([{ l: 72, r: 500, b: 660, t: 720 }]);
});

test('a section number stays with a title that begins with a mark; numbers within a sentence begin no list', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72);
    put(pdf.font('Helvetica-Bold'), '8.1.2.', 72, 140);
    put(pdf, '¿Qué es cada archivo?', 122, 140);
    pdf.font('Helvetica');
    put(pdf, 'The officer who reads the gauge at the northern pier has three ways to go on:', 72, 170);
    put(pdf, '(1) ask the pilot at the quay, (2) read the gauge again, or (3) note the time.', 72, 184);
  });
  expect(labelled(document, 'section_header')).toEqual(['8.1.2. ¿Qué es cada archivo?']);
  expect(labelled(document, 'list_item')).toEqual([]);
});
