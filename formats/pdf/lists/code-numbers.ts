import { findLargest, findSmallest } from '../../extremes';
import { union } from '../geometry/box';
import type { Line } from '../text/line';
import type { ReadPage } from '../text/upright';

/** Minimum count of numbers on a page, and the share of them that follow the one above. */
const minNumbers = 3;
const minCounted = 0.8;
/** Widest gap between a number and its code, in type sizes. */
const widestGap = 6;
const number = /^\d{1,4}$/;

/**
 * The line numbers beside code: in another font than the code, counting down the page. Numbers that are joined to their line become
 * lines of their own; the rest of the line is code.
 */
export function separateCodeNumbers(pages: readonly ReadPage[]): Set<Line> {
  return new Set(pages.flatMap(separateOnPage));
}

function separateOnPage(page: ReadPage): Line[] {
  const code = page.lines.filter(({ mono, words }) => mono && !number.test(words[0]?.text ?? ''));
  const beside = page.lines.filter((line) => isNumbered(line) || isBesideCode(line, code));
  if (beside.length < minNumbers) return [];
  const numbered = [...beside, ...findCounted(page.lines, beside)];
  const sorted = numbered.toSorted((a, b) => b.baseline - a.baseline);
  const counted = sorted.slice(1).filter((line, index) => readNumber(line) === readNumber(sorted[index] as Line) + 1);
  if (counted.length < minCounted * (numbered.length - 1)) return [];
  return numbered.map((line) => (line.words.length === 1 ? line : separate(page, line)));
}

function readNumber({ words }: Line): number {
  return Number(words[0]?.text);
}

/** True for a number in another font before monospaced words. */
function isNumbered({ words }: Line): boolean {
  const [first, ...rest] = words;
  if (!first || rest.length === 0 || !number.test(first.text) || first.font.mono) return false;
  // A guard of a literate program is in another font, as in ⟨all, x2⟩\Declare.
  if (rest[0]?.text.startsWith('⟨') && rest.some(({ text }) => text.includes('⟩'))) return true;
  return rest.some(isMono) && rest.every((word) => isMono(word) || !/[\p{L}\p{N}]/u.test(word.text));
}

function isMono({ font, main = font }: Line['words'][number]): boolean {
  return main.mono;
}

/**
 * The numbers of lines that are empty or not monospaced: in the type and at the right edge of the other numbers, and counted like
 * them.
 */
function findCounted(lines: readonly Line[], numbered: readonly Line[]): Line[] {
  const firsts = numbered.flatMap(({ words }) => words.slice(0, 1));
  const numbers = numbered.map(readNumber);
  const [first, last] = [findSmallest(numbers) - 1, findLargest(numbers) + 1];
  return lines.filter((line) => {
    const [word] = line.words;
    if (!word || word.font.mono || !number.test(word.text) || numbered.includes(line)) return false;
    const lineNumber = readNumber(line);
    if (lineNumber < first || lineNumber > last) return false;
    return firsts.some(
      ({ font, size, box }) => font === word.font && size === word.size && Math.abs(box.r - word.box.r) < 1,
    );
  });
}

function isBesideCode({ text, mono, box, baseline, size }: Line, code: readonly Line[]): boolean {
  if (mono || !number.test(text)) return false;
  return code.some(
    (line) =>
      Math.abs(line.baseline - baseline) < 0.3 * line.size &&
      line.box.l > box.r &&
      line.box.l - box.r < widestGap * Math.max(size, line.size),
  );
}

/** Leaves the code in the line, and adds a line with the number to the page. */
function separate(page: ReadPage, line: Line): Line {
  const [first, ...rest] = line.words as [Line['words'][number], ...Line['words']];
  const numberLine: Line = { ...line, text: first.text, words: [first], box: first.box, size: first.size, mono: false };
  line.words = rest;
  line.text = rest.map(({ text }) => text).join(' ');
  line.box = union(rest.map(({ box }) => box));
  // Lines numbered like code are code, such as the guards of literate programs.
  line.mono = true;
  page.lines.push(numberLine);
  return numberLine;
}
