import { union } from '../geometry/box';
import type { Line, Word } from '../text/line';
import { isMark } from './lists';

/** The second level of bullets in word processors: a round letter of a monospaced font. */
const letterBullet = 'o';
/** What that letter stands for. */
const roundBullet = '◦';
/** Signs and arrows that no line begins with unless they are bullets. They may touch the first word. */
const signBullet = /^[\p{So}\ue000-\uf8ff\u2217\uff0a\u2190-\u21ff\u27f5-\u27ff]$/u;
/** Signs that belong to the words beside them. */
const wordSign = /^[©®™℗℠°№℃℉]$/u;
/** The gap between a letter and its item, in type sizes: wider than between words, and not as wide as between columns. */
const gap = { min: 0.5, max: 4 };
/** The same letter or sign begins at least this many lines. */
const minItems = 2;
/** A row of more letters is no list. */
const maxInRow = 10;
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
  items.push(...findBeside(lines));
  const taken = new Set<Line>();
  for (const group of groupAlike(items)) {
    if (group.length < minItems) continue;
    for (const item of group) {
      markItem(item);
      if (item.alone) taken.add(item.alone);
    }
  }
  return taken.size === 0 ? lines : lines.filter((line) => !taken.has(line));
}

/** A sign that touches the first word of its line: `♫Music`. */
function findTouching(line: Line): Item | undefined {
  const [first] = line.words;
  const [sign = ''] = first ? Array.from(first.text) : [];
  if (!first || first.text.length === sign.length || !isSign(sign)) return undefined;
  // In the font of the letters, a private character may be a ligature.
  if (/[\ue000-\uf8ff]/.test(sign) && !first.main) return undefined;
  const text = first.text.slice(sign.length);
  if (!/^[\p{L}\p{N}"'(]/u.test(text)) return undefined;
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
  if (isSign(first.text) && !isMark(first.text)) return { line, sign: first };
  return first.text === letterBullet && isItemGap(first, second, line.size) ? { line, sign: first } : undefined;
}

/** Lines of one sign with the text that begins on their level at the right. */
function findBeside(lines: readonly Line[]): Item[] {
  const alone = lines.filter(({ words: [only, second] }) => only && !second && only.text === letterBullet);
  if (alone.length < minItems) return [];
  const levels = new Map<number, Line[]>();
  for (const line of lines) {
    const level = Math.round(line.baseline);
    const others = levels.get(level);
    if (others) others.push(line);
    else levels.set(level, [line]);
  }
  const counts = new Map<number, number>();
  for (const { baseline } of alone) counts.set(Math.round(baseline), (counts.get(Math.round(baseline)) ?? 0) + 1);
  return alone.flatMap((sign): Item[] => {
    const level = Math.round(sign.baseline);
    const [word] = sign.words as [Word];
    if ((counts.get(level) ?? 0) > maxInRow) return [];
    const line = [level - 1, level, level + 1]
      .flatMap((at) => levels.get(at) ?? [])
      .find(({ words: [first], size }) => first && first !== word && isItemGap(word, first, size));
    return line ? [{ line, sign: word, alone: sign }] : [];
  });
}

function isItemGap(sign: Word, word: Word, size: number): boolean {
  const width = word.box.l - sign.box.r;
  return width >= gap.min * size && width <= gap.max * size && /^["'(]?(?:\p{L}{2}|\p{Lu}|\p{N})/u.test(word.text);
}

function isSign(text: string): boolean {
  return signBullet.test(text) && !wordSign.test(text);
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
