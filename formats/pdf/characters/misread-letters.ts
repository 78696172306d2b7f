import type { Font, Glyph } from '../geometry/page';

/** A font is misread if it has at least `minStrange` signs where they do not belong, and `perProper` of them for each proper sign. */
const misread = { minStrange: 3, perProper: 1.5 };
/** The right decoding turns at least this share of the strange signs into small letters or apostrophes. */
const minRightShare = 0.8;

/** The tables by which old fonts and their readers decode the codes above 127. */
const tables = ['windows-1252', 'macintosh', 'standard'] as const;
type Table = (typeof tables)[number];

/**
 * Signs of Windows-1252 from code 0x80, which a runtime may decode as Latin 1; a blank has no sign. The bullet is left out: readers
 * show it for all codes without a sign.
 */
const windowsSigns = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“” –—˜™š›œ žŸ';
/** Letters of Adobe's standard encoding from code 0xE0. */
const standardLetters = ' Æ ª    ŁØŒº     æ   ı  łøœß';

const codes = Array.from({ length: 128 }, (_, index) => index + 128);
/** The character of each code above 127; undefined or empty if the table has none. */
const decoded: Readonly<Record<Table, readonly (string | undefined)[]>> = {
  'windows-1252': codes.map((code) => windowsSigns[code - 0x80]?.trim() ?? String.fromCharCode(code)),
  macintosh: codes.map((code) => new TextDecoder('macintosh').decode(Uint8Array.of(code))),
  standard: codes.map((code) => standardLetters[code - 0xe0]?.trim()),
};

/** For each pair of a wrong and a right table, the right character by the wrong one. */
const corrections = tables.flatMap((from) =>
  tables
    .filter((to) => to !== from && to !== 'standard')
    .map((to) => new Map(decoded[from].flatMap((sign, index) => (sign ? [[sign, decoded[to][index] || sign]] : [])))),
);

/**
 * Fonts whose accented letters are decoded by the wrong table, such as `prÈfÈrÈ` for `préféré`: capitals and symbols inside words of
 * small letters. Each has a map from the decoded characters to the right ones.
 */
export function findMisreadFonts(glyphs: readonly Glyph[]): ReadonlyMap<Font, ReadonlyMap<string, string>> {
  const fonts = new Map<Font, { proper: number; strange: string[] }>();
  for (let index = 1; index < glyphs.length; index += 1) {
    const glyph = glyphs[index] as Glyph;
    const code = glyph.text.charCodeAt(0);
    if (code < 0x80 || code > 0xfb02) continue;
    if (!isSmallLetter(glyphs[index - 1], glyph.font)) continue;
    const own = fonts.get(glyph.font) ?? { proper: 0, strange: [] };
    fonts.set(glyph.font, own);
    if (isStrange(glyph, glyphs[index + 1])) own.strange.push(glyph.text);
    else if (/^\p{Ll}$/u.test(glyph.text)) own.proper += 1;
  }
  const found = new Map<Font, ReadonlyMap<string, string>>();
  for (const [font, { proper, strange }] of fonts) {
    if (strange.length < misread.minStrange || strange.length < misread.perProper * proper) continue;
    const countRight = (map: ReadonlyMap<string, string>) =>
      strange.filter((sign) => isRight(map.get(sign) ?? sign)).length;
    const [best] = corrections.toSorted((a, b) => countRight(b) - countRight(a));
    if (best && countRight(best) >= minRightShare * strange.length) found.set(font, best);
  }
  return found;
}

/** True for small letters and apostrophes; the rare ÿ is the sign of another wrong table. */
function isRight(sign: string): boolean {
  return /^[\p{Ll}\u2019]$/u.test(sign) && sign !== 'ÿ';
}

/** After a small letter, capitals are strange, as are symbols before another small letter except dashes, points and quotation marks. */
function isStrange({ text, font }: Glyph, after: Glyph | undefined): boolean {
  if (/^\p{Lu}$/u.test(text)) return true;
  return /[^\p{L}\p{M}\p{Z}\p{Cf}\p{Co}\u2010-\u2026\u00ad\u00b7]/u.test(text) && isSmallLetter(after, font);
}

function isSmallLetter(glyph: Glyph | undefined, font: Font): boolean {
  return glyph !== undefined && glyph.font === font && /^\p{Ll}$/u.test(glyph.text);
}
