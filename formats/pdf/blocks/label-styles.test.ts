import type { Block } from '../layout/part';
import { type Drawing, labelled, prose, readDrawn } from '../pdf-test-support';
import { findLabels } from './label-styles';

/** A page that begins with prose, so that the type size and weight of text are known. */
const read = (content: (pdf: Drawing) => void) =>
  readDrawn((pdf) => {
    pdf.font('Helvetica').fontSize(11).text(prose).moveDown();
    content(pdf);
  });

const put = (pdf: Drawing, head: string, below: string) => {
  pdf.font('Helvetica-Bold').text(head);
  pdf.font('Helvetica').text(below).moveDown();
};

const headings = async (content: (pdf: Drawing) => void) => labelled(await read(content), 'section_header');

/** The labels among two heads, each with this text below it. */
const findLabelsOf = (below: string): Block[] => {
  const blocks = ['港口', below, '码头', below].map((text, index) => {
    const box = { l: 72, b: 700 - 14 * index, r: 300, t: 711 - 14 * index };
    return { block: { text, box, size: 11, lines: [{}] } as unknown as Block, pageNo: 1 };
  });
  const heads = blocks.filter((_, index) => index % 2 === 0);
  const isHead = (block: Block) => heads.some((head) => head.block === block);
  return [...findLabels(heads, blocks, { isByWeight: isHead, getStyle: (block) => (isHead(block) ? 'bold' : 'text') })];
};

test('bold labels above values are no headings, bold lines above text in the same style are', async () => {
  const labels = (pdf: Drawing) => {
    put(pdf, 'Name of the boat', 'Seagull');
    put(pdf, 'Port', 'Northern pier');
    put(pdf, 'Owner', 'A. Miller');
  };
  expect(await headings(labels)).toEqual([]);
  expect(await headings((pdf) => ['Tides', 'Gauges', 'Piers'].forEach((head) => put(pdf, head, prose)))).toHaveLength(
    3,
  );
});

test('in a style that has more headings than labels, short texts have headings too', async () => {
  const mixed = (pdf: Drawing) => {
    put(pdf, 'Tides', prose);
    put(pdf, 'Gauges', prose);
    put(pdf, 'Owner', 'A. Miller');
  };
  expect(await headings(mixed)).toEqual(['Tides', 'Gauges', 'Owner']);
});

test('a bold sentence in two blocks is no heading', async () => {
  const sentence = (pdf: Drawing) => {
    pdf.font('Helvetica-Bold').text('Please note all boats listed under the names of their owners and the');
    pdf.moveDown(0.4).text('piers are received').moveDown();
    pdf.font('Helvetica').text(prose);
  };
  expect(await headings(sentence)).toEqual([]);
});

test.each([
  'Tel: 00357 25 384427',
  'https://harbour.example/forms/travel.html',
  'Cekcyn, dnia 30.01.2006 r.',
  'Salamanca, 12 de mayo de 2020',
  '--no-graceful-shutdown',
])('"%s" is no heading', async (text) => {
  expect(await headings((pdf) => put(pdf, text, prose))).toEqual([]);
});

test('a telephone in a title, and a place before a year, are headings', async () => {
  expect(await headings((pdf) => put(pdf, 'Telephone lines of 1950', prose))).toHaveLength(1);
  expect(await headings((pdf) => put(pdf, 'Harbours, 1950 to 1960', prose))).toHaveLength(1);
});

test.each([
  ['Minutes of the board, 14 March 2024', 16],
  ['Annual Report, March 2024', 16],
  ['--verbose', 16],
  ['History of Tel Aviv 1909-1948', 16],
  ['History of Tel Aviv 1909-1948', 11],
  ['Telephone 1876-1900', 11],
])('"%s" in %d points is a heading', async (text, size) => {
  const document = await read((pdf) => {
    pdf.font('Helvetica-Bold').fontSize(size).text(text);
    pdf.font('Helvetica').fontSize(11).text(prose);
  });
  expect([...labelled(document, 'section_header'), ...labelled(document, 'title')]).toEqual([text]);
});

test('bold heads above single lines of Chinese are headings, as the lines are sentences', async () => {
  expect(findLabelsOf('今天港口关闭，所有的船都在码头等待，明天中午再开放，请大家耐心等候')).toHaveLength(0);
  expect(findLabelsOf('北码头')).toHaveLength(2);
});

test('a page in bold type does not take the headings from the other pages', async () => {
  const document = await readDrawn((pdf) => {
    ['Tides', 'Gauges'].forEach((head) => put(pdf, head, prose));
    pdf.addPage().font('Helvetica-Bold').text(`${prose} ${prose} ${prose}`).moveDown().text('Piers').text(prose);
  });
  expect(labelled(document, 'section_header')).toEqual(['Tides', 'Gauges']);
});
