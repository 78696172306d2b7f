import { type Drawing, grid, labelled, paragraphs, prose, readDrawn } from '../pdf-test-support';

const dots = ' . . . . . . . . . .';

/** Draws entries below each other, with their pages at a common right edge; an empty page leaves only the title. */
function drawEntries(pdf: Drawing, entries: readonly (readonly [title: string, page: string, x?: number])[]): void {
  entries.forEach(([title, page, x = 72], index) => {
    const y = 120 + 16 * index;
    pdf.font(title.includes(dots) ? 'Helvetica' : 'Helvetica-Bold').fontSize(10);
    pdf.text(title, x, y, { lineBreak: false });
    if (page !== '') pdf.text(page, 500 - pdf.widthOfString(page), y, { lineBreak: false });
  });
}

test('chapters whose pages stand apart without dots are entries of the contents around them', async () => {
  const entries = [
    ['1 Gauges', '3'],
    [`1.1 Piers${dots}`, '4'],
    [`1.2 Locks${dots}`, '5'],
    ['2 Tides of the northern coast', '7'],
    ['3 Storms', '12'],
    [`3.1 Records${dots}`, '14'],
    ['A Tables', '20'],
  ] as const;
  const document = await readDrawn((pdf) => drawEntries(pdf, entries));
  expect(document.tables).toMatchObject([{ label: 'document_index' }]);
  expect(grid(document)).toEqual(entries.map(([title, page]) => [title, page]));
  expect(labelled(document, 'section_header')).toEqual([]);
});

test('the title of an entry may have several lines', async () => {
  const document = await readDrawn((pdf) => {
    const titles = [
      '1.1 Piers',
      '1.2 The locks of the harbour and the tables by which',
      'their keepers are paid',
      '1.3 Storms',
    ];
    titles.forEach((title, index) => {
      const y = 120 + 14 * index;
      const text = index === 1 ? title : `${title}${dots} ${3 + index}`;
      pdf.fontSize(10).text(text, index === 2 ? 90 : 72, y, { lineBreak: false });
    });
  });
  expect(grid(document).map(([, page]) => page)).toEqual(['3', '5', '6']);
  expect(grid(document)[1]![0]).toContain('tables by which their keepers are paid');
});

test('a page header above the entries, and a number at another edge below them, are not entries', async () => {
  const document = await readDrawn((pdf) => {
    drawEntries(pdf, [
      ['CONTENTS', 'iii'],
      [`1.1 Piers${dots}`, '4'],
      [`1.2 Locks${dots}`, '5'],
      [`1.3 Storms${dots}`, '6'],
    ]);
    pdf.text('Gauges in use', 72, 190, { lineBreak: false }).text('12', 300, 190, { lineBreak: false });
    pdf.text(prose, 72, 240);
  });
  expect(grid(document).map(([, page]) => page)).toEqual(['4', '5', '6']);
  expect(paragraphs(document)).toContain(prose);
});

test('an index with dots in two columns is read column by column', async () => {
  const left = ['gauge', 'ledger', 'level', 'lock', 'mole'];
  const right = ['pier', 'pilot', 'quay', 'tide', 'wave'];
  const document = await readDrawn((pdf) =>
    [left, right].forEach((words, column) =>
      words.forEach((word, index) => {
        const text = `${word.padEnd(9, '.')}...................... ${10 + index}`;
        const y = 120 + 14 * index + 5 * column;
        pdf
          .font('Helvetica')
          .fontSize(10)
          .text(text, 72 + 250 * column, y, { lineBreak: false });
      }),
    ),
  );
  expect(document.tables.map((_, index) => grid(document, index).map(([title]) => title!.replaceAll('.', '')))).toEqual(
    [left, right],
  );
});
