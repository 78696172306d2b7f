import sharp from 'sharp';
import type { OcrWord, RecognizeText } from '../../../model/page/ocr';
import { convertBytes } from '../../convert';
import { draw } from '../pdf-test-support';
import { buildPageOfWords } from './ocr-page';
import { readLines } from './upright';

/** Words of lines 30 pixels high, each given by its left edge; a letter is 15 pixels wide. */
function words(...lines: [x: number, text: string][][]): OcrWord[] {
  return lines.flatMap((line, index) =>
    line.map(([x, text]) => ({
      text,
      confidence: 0.9,
      box: { x0: x, x1: x + 15 * text.length, y0: 100 + 60 * index, y1: 130 + 60 * index },
      line: index,
      baseline: 130 + 60 * index,
      height: 30,
    })),
  );
}
const page = (read: OcrWord[], more: object = {}) =>
  buildPageOfWords(1, { words: read, turned: 0, width: 1_000, height: 1_400, ...more }, 0.36);
const lines = (read: OcrWord[]) => readLines(page(read)).lines.map(({ text }) => text);

test('a wide gap shared by several lines separates cells, even if it is narrower in one of them', () => {
  const table = words(
    [
      [100, 'Pier'],
      [300, 'Low'],
    ],
    [
      [100, 'North'],
      [300, '3.1'],
    ],
    [
      [100, 'Inner h'],
      [232, '3.3'],
    ],
    [
      [100, 'The outer b'],
      [300, '3.0'],
    ],
  );
  expect(lines(table)).toEqual(['Pier', 'Low', 'North', '3.1', 'Inner h', '3.3', 'The outer b', '3.0']);
});

test('a wide gap in one line only, or after a bullet, separates nothing', () => {
  expect(
    lines(
      words(
        [
          [100, 'The gauge'],
          [245, 'stands'],
        ],
        [
          [100, 'at'],
          [300, 'the pier.'],
        ],
      ),
    ),
  ).toEqual(['The gauge stands', 'at the pier.']);
  const list = words(
    [
      [100, '•'],
      [170, 'oil'],
    ],
    [
      [100, 'e'],
      [170, 'grease'],
    ],
  );
  expect(lines(list).map((text) => text.split(' ').length)).toEqual([2, 2]);
});

test('lines of the image are rulings of the page, measured from the bottom', () => {
  const rules = [
    { axis: 'h' as const, at: 100, from: 50, to: 950 },
    { axis: 'v' as const, at: 50, from: 100, to: 500 },
  ];
  const { rules: found, ocrScore, turned } = page(words([[100, 'Pier']]), { rules, turned: 90 });
  expect(found.map(({ axis, at, from, to }) => [axis, Math.round(at), Math.round(from), Math.round(to)])).toEqual([
    ['h', 468, 18, 342],
    ['v', 18, 324, 468],
  ]);
  expect([ocrScore, turned]).toEqual([0.9, 90]);
});

test('a page without recognized text has no score', () => {
  expect('ocrScore' in page([])).toBe(false);
});

test('no spaces stand between recognised pieces of Chinese and Japanese, and those of Korean and of Latin words stay', () => {
  const read = words(
    [
      [100, '关于'],
      [132, '年'],
      [149, '度'],
      [166, '预算'],
      [198, ',并'],
    ],
    [
      [100, '使用'],
      [136, 'PDF'],
      [187, '文件'],
    ],
    [
      [100, 'カタ'],
      [132, 'ログ'],
    ],
    [
      [100, '연간'],
      [140, '예산'],
    ],
  );
  expect(lines(read)).toEqual(['关于年度预算,并', '使用 PDF 文件', 'カタログ', '연간 예산']);
});

test.each([
  ['coarser than it is drawn', [100], 2],
  ['finer', [400], 0.5],
  ['in layers, of which the text is finer', [100, 400], 0.5],
  ['in layers, of which the paper is coarser', [400, 100], 0.5],
])('recognition learns that an image was stored %s', async (_, layers, expected) => {
  const [wide, high] = [3, 4];
  const pngs = await Promise.all(
    layers.map((dpi) =>
      sharp({ create: { width: wide * dpi, height: high * dpi, channels: 3, background: 'white' } })
        .png()
        .toBuffer(),
    ),
  );
  const bytes = await draw((pdf) => {
    for (const png of pngs) pdf.image(png, 0, 0, { width: 72 * wide, height: 72 * high });
  });
  const scales: (number | undefined)[] = [];
  const recognize: RecognizeText = async (_image, scale) => {
    scales.push(scale);
    return { words: [], turned: 0, width: 1_654, height: 2_339 };
  };
  await convertBytes({ bytes, name: 'scan.pdf', ocr: { mode: 'auto', recognize } });
  expect(scales).toEqual([expect.closeTo(expected)]);
});
