import { toMarkdown } from '../../../document/write/markdown';
import { defaultLimits } from '../../format';
import { draw, type Drawing, grid, labelled, prose, readDrawn } from '../pdf-test-support';
import { read } from '../read';

/** The form functions of pdfkit that its types omit. */
type Form = Drawing & {
  initForm(): void;
  formText(name: string, x: number, y: number, width: number, height: number, options?: object): void;
  formCombo(name: string, x: number, y: number, width: number, height: number, options?: object): void;
  formCheckbox(name: string, x: number, y: number, width: number, height: number, options?: object): void;
  annotate(x: number, y: number, width: number, height: number, options: object): void;
  ref(data: object): { end(content?: string): void };
  page: { annotations: object[] };
  _root: { data: Record<string, unknown> & { AcroForm: { data: Record<string, unknown> & { Fields: object[] } } } };
};

/** Adds a field of 120 points in width, whose dictionary has these entries. */
function addField(pdf: Form, [y, height]: [y: number, height: number], entries: object): void {
  pdf.annotate(160, y, 120, height, { Subtype: 'Widget', T: new String(`field ${y}`), F: 4, ...entries });
  pdf._root.data.AcroForm.data.Fields.push(pdf.page.annotations.at(-1)!);
}

const drawForm = (content: (pdf: Form) => void) =>
  readDrawn((pdf) => {
    const form = pdf as Form;
    form.fontSize(10).font('Helvetica').initForm();
    content(form);
  });

test('field values come after their labels, in page order', async () => {
  const document = await drawForm((pdf) => {
    pdf.text('Owner:', 72, 80).text('Harbour:', 72, 110);
    pdf.text(prose, 72, 160);
    pdf.formText('harbour', 160, 106, 200, 18, { value: 'Northport' });
    pdf.formText('owner', 160, 76, 200, 18, { value: 'Jane Example' });
  });
  expect(grid(document)).toEqual([
    ['Owner:', 'Jane Example'],
    ['Harbour:', 'Northport'],
  ]);
  expect(labelled(document, 'text')).toEqual([prose]);
});

test('a multi-line field below its label is a separate paragraph', async () => {
  const value = 'The mast was replaced in May, and the hull has been painted twice since the last inspection.';
  const document = await drawForm((pdf) => {
    pdf.text('Remarks of the owner', 72, 80);
    pdf.formText('remarks', 72, 96, 180, 70, { value, multiline: true });
    pdf.text(prose, 72, 200);
  });
  expect(labelled(document, 'text')).toEqual(['Remarks of the owner', value, prose]);
});

test('a text of several lines in a framed field is no table, and its lines that were broken by hand are one paragraph', async () => {
  const lines = [
    'This certificate or verification of insurance is not an insurance policy and does not amend, extend or alter the coverage afforded',
    'by the policy listed herein. Notwithstanding any requirement, term, or condition of any contract or other document with respect',
    'to which this certificate or verification of insurance may be issued or may pertain, the insurance afforded by the policy described',
    'herein is subject to all the terms, exclusions, and conditions of the policy.',
  ];
  const document = await drawForm((pdf) => {
    pdf.rect(20, 70, 572, 360).moveTo(76, 400).lineTo(258, 400).stroke();
    pdf.formText('terms', 23, 200, 565, 100, { value: lines.join('\r'), multiline: true });
  });
  expect(document.tables).toEqual([]);
  expect(labelled(document, 'text')).toEqual([lines.join(' ')]);
});

test('checkboxes of forms are read as ticked or not, and choices are read', async () => {
  const document = await drawForm((pdf) => {
    pdf.text('The boat has an engine', 92, 80).text('The boat is for hire', 92, 100).text('Colour:', 72, 130);
    pdf.formCheckbox('engine', 72, 78, 12, 12, { value: 'Yes', AS: 'Yes' });
    pdf.formCheckbox('hire', 72, 98, 12, 12, { AS: 'Off' });
    pdf.formCombo('colour', 112, 127, 80, 16, { select: ['red', 'blue'], value: 'blue' });
  });
  expect(labelled(document, 'checkbox_selected')).toEqual(['The boat has an engine']);
  expect(labelled(document, 'checkbox_unselected')).toEqual(['The boat is for hire']);
  expect(toMarkdown(document)).toContain('Colour: blue');
});

test('empty, hidden and password fields add no text, nor does a value that is also printed on the page', async () => {
  const document = await drawForm((pdf) => {
    pdf.text('Berth:', 72, 80).text('Word:', 72, 110).text('Name:', 72, 140).text('Jane', 112, 140);
    pdf.formText('berth', 112, 77, 100, 16, {});
    pdf.formText('word', 112, 107, 100, 16, { value: 'hunter2', password: true });
    pdf.formText('name', 110, 137, 100, 16, { value: 'Jane' });
    pdf.annotate(72, 300, 100, 16, { Subtype: 'FreeText', Contents: new String('never seen'), F: 2 });
  });
  expect(labelled(document, 'text').join(' ')).toBe('Berth: Word: Name: Jane');
});

test('text typed on a page is read at its position', async () => {
  const document = await drawForm((pdf) => {
    pdf.text(prose, 72, 80);
    pdf.text(prose, 72, 220);
    pdf.annotate(72, 160, 300, 16, {
      Subtype: 'FreeText',
      Contents: new String('Checked on the fourth of June.'),
      F: 4,
    });
  });
  expect(labelled(document, 'text')).toEqual([prose, 'Checked on the fourth of June.', prose]);
});

test('the label of a chosen option is read, not its value, and all that are chosen', async () => {
  const document = await drawForm((pdf) => {
    pdf.text('Colour:', 72, 80).text('Ports', 72, 130);
    const options = ['Red', 'Blue', 'Green'].map((label, index) => [new String(`v${index}`), new String(label)]);
    addField(pdf, [76, 18], { FT: 'Ch', Ff: 1 << 17, Opt: options, V: new String('v1') });
    addField(pdf, [120, 60], { FT: 'Ch', Ff: 1 << 21, Opt: options, V: [new String('v0'), new String('v2')] });
  });
  const text = toMarkdown(document);
  expect(text).toContain('Colour: Blue');
  expect(text).toMatch(/Ports\s+Red\s+Green/);
});

test('a number is read as its field shows it', async () => {
  const show = (pdf: Form, text: string) => {
    const font = pdf.ref({ Type: 'Font', Subtype: 'Type1', BaseFont: 'Helvetica' });
    font.end();
    const BBox = [0, 0, 120, 16];
    const appearance = pdf.ref({ Type: 'XObject', Subtype: 'Form', BBox, Resources: { Font: { F9: font } } });
    appearance.end(`BT /F9 10 Tf 2 4 Td (${text}) Tj ET`);
    return { AP: { N: appearance } };
  };
  const document = await drawForm((pdf) => {
    pdf.text('Total', 72, 80).text('Name', 72, 110);
    addField(pdf, [76, 16], { FT: 'Tx', V: new String('302.8'), ...show(pdf, '302,80 EUR') });
    addField(pdf, [106, 16], { FT: 'Tx', V: new String('Jane'), ...show(pdf, 'An old name') });
  });
  expect(labelled(document, 'text')).toEqual(['Total 302,80 EUR', 'Name Jane']);
});

test('a value far from its label is read with it, and typed text labels a radio button', async () => {
  const document = await drawForm((pdf) => {
    pdf.text(prose, 72, 80);
    pdf.text('Harbour', 72, 160);
    pdf.formText('harbour', 160, 156, 200, 18, { value: 'Northport' });
    pdf.annotate(92, 200, 200, 14, { Subtype: 'FreeText', Contents: new String('The boat is for hire'), F: 4 });
    pdf.formCheckbox('hire', 72, 198, 12, 12, { value: 'Yes', AS: 'Yes' });
  });
  expect(labelled(document, 'text')).toEqual([prose, 'Harbour Northport']);
  expect(labelled(document, 'checkbox_selected')).toEqual(['The boat is for hire']);
});

test('a form in the XFA language is named in a warning', async () => {
  const warnings: string[] = [];
  const bytes = await draw((pdf) => {
    const form = pdf as Form;
    form.font('Helvetica').initForm();
    form.text('Please wait until the form is loaded.', 72, 80);
    form._root.data.AcroForm.data.XFA = new String('<xdp:xdp/>');
    form._root.data.NeedsRendering = true;
  });
  await read(bytes, { name: 'form.pdf', limits: defaultLimits, warn: (message) => warnings.push(message) });
  expect(warnings).toEqual([expect.stringContaining('XFA form')]);
});
