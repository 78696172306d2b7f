import { convertBytes } from './convert';
import { findLargest, findSmallest } from './extremes';

test('extremes of more numbers than the stack holds are found', () => {
  const values = Array.from({ length: 500_000 }, (_, index) => index - 7);
  expect(findLargest(values)).toBe(499_992);
  expect(findSmallest(values)).toBe(-7);
});

test('extremes of nothing are infinite', () => {
  expect(findLargest([])).toBe(-Infinity);
  expect(findSmallest([])).toBe(Infinity);
});

test('code of 200,000 lines is read', async () => {
  const bytes = Buffer.from(`Listing:\n\n${'        total += 1;\n'.repeat(200_000)}`);
  const { document } = await convertBytes({ bytes, name: 'listing.txt' });
  expect(document.texts.map(({ label }) => label)).toEqual(['text', 'code']);
});
