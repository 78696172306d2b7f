import type { OcrWord, OpenedImage } from '../../../model/page/ocr';
import { convertBytes } from '../../convert';

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Words of one size; each line has a baseline, and words with their left edges. */
function words(...lines: [baseline: number, ...row: [x: number, text: string, confidence: number][]][]): OcrWord[] {
  return lines.flatMap(([baseline, ...row], line) =>
    row.map(([x, text, confidence]) => ({
      text,
      confidence,
      box: { x0: x, x1: x + 15 * text.length, y0: baseline - 24, y1: baseline + 6 },
      line,
      baseline,
      height: 34,
    })),
  );
}

async function convert(read: OcrWord[], keepsWords?: boolean) {
  const size = { width: 1_000, height: 1_400 };
  const opened: OpenedImage = { pages: 1, page: () => Promise.resolve({ png, ...size, dpi: 200 }) };
  const { document } = await convertBytes({
    bytes: png,
    name: 'scan.png',
    openImage: () => Promise.resolve(opened),
    ocr: {
      mode: 'auto',
      recognize: () => Promise.resolve({ words: read, turned: 0 as const, ...size }),
      ...(keepsWords === undefined ? {} : { keepsWords }),
    },
  });
  return document;
}

const letter = words(
  [100, [100, 'The', 0.99], [160, 'tide', 0.9], [240, 'comes', 0.8712]],
  [140, [100, 'at', 0.95], [145, 'nine.', 0.4]],
  [500, [100, 'The', 0.7], [160, 'pier', 0.6]],
);

test('each text has its words with confidence, box and place in the text', async () => {
  const document = await convert(letter, true);
  expect(document.texts.map(({ text }) => text)).toEqual(['The tide comes at nine.', 'The pier']);
  const [first, second] = document.texts.map(({ meta }) => meta?.['docloom__words'] as Record<string, unknown>[]);
  expect(first?.map(({ text, confidence, charspan }) => [text, confidence, charspan])).toEqual([
    ['The', 0.99, [0, 3]],
    ['tide', 0.9, [4, 8]],
    ['comes', 0.871, [9, 14]],
    ['at', 0.95, [15, 17]],
    ['nine.', 0.4, [18, 23]],
  ]);
  expect(second?.[1]).toEqual({
    text: 'pier',
    confidence: 0.6,
    page_no: 1,
    // 160 pixels at 200 dpi are 57.6 points; the page is 504 points high.
    bbox: { l: 57.6, r: 79.2, t: 332.64, b: 321.84, coord_origin: 'BOTTOMLEFT' },
    charspan: [4, 8],
  });
});

test('marks of list items, which the text does not have, get no place in it; the other words do', async () => {
  const items = ['well-known', 'off-duty'].map((kind, row): Parameters<typeof words>[0] => [
    100 + 40 * row,
    [100, '-', 0.9],
    [140, 'Ask', 0.9],
    [200, 'the', 0.9],
    [260, kind, 0.9],
    [430, 'pilot', 0.9],
  ]);
  const document = await convert(words(...items), true);
  expect(document.texts.map(({ text }) => text)).toEqual(['Ask the well-known pilot', 'Ask the off-duty pilot']);
  for (const { text, meta } of document.texts) {
    const noted = meta?.['docloom__words'] as { text: string; charspan?: [number, number] }[];
    expect(noted.map(({ charspan }) => charspan && text.slice(...charspan))).toEqual([undefined, ...text.split(' ')]);
  }
});

test('the words of cells are those of their table', async () => {
  const rows = [100, 140, 180, 220].map((baseline, row): Parameters<typeof words>[0] => [
    baseline,
    [100, 'Gauge', 0.9],
    [400, `${row}4.50`, 0.8],
    [700, `${row}7.25`, 0.7],
  ]);
  const document = await convert(words(...rows), true);
  expect(document.tables).toHaveLength(1);
  const read = document.tables[0]?.meta?.['docloom__words'] as Record<string, unknown>[];
  expect(read.map(({ text }) => text).slice(0, 3)).toEqual(['Gauge', '04.50', '07.25']);
  expect(read).toHaveLength(12);
  expect(read.every((word) => !('charspan' in word))).toBe(true);
});

test('without the option, items have no words', async () => {
  for (const document of [await convert(letter), await convert(letter, false)])
    expect(document.texts.map(({ meta }) => meta?.['docloom__words'])).toEqual([undefined, undefined]);
});
