import type { Font, Glyph, Run } from '../geometry/page';
import { splitAtUndrawnSpaces } from './undrawn-spaces';

const font: Font = { name: 'Helvetica', bold: false, italic: false, mono: false };

test('the work for a long row of spaced digits grows with its length, not with its square', () => {
  let reads = 0;
  const glyphs = Array.from({ length: 4_000 }, (_, index): Glyph => {
    const box = { l: 7 * index, b: 0, r: 7 * index + 5, t: 10 };
    const shared = { box, baseline: 0, size: 10, font, rotation: 0, invisible: false };
    return {
      ...shared,
      get text() {
        reads += 1;
        return '7';
      },
    };
  });
  const run: Run = { glyphs, box: { l: 0, b: 0, r: 28_000, t: 10 }, baseline: 0, size: 10, rtl: false, order: 0 };
  expect(splitAtUndrawnSpaces([run])).toEqual([run]);
  expect(reads).toBeLessThan(300 * glyphs.length);
});
