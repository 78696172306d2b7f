import { isSymbolFont } from '../engine/signs';
import type { Line, Word } from '../text/line';

/** The marker of a list item; `words` is the number of words it consists of. */
export interface ListMark {
  marker: string;
  enumerated: boolean;
  words: number;
}

/** Private-use characters are drawn symbols. */
const bullet = /^[·•▪▫◦‣⁃∙●○■□◆◇➢➤►▶✓✔❑❖☐☑☒✗*\ue000-\uf8ff-]$/;
const number = /^\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5}|[IVX]{1,5})[.)]$/;

/** A longer label is wrongly tagged text. */
const longestLabel = 8;

/** True for a word that is a list marker if text follows it. */
export function isMark(word: string): boolean {
  return bullet.test(word) || number.test(word);
}

/** True for a German signature on behalf of somebody: "i. A. Hella Dornbusch". */
export function isProxy([first, second]: readonly Pick<Word, 'text'>[]): boolean {
  return first?.text === 'i.' && /^[AV]\.$/.test(second?.text ?? '');
}

/** The list marker at the start of a line, if text follows it. */
export function findListMark(line: Pick<Line, 'words'>): ListMark | undefined {
  const [first, second] = line.words;
  if (!first || !second) return undefined;
  // The raised star of a note is no bullet.
  if (first.text === '*' && first.raised) return undefined;
  // Dashes on both sides are an ornament: `— 7 —`.
  if (first.text === '-' && line.words.at(-1)?.text === '-') return undefined;
  if (bullet.test(first.text) || isSymbol(first)) return { marker: first.text, enumerated: false, words: 1 };
  if (isProxy([first, second])) return undefined;
  if (number.test(first.text)) return { marker: first.text, enumerated: true, words: 1 };
  if (first.isLabel && !second.isLabel && first.text.length <= longestLabel)
    return { marker: first.text, enumerated: /[\p{L}\p{N}]{2}|\p{N}/u.test(first.text), words: 1 };
  return undefined;
}

/**
 * True for a single glyph of a symbol font at the start of a line: a bullet, whatever letter it is encoded as. Greek letters of Symbol
 * are those of quantities.
 */
function isSymbol({ text, font }: Pick<Word, 'text' | 'font'>): boolean {
  return /^\P{Script=Greek}$/u.test(text) && isSymbolFont(font.name);
}

/** The text after the marker; `text` must begin with it. */
export function omitMark(text: string, mark: ListMark): string {
  return text.slice(mark.marker.length).trimStart();
}
