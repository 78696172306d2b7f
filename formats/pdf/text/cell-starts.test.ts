import { grid, paragraphs, readDrawn } from '../pdf-test-support';

const acts = [
  ['Faith No More', '21:00 - 22:45'],
  ['Korn', '19:15 - 20:30'],
  ['Bring Me Horizon', '17:45 - 18:45'],
  ['Opeth', '16:35 - 17:15'],
  ['Voivod', '15:35 - 16:15'],
  ['Staind', '14:40 - 15:15'],
];

test('a label that fills its column is separated from the cell beside it, as the other rows show', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    const widest = Math.max(...acts.map(([name]) => pdf.widthOfString(name as string)));
    acts.forEach(([name, time], row) => {
      pdf.text(name as string, 72, 100 + 14 * row, { lineBreak: false });
      pdf.text(time as string, 72 + widest + 6, 100 + 14 * row, { lineBreak: false });
    });
  });
  expect(grid(document)).toEqual(acts);
});

test('markers of list items and words of prose are not cells', async () => {
  const items = [
    'Undo what was done',
    'Check the grammar',
    'Start from a template',
    'Track each change',
    'Work together',
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    items.forEach((item, row) => {
      pdf.text(`${row + 1}.`, 72, 100 + 14 * row, { lineBreak: false });
      pdf.text(item, 92, 100 + 14 * row, { lineBreak: false });
    });
    pdf.text('The office keeps a record of each of them.', 72, 220, { lineBreak: false });
  });
  expect(document.tables).toEqual([]);
  expect(paragraphs(document)).toEqual(['The office keeps a record of each of them.']);
});
