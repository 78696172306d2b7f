import { type Drawing, labelled, prose, readDrawn } from '../pdf-test-support';

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

test('a page in bold type does not take the headings from the other pages', async () => {
  const document = await readDrawn((pdf) => {
    ['Tides', 'Gauges'].forEach((head) => put(pdf, head, prose));
    pdf.addPage().font('Helvetica-Bold').text(`${prose} ${prose} ${prose}`).moveDown().text('Piers').text(prose);
  });
  expect(labelled(document, 'section_header')).toEqual(['Tides', 'Gauges']);
});
