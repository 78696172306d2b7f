import { computeConfidence, unspecifiedConfidence } from './confidence';

test('without scores of any page, the confidence is unspecified', () => {
  expect(computeConfidence([])).toEqual(unspecifiedConfidence);
  expect(computeConfidence([{}, {}])).toEqual(unspecifiedConfidence);
});

test('scores are means over the pages that have them; mean and low are those of the pages', () => {
  expect(computeConfidence([{ ocr: 0.6, layout: 0.8 }, { layout: 0.9, parse: 1, table: 0.5 }, {}])).toEqual({
    parse_score: 1,
    layout_score: 0.85,
    table_score: 0.5,
    ocr_score: 0.6,
    mean_score: 0.75,
    // (0.6 + 0.05 × 0.2 + 0.5 + 0.1 × 0.4) / 2
    low_score: 0.575,
    mean_grade: 'fair',
    low_grade: 'fair',
    pages: {},
  });
});

test('pages that have a number have their own scores, the first thousand of them', () => {
  const { pages } = computeConfidence([{ page: 3, ocr: 0.4 }, { page: 5, parse: 1 }, { ocr: 1 }]);
  expect(Object.keys(pages)).toEqual(['3', '5']);
  expect(pages['3']).toMatchObject({ ocr_score: 0.4, parse_score: null, mean_grade: 'poor' });
  const many = computeConfidence(Array.from({ length: 1_200 }, (_, index) => ({ page: index + 1, parse: 1 })));
  expect(Object.keys(many.pages)).toHaveLength(1_000);
});

test('the score of text is that of the worst tenth of the pages', () => {
  const pages = Array.from({ length: 11 }, (_, index) => ({ parse: index < 2 ? 0.5 * index : 1 }));
  expect(computeConfidence(pages).parse_score).toBe(0.5);
});

test.each([
  [0.49, 'poor'],
  [0.5, 'fair'],
  [0.8, 'good'],
  [0.9, 'excellent'],
])('a score of %d is %s', (ocr, grade) => {
  expect(computeConfidence([{ ocr }])).toMatchObject({ mean_grade: grade, low_grade: grade, parse_score: null });
});
