import { type ConversionQuality, findDoubts, computeQuality } from './quality';

const sure: ConversionQuality = { confidence: 0.95, pages: [], unread: [], left_out: [], recognition: [] };

test('pages come with the lowest confidence first, and a reader without scores has no confidence', () => {
  const scores = [
    { page: 1, parse: 1 },
    { page: 2, ocr: 0.4 },
    { page: 3, ocr: 0.6, layout: 0.8 },
  ];
  const quality = computeQuality({ scores, unread: [7, 7], coverage: [], recognition: ['a', 'a'] });
  expect(quality.pages.map(({ page }) => page)).toEqual([2, 3, 1]);
  expect(quality).toMatchObject({ confidence: 0.7, unread: [7], recognition: ['a'] });
  expect(computeQuality({ scores: [], unread: [], coverage: [], recognition: [] }).confidence).toBeNull();
});

test('only text in no output is reported as missing, and a few words are not', () => {
  const coverage = [
    { kind: 'header or footer', count: 9, words: 90, in_json: true },
    { kind: 'embedded object', count: 1, words: 40, in_json: false },
    { kind: 'macro', count: 1, words: 3, in_json: false },
    { kind: 'damaged part', count: 1, words: 0, in_json: false },
  ];
  const quality = computeQuality({ scores: [], unread: [], coverage, recognition: [] });
  expect(findDoubts(quality)).toEqual([
    {
      code: 'content_left_out',
      message: 'Not in the text: 1 × embedded object (40 words), 1 × damaged part (0 words).',
    },
  ]);
});

test('a page below the threshold is a reason, with its number; the threshold 0 disables it', () => {
  const quality = {
    ...sure,
    pages: [
      { page: 4, confidence: 0.31 },
      { page: 2, confidence: 0.8 },
    ],
    unread: [9],
  };
  expect(findDoubts(quality)).toEqual([
    {
      code: 'low_confidence',
      message: '1 page with a confidence below 70 %; the lowest is page 4 with 31 %.',
      pages: [4],
    },
    { code: 'pages_unread', message: '1 page could not be read, or only in part.', pages: [9] },
  ]);
  expect(findDoubts(quality, 0.9)[0]?.pages).toEqual([4, 2]);
  expect(findDoubts(quality, 0)).toEqual([]);
  expect(findDoubts(sure)).toEqual([]);
});

test('all pages are counted, also when a doubt lists only the first hundred', () => {
  const numbers = Array.from({ length: 1_300 }, (_page, index) => index + 1);
  const scores = numbers.map((page) => ({ page, ocr: 0.5 }));
  const doubts = findDoubts(computeQuality({ scores, unread: numbers, coverage: [], recognition: [] }));
  expect(doubts.map(({ message }) => message)).toEqual([
    '1300 pages with a confidence below 70 %; the lowest is page 1 with 50 %.',
    '1300 pages could not be read, or only in part.',
  ]);
  expect(doubts.map(({ pages }) => pages)).toEqual([numbers.slice(0, 100), numbers.slice(0, 100)]);
});

test.each([
  [0.699, 0.7, 'below 70 %; the lowest is page 1 with 69 %.'],
  [0.702, 0.704, 'below 70.4 %; the lowest is page 1 with 70 %.'],
  [0.28, 0.29, 'below 29 %; the lowest is page 1 with 28 %.'],
  [0.29, 0.3, 'below 30 %; the lowest is page 1 with 29 %.'],
])('a confidence of %d is written lower than the threshold %d', (confidence, reviewBelow, message) => {
  const doubts = findDoubts({ ...sure, pages: [{ page: 1, confidence }] }, reviewBelow);
  expect(doubts[0]?.message).toBe(`1 page with a confidence ${message}`);
});
