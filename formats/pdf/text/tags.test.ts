import { labelled, type Drawing, prose, readDrawn } from '../pdf-test-support';

/** The content of a page, each text with its tag. */
type Tagged = readonly (readonly [tag: string, text: string, font?: string])[];

/** The parts of pdfkit that its declarations omit. */
interface TaggedDrawing {
  addStructure(element: unknown): void;
  struct(tag: string, content: () => void): unknown;
  markContent(tag: string): { text(text: string, x: number, y: number, options: object): void };
  endMarkedContent(): void;
}

const read = (content: Tagged, artifact = '') =>
  readDrawn(
    (pdf: Drawing) => {
      const tagged = pdf as unknown as TaggedDrawing;
      for (const [tag, text, font = 'Helvetica'] of content)
        tagged.addStructure(tagged.struct(tag, () => void pdf.font(font).fontSize(11).text(text).moveDown()));
      if (artifact === '') return;
      tagged.markContent('Artifact').text(artifact, 72, 780, { lineBreak: false });
      tagged.endMarkedContent();
    },
    { tagged: true, margin: 72 },
  );
const headings = (document: Awaited<ReturnType<typeof read>>) =>
  document.texts
    .filter(({ label }) => label === 'section_header' || label === 'title')
    .map((item) => [item.text, (item as { level?: number }).level]);

test('tags identify headings in the style of body text, their levels, and bold lines that are not headings', async () => {
  const document = await read([
    ['H2', 'The harbour'],
    ['P', prose],
    ['P', 'Not a heading', 'Helvetica-Bold'],
    ['H3', 'The northern pier'],
    ['P', prose],
    ['H2', 'The tides'],
    ['P', prose],
  ]);
  expect(headings(document)).toEqual([
    ['The harbour', 1],
    ['The northern pier', 2],
    ['The tides', 1],
  ]);
});

test('tags that mark most of the text as headings are ignored', async () => {
  const document = await read([
    ['P', 'The harbour', 'Helvetica-Bold'],
    ['H2', prose],
    ['H2', 'The gauge is read at noon.'],
    ['P', `${prose} ${prose} ${prose}`],
    ['H2', 'The tables are printed every year.'],
  ]);
  expect(headings(document).map(([text]) => text)).toEqual(['The harbour']);
});

test('an artifact in the margin is furniture; a page with only artifacts is text', async () => {
  const foot = 'Written by the office of the harbour';
  expect(labelled(await read([['P', prose]], foot), 'page_footer')).toEqual([foot]);
  const document = await read([['P', 'One line.']], `${foot}, on the pier, at noon`);
  expect(labelled(document, 'text')).toHaveLength(2);
});

test('tagged labels of any form begin list items', async () => {
  const item = (pdf: Drawing, label: string, text: string, y: number) => {
    const tagged = pdf as unknown as { struct(tag: string, content: unknown): unknown };
    return tagged.struct('LI', [
      tagged.struct('Lbl', () => void pdf.fontSize(11).text(label, 72, y, { lineBreak: false })),
      tagged.struct('LBody', () => void pdf.text(text, 90, y, { lineBreak: false })),
    ]);
  };
  const document = await readDrawn(
    (pdf) => {
      const tagged = pdf as unknown as TaggedDrawing;
      const items = [
        ['o', 'read the gauge'],
        ['o', 'write it down'],
      ].map(([label, text], index) => item(pdf, label!, text!, 100 + 16 * index));
      tagged.addStructure((pdf as unknown as { struct(tag: string, content: unknown): unknown }).struct('L', items));
    },
    { tagged: true, pdfVersion: '1.5' },
  );
  expect(labelled(document, 'list_item')).toEqual(['read the gauge', 'write it down']);
});
