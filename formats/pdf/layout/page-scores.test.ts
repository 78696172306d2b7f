import { describeText } from '../account/page-text';
import type { Line } from '../text/line';
import { computeScores } from './page-scores';
import type { LaidPage } from './write';

const box = { l: 0, b: 0, r: 10, t: 10 };
const page = (texts: string[], more: { ocrScore?: number; unreadable?: number } = {}): LaidPage => {
  const lines = texts.map((text, order): Line => ({
    text,
    words: [],
    box,
    baseline: 0,
    size: 10,
    bold: false,
    italic: false,
    mono: false,
    family: '',
    isAside: false,
    order,
  }));
  const { ocrScore, unreadable = 0 } = more;
  const raw = { pageNo: 1, width: 10, height: 10, rules: [], fills: [], drawings: [], images: [], links: [] };
  return {
    page: {
      page: ocrScore === undefined ? raw : { ...raw, ocrScore },
      width: 10,
      height: 10,
      lines,
      aside: [],
      text: {
        ...describeText([], { hidden: [], outside: [], unnamed: [] }),
        letters: new Map([['a', 90]]),
        unreadable,
      },
      toPage: (place) => place,
    },
    parts: [],
    aside: [],
    header: [],
    footer: [],
  };
};
const good = Array.from({ length: 18 }, () => 'The gauge is read every morning.');

test('a page without text has no text score, an OCR page has the score of its OCR', () => {
  expect(computeScores(page([]))).toEqual({});
  expect(computeScores(page(['a line'], { ocrScore: 0.7 }))).toEqual({ ocr: 0.7 });
});

test.each([
  ['plain text', 'The gauge.', 1],
  ['an icon of a font of signs', '\ue001 The gauge', 1],
  ['signs without a meaning', 'The \ufffdauge', 0],
  ['control characters', 'The \u0003gauge', 0],
  ['text in a font that cannot be read', '\ue001\ue002\ue003\ue004', 0],
  ['three signs of such a font among letters', 'the \ue001 gauge \ue002 at the pier \ue003', 0],
])('%s gets its parse score', (_name, text, score) => {
  expect(computeScores(page([text]))).toEqual({ parse: score });
});

test('a page that lost more than a tenth of its words is doubtful, also where recognition read the others', () => {
  expect(computeScores(page(good, { unreadable: 2 }))).toEqual({ parse: 1 });
  expect(computeScores(page(good, { unreadable: 3 }))).toEqual({ parse: 0 });
  expect(computeScores(page([], { unreadable: 7 }))).toEqual({ parse: 0 });
  expect(computeScores(page(good, { ocrScore: 0.9, unreadable: 3 }))).toEqual({ parse: 0, ocr: 0.9 });
});

test('a tenth of the lines may be unreadable', () => {
  expect(computeScores(page([...good, '\ufffd', '\ufffd']))).toEqual({ parse: 1 });
  expect(computeScores(page([...good, '\ufffd', '\ufffd', '\ufffd']))).toEqual({ parse: 0 });
});

test('the layout score is the mean of sure regions, the table score the mean of tables structured by a model', () => {
  const seen = page(good);
  const region = (score: number) => ({ label: 'text' as const, score, box });
  seen.page.regions = [region(0.6), region(0.8), region(0.4)];
  const table = { box, rows: 1, columns: 2, cells: [] };
  const part = { kind: 'table' as const, isIndex: false, box, order: 0 };
  seen.parts = [
    { ...part, table: { ...table, score: 0.9 } },
    { ...part, table: { ...table, score: 0.5 } },
    { ...part, table },
  ];
  expect(computeScores(seen)).toEqual({
    parse: 1,
    layout: expect.closeTo(0.7) as unknown,
    table: expect.closeTo(0.7) as unknown,
  });
});
