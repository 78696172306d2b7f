import { readFont } from './font';
import { fontFile } from './xps-test-support';

test('characters have the glyphs of their segment', () => {
  const face = readFont(fontFile('Harbour', 500));
  expect(['A', 'Z', 'a'].map((letter) => face?.findGlyph(letter.charCodeAt(0)))).toEqual([1, 26, 0]);
});

test('segments that overlap again and again are read up to a limit', () => {
  const all = [0, 0xfffe, 1] as const;
  const face = readFont(fontFile('Harbour', 500, [...Array<typeof all>(8).fill(all), [65, 65, 7 - 65]]));
  expect(face?.findGlyph(65)).toBe(66);
});
