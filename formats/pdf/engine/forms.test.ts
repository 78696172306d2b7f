import { toMarkdown } from '../../../document/write/markdown';
import { type Drawing, grid, labelled, prose, readDrawn } from '../pdf-test-support';

/** The form functions of pdfkit that its types omit. */
type Form = Drawing & {
  initForm(): void;
  formText(name: string, x: number, y: number, width: number, height: number, options?: object): void;
  formCombo(name: string, x: number, y: number, width: number, height: number, options?: object): void;
  formCheckbox(name: string, x: number, y: number, width: number, height: number, options?: object): void;
  annotate(x: number, y: number, width: number, height: number, options: object): void;
};

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
