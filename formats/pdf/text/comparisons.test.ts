import { grid, paragraphs, readDrawn, ruledTable } from '../pdf-test-support';

test('an underlined less-than sign is read as less than or equal, in text and in cells; one within an underlined text is not', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).lineWidth(0.5);
    const x = 72 + pdf.widthOfString('Loans ');
    const wide = pdf.widthOfString('<');
    pdf.text('Loans < 21500 and others', 72, 100, { lineBreak: false });
    pdf
      .moveTo(x, 109.5)
      .lineTo(x + wide, 109.5)
      .stroke();
    pdf.text('Loans > 300 are others', 72, 130, { lineBreak: false });
    pdf.moveTo(72, 139.5).lineTo(170, 139.5).stroke();
    ruledTable(
      pdf,
      [
        ['Age', 'Loan'],
        ['> 61', '12'],
        ['75', '9'],
      ],
      { x: 72, y: 300, width: 100, height: 20 },
    );
    pdf
      .moveTo(76, 333.5)
      .lineTo(76 + wide, 333.5)
      .stroke();
  });
  expect(paragraphs(document)).toEqual(['Loans ≤ 21500 and others', 'Loans > 300 are others']);
  expect(grid(document)[1]).toEqual(['≥ 61', '12']);
});
