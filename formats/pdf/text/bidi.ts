import { rightToLeft } from '../engine/characters';
import { union } from '../geometry/box';
import type { Glyph } from '../geometry/page';

const mirrors = new Map(
  ['()', '[]', '{}', '<>', '\u00ab\u00bb'].flatMap(([a, b]) => [[a, b] as const, [b, a] as const]),
);
const openers = ['(', '[', '{', '\u00ab'];
/** Gaps between glyphs in shares of the type size: beyond `word` a space, beyond `cell` another text. */
const gaps = { word: 0.17, cell: 1 };

/** Glyphs at one position: a letter and its marks, or the letters of a ligature. */
interface Cluster {
  glyphs: Glyph[];
  l: number;
  r: number;
  kind: 'rtl' | 'latin' | 'number' | 'other';
}

/**
 * Puts the glyphs of a right-to-left line into reading order. Libraries such as bidi-js go the other way, from text to positions.
 * The order is from the right, except that numbers and words of other scripts read from the left. Brackets, which the file
 * stores by their shape, get their logical form. A left-to-right stretch gets one box, so that gaps to its neighbours can be
 * measured. A line that is mostly in another script keeps its order.
 */
export function readRightToLeft(glyphs: readonly Glyph[]): Glyph[] {
  const clusters = toClusters(glyphs);
  // A zero-width glyph, such as a space that the engine inferred, comes after the letter at its position.
  const seen = clusters.toReversed().toSorted((a, b) => a.l - b.l);
  if (isForeign(seen)) return [...glyphs];
  const parts: Glyph[][] = [];
  for (let index = 0; index < seen.length;) {
    const end = Math.max(findStretchEnd(seen, index), index + 1);
    parts.push(end > index + 1 ? buildStretch(seen.slice(index, end)) : mirror((seen[index] as Cluster).glyphs));
    index = end;
  }
  return pairBrackets(parts.toReversed()).flat();
}

/** True if the line has more left-to-right stretches than right-to-left ones, or as many and over three times the letters. */
function isForeign(seen: readonly Cluster[]): boolean {
  const letters = seen.filter(({ kind }) => kind === 'latin' || kind === 'rtl');
  const count = (kind: Cluster['kind']) => letters.filter((cluster) => cluster.kind === kind).length;
  const stretches = (kind: Cluster['kind']) =>
    letters.filter((cluster, index) => cluster.kind === kind && letters[index - 1]?.kind !== kind).length;
  const more = stretches('latin') - stretches('rtl');
  return more > 0 || (more === 0 && count('latin') > 3 * count('rtl'));
}

function toClusters(glyphs: readonly Glyph[]): Cluster[] {
  const clusters: Cluster[] = [];
  for (const glyph of glyphs) {
    const last = clusters.at(-1);
    const first = last?.glyphs[0];
    const isSame = first && Math.abs(first.box.l - glyph.box.l) < 0.05 && Math.abs(first.box.r - glyph.box.r) < 0.05;
    const { l, r } = glyph.box;
    // A space within the box of a letter comes after it.
    if (last && glyph.text === ' ' && l > last.l - 0.1 && r < last.r) {
      clusters.push({ glyphs: [glyph], l: last.l - 0.01, r: last.l - 0.01, kind: 'other' });
    } else if (last && (isSame || /^\p{M}$/u.test(glyph.text))) last.glyphs.push(glyph);
    else clusters.push({ glyphs: [glyph], l, r, kind: getKind(glyph.text) });
  }
  return clusters;
}

function getKind(text: string): Cluster['kind'] {
  if (rightToLeft.test(text) && !/\p{N}/u.test(text) && /\p{L}|\p{M}/u.test(text)) return 'rtl';
  if (/\p{L}/u.test(text)) return 'latin';
  return /\p{N}/u.test(text) ? 'number' : 'other';
}

/** The exclusive end of the left-to-right stretch that begins at `start`; `start` if none begins there. */
function findStretchEnd(seen: readonly Cluster[], start: number): number {
  const number = findNumberEnd(seen, start);
  const first = seen[start] as Cluster;
  if (first.kind !== 'latin' && first.kind !== 'number') return number;
  let end = start;
  for (let index = start; index < seen.length; index += 1) {
    const { kind, glyphs } = seen[index] as Cluster;
    if (kind === 'rtl' || (index > start && findWhiteBefore(seen, index) > gaps.cell)) break;
    // A number set apart before a word does not belong to the word's stretch.
    if (first.kind === 'number' && index === number && (isBlank(glyphs) || findWhiteBefore(seen, index) > gaps.word))
      break;
    if (kind !== 'other') end = index + 1;
  }
  const hasWord = seen.slice(start, end).some(({ kind }) => kind === 'latin');
  return hasWord ? includeClosing(seen, start, end) : number;
}

/** The end of a number: digits with single separators, as in 3.5, 12/05/2024 and 5%, and a dash on its free side. */
function findNumberEnd(seen: readonly Cluster[], start: number): number {
  const getText = (index: number) => seen[index]?.glyphs[0]?.text ?? '';
  const isNear = (index: number) => index < seen.length && findWhiteBefore(seen, index) <= gaps.word;
  const isNumber = (index: number) => seen[index]?.kind === 'number';
  const isFree = (index: number) => getText(index).trim() === '' || !isNear(Math.max(index, start));
  let end = start;
  if (getText(start) === '-' && isFree(start - 1) && isNear(start + 1)) end += 1;
  if (!isNumber(end)) return start;
  end += 1;
  for (;;) {
    if (isNumber(end) && isNear(end)) end += 1;
    else if (/^[.,:/\u066b\u066c-]$/.test(getText(end)) && isNear(end) && isNumber(end + 1) && isNear(end + 1))
      end += 2;
    else break;
  }
  if (/^[%\u066a]$/.test(getText(end)) && isNear(end)) return end + 1;
  return getText(end) === '-' && isNear(end) && isFree(end + 1) ? end + 1 : end;
}

/** The end of the stretch, including a bracket that closes one inside it. */
function includeClosing(seen: readonly Cluster[], start: number, end: number): number {
  const texts = seen.slice(start, end).flatMap(({ glyphs }) => glyphs.map(({ text }) => text));
  const count = (signs: string) => texts.filter((text) => signs.includes(text)).length;
  const next = seen[end]?.glyphs[0]?.text ?? '';
  return next !== '' && '()[]'.includes(next) && count('()[]') % 2 === 1 && findWhiteBefore(seen, end) <= gaps.word
    ? end + 1
    : end;
}

function isBlank(glyphs: readonly Glyph[]): boolean {
  return glyphs.every(({ text }) => text.trim() === '');
}

/** The gap at the left of a cluster, in shares of its type size. */
function findWhiteBefore(seen: readonly Cluster[], index: number): number {
  const [left, cluster] = [seen[index - 1], seen[index] as Cluster];
  return left ? (cluster.l - left.r) / ((cluster.glyphs[0] as Glyph).size || 1) : 0;
}

/** The glyphs from left to right, all with their common box, with spaces in the gaps. */
function buildStretch(clusters: readonly Cluster[]): Glyph[] {
  const box = union(clusters.flatMap(({ glyphs }) => glyphs.map((glyph) => glyph.box)));
  return clusters.flatMap(({ glyphs }, index) => {
    const boxedGlyphs = glyphs.map((glyph) => ({ ...glyph, box }));
    const isApart = index > 0 && findWhiteBefore(clusters, index) > gaps.word;
    return isApart ? [{ ...(boxedGlyphs[0] as Glyph), text: ' ' }, ...boxedGlyphs] : boxedGlyphs;
  });
}

function mirror(glyphs: readonly Glyph[]): Glyph[] {
  const read = glyphs.map((glyph) => ({ ...glyph, text: mirrors.get(glyph.text) ?? glyph.text }));
  // Marks come after their letter.
  return read.toSorted((a, b) => Number(/^\p{M}$/u.test(a.text)) - Number(/^\p{M}$/u.test(b.text)));
}

/** Makes the brackets between words open and close in turn, if their number is even. */
function pairBrackets(parts: Glyph[][]): Glyph[][] {
  for (const open of openers) {
    const close = mirrors.get(open) as string;
    const matchingParts = parts.filter(
      ([glyph, ...others]) => others.length === 0 && (glyph?.text === open || glyph?.text === close),
    );
    if (matchingParts.length % 2 === 1) continue;
    matchingParts.forEach((part, index) => {
      part[0] = { ...(part[0] as Glyph), text: index % 2 === 0 ? open : close };
    });
  }
  return parts;
}
