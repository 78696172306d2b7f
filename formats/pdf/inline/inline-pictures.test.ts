import { defaultLimits } from '../../format';
import { draw, type Drawing, paragraphs, readDrawn } from '../pdf-test-support';
import { read } from '../read';

/** Draws the pieces of a line from x = 72, with a dark square of a given side in each gap. */
function lineWith(pdf: Drawing, pieces: readonly string[], y: number, side: number, gap = 3): void {
  let x = 72;
  pdf.fontSize(11);
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) {
      icon(pdf, x + gap, y + 5 - side / 2, side);
      x += side + 2 * gap;
    }
    pdf.fillColor('black').text(piece, x, y, { lineBreak: false });
    x += pdf.widthOfString(piece);
  }
}

/** A star drawn with curves. */
function icon(pdf: Drawing, x: number, y: number, side: number): void {
  pdf
    .moveTo(x, y + side / 2)
    .bezierCurveTo(x, y, x + side, y, x + side, y + side / 2)
    .bezierCurveTo(x + side, y + side, x, y + side, x, y + side / 2)
    .stroke();
}

test('a small picture within a line does not part its sentence', async () => {
  const document = await readDrawn((pdf) => {
    lineWith(pdf, ['To open the settings of the account, press the', 'button in the upper right corner'], 100, 14);
    pdf.text('and choose the first entry of the menu, which has the name of the account.', 72, 114);
  });
  expect(paragraphs(document)).toEqual([
    'To open the settings of the account, press the button in the upper right corner and choose the first entry of the menu, which has the name of the account.',
  ]);
});

test.each([
  ['a wide gap before it', ['Goods that are ready for the way', 'Goods that were returned to us'], 14, 12],
  ['single words beside it', ['Home', 'Search'], 14, 3],
  ['a picture as high as four lines', ['Goods that are ready for the way', 'Goods that were returned to us'], 50, 3],
])('a picture parts texts with %s', async (_name, pieces, side, gap) => {
  const document = await readDrawn((pdf) => lineWith(pdf, pieces, 100, side, gap));
  expect(document.texts.map(({ text }) => text)).not.toContain(pieces.join(' '));
});

test('a ruling beside a picture parts cells', async () => {
  const pieces = ['Goods that are ready for the way', 'Goods that were returned to us'];
  const document = await readDrawn((pdf) => {
    lineWith(pdf, pieces, 100, 14);
    const x = 72 + pdf.widthOfString(pieces[0]!) + 1.5;
    pdf.moveTo(x, 90).lineTo(x, 120).stroke();
  });
  expect(document.texts.map(({ text }) => text)).not.toContain(pieces.join(' '));
});

test('thousands of pieces and pictures in one place take no quadratic time', async () => {
  const measure = async (count: number): Promise<number> => {
    const bytes = await draw((pdf) => {
      for (let index = 0; index < count; index += 1)
        lineWith(pdf, ['Goods for the way', 'Goods for us'], 100 + (index % 5), 14);
    });
    const start = process.cpuUsage();
    await read(bytes, { name: 'a.pdf', limits: defaultLimits });
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  await measure(50);
  expect(await measure(1000)).toBeLessThan(8 * Math.max(await measure(250), 100));
}, 60_000);
