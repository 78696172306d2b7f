import { checkPageRange } from './page-range';

test('a range that begins after the last page is rejected with both numbers', () => {
  expect(() => checkPageRange(3, 2)).toThrow(
    expect.objectContaining({
      code: 'VALIDATION_ERROR',
      message: 'Document has 2 pages, fewer than the requested page_range start 3.',
    }),
  );
  expect(() => checkPageRange(2, 1)).toThrow('Document has 1 page,');
  expect(() => checkPageRange(2, 2)).not.toThrow();
});

test('a document without pages accepts a range from page 1 and rejects a later start', () => {
  expect(() => checkPageRange(1, 0)).not.toThrow();
  expect(() => checkPageRange(2, 0)).toThrow('Document has 0 pages,');
});
