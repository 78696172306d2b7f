import { addAll } from '../../../model/lists/add-all';
import { computeMedian, union } from '../geometry/box';
import type { Line, Word } from '../text/line';
import { isMark } from './lists';

/** The second level of bullets in word processors: a round letter of a monospaced font. */
const letterBullet = 'o';
/** What that letter stands for. */
const roundBullet = '◦';
/**
 * Signs that no line begins with unless they are bullets: arrows to the right, stars, hands, notes, and private characters. They may
 * touch the first word. Others have a meaning that a bullet would lose: triangles for more or less, suits, frames of tables.
 */
const arrow =
  '\\u2192\\u21a0-\\u21a3\\u21a6\\u21aa\\u21b3\\u21d2\\u21db-\\u21e8\\u27f6\\u27f9\\u27fc\\u2794\\u2799\\u279b-\\u27be';
const signs = [
  arrow,
  '\\u25a0\\u25a1\\u25aa\\u25ab\\u25ad-\\u25b1\\u25b6-\\u25bb\\u25c6-\\u25ca\\u2605\\u2606\\u2610-\\u2612\\u261a-\\u261f\\u2669-\\u266c',
  '\\u2720-\\u274b\\u274d\\u274f-\\u2752\\u2756\\u2b1b-\\u2b1d\\u2b24-\\u2b2b\\u2b50\\u2217\\uff0a\\ue000-\\uf8ff',
].join('');
const signBullet = new RegExp(`^[${signs}]$`, 'u');
const arrowBullet = new RegExp(`^[${arrow}]$`, 'u');
/** A step of a derivation or a reaction begins with an arrow that is no bullet. */
const mathematics = /\s[=<>\u2260\u2248\u2264\u2265+]\s/;
/**
 * The gap between a letter and its item, in type sizes: wider than between words, and not as wide as between columns. It is also
 * `wider` than the usual gap between the other words, because justified lines have wide ones.
 */
const gap = { min: 0.5, max: 4, wider: 1.3 };
/** A line of more words, left of a letter, belongs to another column of text; fewer are a cell of a table. */
const maxInCell = 4;
/** The same letter or sign begins at least this many lines. */
const minItems = 2;
/** A row of more letters is no list. */
const maxInRow = 10;
/** More lines on one level are the cells of a table. */
const maxOnLevel = 100;
/** Items begin at most this far from each other, in points. */
const slack = 1.5;

/** A line that may be an item, and the letter or sign before it. */
interface Item {
  line: Line;
  sign: Word;
  /** The line that consists of the sign only. */
  alone?: Line;
  /** The first word of the line, without the sign that touches it. */
  rest?: Word;
}

/**
 * Reads letters and signs at the start of several lines as bullets: an `o` that is set apart from the words after it, and a sign
 * such as a note or an arrow. Returns the lines without those that were bullets of others.
 */
export function readTypedBullets(lines: Line[]): Line[] {
  const items = lines.flatMap((line) => findTouching(line) ?? findApart(line) ?? []);
  const hasLetters = lines.some(({ words: [first] }) => first?.text === letterBullet);
  const levels: Levels = hasLetters ? groupByLevel(lines) : new Map();
  addAll(items, findBeside(lines, levels));
  const starts = new Set(lines.map(({ words: [first] }) => (first?.text ?? '').slice(0, 2)));
  const taken = new Set<Line>();
  for (const group of groupAlike(items)) {
    const { text } = (group[0] as Item).sign;
    if (group.length < minItems || starts.has(text + text)) continue;
    if (text === letterBullet && group.filter((item) => isInTable(item, levels)).length > group.length / 2) continue;
    for (const item of group) {
      markItem(item);
      if (item.alone) taken.add(item.alone);
    }
  }
  return taken.size === 0 ? lines : lines.filter((line) => !taken.has(line));
}

/** Lines by their baselines, in whole points. */
type Levels = ReadonlyMap<number, readonly Line[]>;

function groupByLevel(lines: readonly Line[]): Levels {
  const levels = new Map<number, Line[]>();
  for (const line of lines) {
    const level = Math.round(line.baseline);
    const others = levels.get(level);
    if (others) others.push(line);
    else levels.set(level, [line]);
  }
  return levels;
}

function listOnLevel({ baseline }: Line, levels: Levels): Line[] {
  const level = Math.round(baseline);
  return [level - 1, level, level + 1].flatMap((at) => levels.get(at) ?? []);
}

/** True for a letter with a cell of a few words at its left, or in a row of many. */
function isInTable({ line, sign, alone = line }: Item, levels: Levels): boolean {
  // Counted first: lists of thousands of lines would be copied for each of them.
  const level = Math.round(alone.baseline);
  if ([level - 1, level, level + 1].some((at) => (levels.get(at)?.length ?? 0) > maxOnLevel)) return true;
  return listOnLevel(alone, levels).some(({ words, box }) => box.r < sign.box.l && words.length <= maxInCell);
}

/** A sign that touches the first word of its line: `♫Music`. */
function findTouching(line: Line): Item | undefined {
  const [first] = line.words;
  const [sign = ''] = first ? Array.from(first.text) : [];
  if (!first || first.raised || first.scripts || first.text.length === sign.length) return undefined;
  const text = first.text.slice(sign.length);
  // In Chinese and Japanese, such signs begin headings; a star that touches a word is that of a note.
  if (/[\u2217\uff0a]/.test(sign) || /^[\u3040-\u30ff\u3400-\u9fff]/.test(text)) return undefined;
  // In the font of the letters, a private character may be a ligature.
  if (/[\ue000-\uf8ff]/.test(sign) && !first.main) return undefined;
  if (!isSign(sign, line, text)) return undefined;
  const edge = Math.min(first.box.l + 0.8 * first.size, (first.box.l + first.box.r) / 2);
  const { styles: _styles, scripts: _scripts, main = first.font, ...word } = first;
  return {
    line,
    sign: { ...word, text: sign, box: { ...first.box, r: edge } },
    rest: { ...word, text, font: main, size: line.size, raised: false, box: { ...first.box, l: edge } },
  };
}

function findApart(line: Line): Item | undefined {
  const [first, second] = line.words;
  if (!first || !second) return undefined;
  if (!first.raised && !isMark(first.text) && isSign(first.text, line, second.text)) return { line, sign: first };
  if (first.text !== letterBullet || !isItemGap(first, second, line.size)) return undefined;
  const gaps = line.words.slice(2).map(({ box }, index) => box.l - (line.words[index + 1] as Word).box.r);
  const isWider = gaps.length === 0 || second.box.l - first.box.r > gap.wider * computeMedian(gaps);
  return isWider ? { line, sign: first } : undefined;
}

/** Lines of one sign with the text that begins on their level at the right. */
function findBeside(lines: readonly Line[], levels: Levels): Item[] {
  const alone = lines.filter(({ words: [only, second] }) => only && !second && only.text === letterBullet);
  if (alone.length < minItems) return [];
  const counts = new Map<number, number>();
  for (const { baseline } of alone) counts.set(Math.round(baseline), (counts.get(Math.round(baseline)) ?? 0) + 1);
  return alone.flatMap((sign): Item[] => {
    const level = Math.round(sign.baseline);
    const [word] = sign.words as [Word];
    if ((counts.get(level) ?? 0) > maxInRow) return [];
    const line = listOnLevel(sign, levels).find(
      ({ words: [first], size }) => first && first !== word && isItemGap(word, first, size),
    );
    return line ? [{ line, sign: word, alone: sign }] : [];
  });
}

function isItemGap(sign: Word, word: Word, size: number): boolean {
  const width = word.box.l - sign.box.r;
  return width >= gap.min * size && width <= gap.max * size && /^["'(]?(?:\p{L}{2}|\p{Lu}|\p{N})/u.test(word.text);
}

/** True for a sign that is a bullet before this text. Before a figure, it may say that it rises, falls or stays. */
function isSign(sign: string, line: Line, text: string): boolean {
  if (line.mono || !signBullet.test(sign) || !/^["'“„«(]?\p{L}/u.test(text)) return false;
  return !arrowBullet.test(sign) || !mathematics.test(line.text);
}

/** Items with one sign; those of a letter begin at one place, as do their texts. */
function groupAlike(items: readonly Item[]): Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const { sign, line, alone } = item;
    const text = alone ? line.words[0] : line.words[1];
    const place = (x: number) => Math.round(x / slack);
    const places = sign.text === letterBullet ? `${place(sign.box.l)} ${place(text?.box.l ?? 0)}` : '';
    const key = `${sign.text} ${places}`;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}

/** Begins the line with a label, which is no code even if it is monospaced. */
function markItem({ line, sign, alone, rest }: Item): void {
  const text = sign.text === letterBullet ? roundBullet : sign.text;
  const bullet: Word = { ...sign, text, isLabel: true, raised: false, font: { ...sign.font, mono: false } };
  const words = alone ? line.words : line.words.slice(1);
  line.words = [bullet, ...(rest ? [rest] : []), ...words];
  line.text = line.words.map(({ text }) => text).join(' ');
  line.box = union(line.words.map(({ box }) => box));
}
