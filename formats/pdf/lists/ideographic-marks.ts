import { findLargest } from '../../extremes';
import { computeMedian } from '../geometry/box';
import type { Line } from '../text/line';
import type { ListMark } from './lists';

/** The ways in which Chinese and Japanese number items, without a space after the number: `（1）`, `（一）`, `（ア）`, `①`, `一、`, `1、`, and `ア` with a space. */
const marks = [
  /^[（(](\d{1,2}|[０-９]{1,2})[）)]/u,
  /^[（(]([一二三四五六七八九十]{1,3})[）)]/u,
  /^([①-⑳])/u,
  /^([一二三四五六七八九十]{1,3})、/u,
  /^(\d{1,2}|[０-９]{1,2})、/u,
  /^[（(]([アイウエオカキクケコサシスセソ])[）)]/u,
  /^[（(]([あいうえおかきくけこさしすせそ])[）)]/u,
  /^([アイウエオカキクケコサシスセソ])(?=\s)/u,
];
/** The letters that count items, in the order of the Japanese alphabet. */
const letters = ['アイウエオカキクケコサシスセソ', 'あいうえおかきくけこさしすせそ'];
/** What an item may begin with. */
const ideograph = /^\s?[「『（《〈\u3005\u3040-\u30ff\u3400-\u9fff]/u;
/** What other items of such a list may begin with. */
const otherStart = /^(?:\p{L}{2}|\s[\p{L}\d])/u;
/** Numbers in circles count items in any language. */
const circled = /^[①-⑳]/u;
/** A particle before a word in other characters. Before hiragana, it is the beginning of a word, such as はじめに. */
const particle = /^[のはがをにとへもで](?![\u3041-\u309f])/u;
/** Particles and other words in hiragana that go on after a number. */
const phrase =
  /^(?:の(?:う|いず|とお|よう|ため|ほか|み)|に(?:は|も|つ|おい|おけ|よ)|で(?:は|も|あ)|と(?:は|も|の|し|す|い)|への|があ|をい|から|まで|より|または|もしくは|および|ならびに)/u;
/** Signs and words between numbers that are mentioned, as in "one, two" and "(1) or (2)". */
const between = /^(?:[、，。及和与或至]|又は|若しくは|並びに|[一二三四五六七八九十]{1,3}[、，])/u;
/** The end of a line within a sentence. */
const unfinished = /[、，\u3005\u3040-\u30ff\u3400-\u9fff]$/u;
/** A line that ends less than this far from the edge of the column, in type sizes, is full. */
const fullEnd = 1.5;
/** The greatest distance between two lines of a paragraph, in type sizes. */
const farthest = 2.2;
/** Larger lines are headings. */
const largest = 1.15;
/** The number of an article or of another part of a law, before its title or its text. */
const article =
  /^第[\d０-９一二三四五六七八九十百千〇零]{1,6}[条條章節节款項项編编篇](?:の[\d一二三四五六七八九十]{1,3})?(?=[\s（(]|$)/u;

interface Marked {
  line: Line;
  /** The index in `marks`, or that of the dot. */
  kind: number;
  value: number;
  marker: string;
  /** True if Chinese or Japanese text follows. */
  isIdeographic: boolean;
}

/** The bullet of Japanese, which touches its item. Within a name, it is a point between words. */
const dot = '・';
const dotKind = marks.length;

/**
 * The marks of items in Chinese and Japanese. A number is a mark if the number before or after it begins another line, and a dot if
 * another line begins with one.
 */
export function findIdeographicMarks(lines: readonly Line[]): Map<Line, ListMark> {
  const found = lines.flatMap((line) => readMark(line) ?? []);
  const kinds = new Set(found.flatMap(({ kind, isIdeographic }) => (isIdeographic ? [kind] : [])));
  const marked = found.filter(({ kind }) => kinds.has(kind));
  if (marked.length < 2) return new Map();
  const size = computeMedian(lines.map((line) => line.size));
  const known = new Set(marked.map(({ kind, value }) => `${kind} ${value}`));
  const dots = marked.filter(({ kind }) => kind === dotKind).length;
  const prose = findWithinSentences(lines, marked);
  return new Map(
    marked.flatMap(({ line, kind, value, marker }) => {
      const isCounted = known.has(`${kind} ${value - 1}`) || known.has(`${kind} ${value + 1}`);
      if (!(kind === dotKind ? dots > 1 : isCounted)) return [];
      if (prose.has(line) || line.bold || line.size > largest * size) return [];
      return [[line, { marker, enumerated: kind !== dotKind, words: line.words[0]?.text === marker ? 1 : 0 }]];
    }),
  );
}

/**
 * Lines below a full line that does not end a sentence: their marks are signs of the sentence. The item before them may end without a
 * full stop.
 */
function findWithinSentences(lines: readonly Line[], marked: readonly Marked[]): Set<Line> {
  const sorted = lines.toSorted((a, b) => b.baseline - a.baseline);
  const edge = findLargest(lines.map(({ box }) => box.r));
  const items = new Map(marked.map((item) => [item.line, item]));
  return new Set(
    sorted.filter((line, index) => {
      const above = sorted[index - 1];
      if (!above || above.baseline - line.baseline > farthest * line.size) return false;
      const [last, next] = [items.get(above), items.get(line)];
      if (last && last.kind === next?.kind && (last.kind === dotKind || last.value === next.value - 1)) return false;
      return unfinished.test(above.text) && above.box.r > edge - fullEnd * above.size;
    }),
  );
}

/** A narrower line, in type sizes, is a heading or an entry. */
const narrowest = 15;

/** True for a line that begins an article of a law. The sentence of a full line above goes on with the article that it mentions. */
export function beginsArticle({ text, box }: Line, above: Line, isFull: boolean): boolean {
  if (!article.test(text)) return false;
  const isText = above.box.r - Math.max(above.box.l, box.l) > narrowest * above.size;
  return !(isFull && isText && unfinished.test(above.text));
}

function readMark(line: Line): Marked | undefined {
  const { text } = line;
  const kind = text.startsWith(dot) ? dotKind : marks.findIndex((pattern) => pattern.test(text));
  const [marker, number] = kind === dotKind ? [dot, ''] : ((marks[kind]?.exec(text) ?? []) as string[]);
  if (marker === undefined || number === undefined) return undefined;
  const rest = text.slice(marker.length);
  const isIdeographic = ideograph.test(rest) || (circled.test(text) && /^\s\p{L}/u.test(rest));
  if (!isIdeographic && !otherStart.test(rest)) return undefined;
  if (kind !== dotKind && isMention(rest)) return undefined;
  const value = kind === dotKind ? 0 : readValue(number);
  return value === undefined ? undefined : { line, kind, value, marker, isIdeographic };
}

/** True if a sentence goes on after a number, as in "the (1) of". */
function isMention(rest: string): boolean {
  return [particle, phrase, between].some((pattern) => pattern.test(rest));
}

const digits = '一二三四五六七八九';

/** The value of a letter, or of a number in digits of any width, in a circle, or in Chinese, up to 99. */
function readValue(number: string): number | undefined {
  for (const alphabet of letters) if (alphabet.includes(number)) return alphabet.indexOf(number) + 1;
  const plain = number.normalize('NFKC');
  if (/^\d+$/.test(plain)) return Number(plain);
  const parts = /^([一二三四五六七八九])?(十)?([一二三四五六七八九])?$/u.exec(plain);
  if (!parts) return undefined;
  const [, tens, ten, ones] = parts;
  const readDigit = (digit: string | undefined) => (digit ? digits.indexOf(digit) + 1 : 0);
  if (!ten) return tens && !ones ? readDigit(tens) : undefined;
  return 10 * (readDigit(tens) || 1) + readDigit(ones);
}
