import { convertBytes } from '../../convert';
import { type Drawing, draw, labelled, readDrawn } from '../pdf-test-support';

/** Functions of pdfkit that its types omit. */
type Pdf = Drawing & {
  ref(data: object): { end(content?: string): void };
  initForm(): void;
  page: { annotations: object[] };
  _root: { data: { AcroForm: { data: { Fields: object[] } } } };
  annotate(x: number, y: number, width: number, height: number, options: object): void;
};

/** An appearance of 200 by 40 points with this text. */
function showing(pdf: Pdf, text: string): object {
  const font = pdf.ref({ Type: 'Font', Subtype: 'Type1', BaseFont: 'Helvetica' });
  font.end();
  const appearance = pdf.ref({
    Type: 'XObject',
    Subtype: 'Form',
    BBox: [0, 0, 200, 40],
    Resources: { Font: { F9: font } },
  });
  appearance.end(`BT /F9 10 Tf 4 15 Td (${text}) Tj ET`);
  return { AP: { N: appearance } };
}

/** Adds a signature field of 200 by 40 points. */
function sign(pdf: Pdf, y: number, options: object): void {
  pdf.annotate(72, y, 200, 40, { Subtype: 'Widget', FT: 'Sig', T: new String(`signature ${y}`), F: 4, ...options });
  pdf._root.data.AcroForm.data.Fields.push(pdf.page.annotations.at(-1)!);
}

const sentence = 'The harbour office approves the plan for the new northern pier.';

test('the text that signatures and stamps show is on the page, with its place', async () => {
  const document = await readDrawn((drawing) => {
    const pdf = drawing as Pdf;
    pdf.fontSize(10).font('Helvetica').initForm();
    pdf.text(sentence, 72, 80);
    sign(pdf, 300, showing(pdf, 'Signed by Ann Lee'));
    pdf.annotate(72, 500, 200, 40, { Subtype: 'Stamp', F: 4, ...showing(pdf, 'RECEIVED 4 JANUARY') });
  });
  expect(labelled(document, 'text')).toEqual([sentence, 'Signed by Ann Lee', 'RECEIVED 4 JANUARY']);
  const signed = document.texts.find(({ text }) => text === 'Signed by Ann Lee');
  expect(signed?.prov[0]).toMatchObject({ page_no: 1 });
  expect(signed!.prov[0]!.bbox.l).toBeCloseTo(76, 0);
});

test('hidden signatures, and those without an appearance, show nothing; comments stay where they are', async () => {
  const bytes = await draw((drawing) => {
    const pdf = drawing as Pdf;
    pdf.fontSize(10).font('Helvetica').initForm();
    pdf.text(sentence, 72, 80);
    sign(pdf, 300, { ...showing(pdf, 'Hidden'), F: 2 });
    sign(pdf, 400, {});
    const stamp = { Subtype: 'Stamp', F: 4, Contents: new String('Checked twice') };
    pdf.annotate(72, 500, 200, 40, { ...stamp, ...showing(pdf, 'PAID') });
  });
  const { document, shares } = await convertBytes({ bytes, name: 'a.pdf' });
  const texts = document.texts.map(({ text, content_layer: layer }) => [layer, text]);
  expect(texts).toEqual(
    expect.arrayContaining([
      ['body', sentence],
      ['body', 'PAID'],
      ['notes', 'Checked twice'],
    ]),
  );
  expect(texts.some(([, text]) => text === 'Hidden')).toBe(false);
  for (const { letters, found } of shares) expect(found).toBe(letters);
});
