import type { HeadingRules, NumberingScheme } from '../../format';
import type { Bookmark } from '../geometry/page';
import { type HeadingNumber, readNumbers, toPlainText, assignSchemeLevels } from './heading-numbers';
import type { Block, PlacedBlock } from './part';

/**
 * Heading levels from 1 by the caller's rules: by the matching bookmark, else by number, else by style. A style whose headings
 * have levels from bookmarks or numbers passes that level to its other headings. Without a match the level is 1.
 */
export function assignLevels(
  headings: readonly PlacedBlock[],
  bookmarks: readonly Bookmark[],
  rules: HeadingRules,
): Map<Block, number> {
  const levels = new Map<Block, number>();
  const numbers = rules.useNumbering ? readNumbers(headings, rules.numberingSchemes) : new Map<Block, HeadingNumber>();
  const base = assignSchemeLevels([...numbers.values()]);
  for (const { block, pageNo } of headings) {
    const marked =
      rules.useBookmarks && rules.useOutlineLevels ? findBookmark(block, pageNo, bookmarks, rules) : undefined;
    const number = numbers.get(block);
    const level = marked?.level ?? (number && computeLevelOfNumber(number, base));
    if (level !== undefined) levels.set(block, level);
  }
  if (rules.useStyle) addLevelsByStyle(headings, levels, rules);
  return new Map(headings.map(({ block }) => [block, Math.min(levels.get(block) ?? 1, rules.maxLevel)]));
}

function computeLevelOfNumber({ scheme, depth }: HeadingNumber, base: ReadonlyMap<NumberingScheme, number>): number {
  return Math.max((base.get(scheme) ?? 1) + depth - 1, 1);
}

/** The bookmark most similar to the heading, above the threshold and at most one page away. */
function findBookmark(
  block: Block,
  pageNo: number,
  bookmarks: readonly Bookmark[],
  { bookmarkThreshold }: Pick<HeadingRules, 'bookmarkThreshold'>,
): Bookmark | undefined {
  const text = toPlainText(block.text);
  let best: { bookmark: Bookmark; likeness: number } | undefined;
  for (const bookmark of bookmarks) {
    if (bookmark.pageNo !== undefined && Math.abs(bookmark.pageNo - pageNo) > 1) continue;
    const likeness = computeLikeness(text, toPlainText(bookmark.title));
    if (likeness >= bookmarkThreshold && likeness > (best?.likeness ?? 0)) best = { bookmark, likeness };
  }
  return best?.bookmark;
}

/** The share of character pairs that two texts have in common (Dice), 0 to 1; 0 for an empty text. */
function computeLikeness(a: string, b: string): number {
  if (a === '' || b === '') return 0;
  if (a === b) return 1;
  const pairs = new Map<string, number>();
  for (let at = 0; at < a.length - 1; at += 1) {
    const pair = a.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let shared = 0;
  for (let at = 0; at < b.length - 1; at += 1) {
    const left = pairs.get(b.slice(at, at + 2)) ?? 0;
    if (left === 0) continue;
    pairs.set(b.slice(at, at + 2), left - 1);
    shared += 1;
  }
  return (2 * shared) / (a.length + b.length - 2 || 1);
}

/** A heading style and the headings that have it. */
interface Style {
  size: number;
  /** Rank among styles of one size: bold, then capitals, then upright type. */
  weight: number;
  blocks: Block[];
}

/**
 * Gives levels to the remaining headings. Styles are ranked by size, then weight. A style with known levels uses the most
 * frequent of them; any other is one below the next larger style and above the next smaller style with a known level.
 */
function addLevelsByStyle(headings: readonly PlacedBlock[], levels: Map<Block, number>, rules: HeadingRules): void {
  const styles = listStyles(headings, rules).map(({ blocks }) => ({
    blocks,
    known: findMostFrequent(blocks.flatMap((block) => levels.get(block) ?? [])),
  }));
  let above = 0;
  styles.forEach(({ blocks, known }, index) => {
    const below = styles.slice(index + 1).find((style) => style.known !== undefined)?.known;
    const level = known ?? Math.max(1, Math.min(above + 1, below === undefined ? Infinity : below - 1));
    for (const block of blocks) if (!levels.has(block)) levels.set(block, level);
    above = level;
  });
}

function listStyles(headings: readonly PlacedBlock[], { styleSizeTolerance, useFontStyle }: HeadingRules): Style[] {
  const styles: Style[] = [];
  for (const { block } of headings.toSorted((a, b) => b.block.size - a.block.size)) {
    const weight = useFontStyle ? computeWeight(block) : 0;
    const style = styles.find(
      (other) => other.weight === weight && other.size - block.size <= styleSizeTolerance * other.size,
    );
    if (style) style.blocks.push(block);
    else styles.push({ size: block.size, weight, blocks: [block] });
  }
  const isSameSize = (a: Style, b: Style) => Math.abs(a.size - b.size) <= styleSizeTolerance * Math.max(a.size, b.size);
  return styles.toSorted((a, b) => (isSameSize(a, b) ? b.weight - a.weight : b.size - a.size));
}

function computeWeight({ bold, italic, text }: Block): number {
  const isCapitals = /\p{Lu}{2}/u.test(text) && !/\p{Ll}/u.test(text);
  return (bold ? 4 : 0) + (isCapitals ? 2 : 0) + (italic ? 0 : 1);
}

function findMostFrequent(values: readonly number[]): number | undefined {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0];
}
