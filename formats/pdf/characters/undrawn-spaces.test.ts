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

/** A run of words of 40 points with white of `gap` points between them, and one drawn space within the first. */
function buildRun(words: readonly string[], place: { l: number; baseline: number; gap: number }): Run {
  const { baseline, gap } = place;
  let l = place.l;
  const glyphs = words.flatMap((word) => {
    const width = 40 / word.length;
    const found = Array.from(word, (text): Glyph => {
      const box = { l, b: baseline, r: l + width, t: baseline + 10 };
      l += width;
      return { text, box, baseline, size: 10, font, rotation: 0, invisible: false };
    });
    l += gap;
    return found;
  });
  const box = { l: place.l, b: baseline, r: l - gap, t: baseline + 10 };
  return { glyphs, box, baseline, size: 10, rtl: false, order: 0 };
}

test('heads whose gaps are undrawn are split where each is above one cell', () => {
  const head = buildRun(['A day', 'B day', 'C day'], { l: 0, baseline: 100, gap: 8 });
  const cells = [0, 48, 96].map((l) => buildRun(['x y'], { l, baseline: 88, gap: 0 }));
  expect(splitAtUndrawnSpaces([head, ...cells])).toHaveLength(6);
});

test('the work for many heads above a row of many cells grows with their number, not with its square', () => {
  let reads = 0;
  const runs = Array.from({ length: 2_000 }, (_, index) => [
    buildRun(['A day', 'B day', 'C day'], { l: 144 * index, baseline: 100, gap: 8 }),
    ...[0, 48, 96].map((off) => buildRun(['x y'], { l: 144 * index + off, baseline: 88, gap: 0 })),
  ]).flat();
  const watched = runs.map((run) => {
    const { box } = run;
    return Object.defineProperty({ ...run }, 'box', { enumerable: true, get: () => ((reads += 1), box) });
  });
  expect(splitAtUndrawnSpaces(watched)).toHaveLength(12_000);
  expect(reads).toBeLessThan(300 * runs.length);
});
