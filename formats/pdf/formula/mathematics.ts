import { findLargest } from '../../extremes';
import type { Font } from '../geometry/page';
import type { Word } from '../text/line';

const mathFont = /^(?:CMMI|CMSY|CMEX|MSAM|MSBM|MTMI|MTSY|MTEX)|math|stix|euclid|^symbol/i;
/** True for math fonts. */
export function isMathFont({ name }: Font): boolean {
  return mathFont.test(name);
}

/** Maximum number of names of four or more letters in the math fonts of one formula. */
const maxNames = 3;
const functionName =
  /^(?:sin|cos|tan|log|ln|exp|max|min|lim|det|arg|mod|sup|inf|var|cov|rank|diag|sign|argmax|argmin|where|and|for|if)$/i;

/** True for a relation sign or operator between short names, at least one of them in a math font. */
export function isRelation(text: string, words: readonly Word[]): boolean {
  if (text.length > 200 || !/[=<>≤≥≈≡∈∑∫∏→∝≠]/.test(text)) return false;
  if (!words.some(({ font }) => mathFont.test(font.name))) return false;
  // Subscripts may be words: they are small, or few and in the font of the formula.
  const size = findLargest(words.map((word) => word.size));
  const large = words.filter((word) => word.size > 0.85 * size);
  const names = (isMath: boolean) =>
    large
      .filter(({ font }) => mathFont.test(font.name) === isMath)
      .flatMap((word) => word.text.match(/\p{L}{4,}/gu) ?? [])
      .filter((name) => !functionName.test(name));
  return names(false).length === 0 && names(true).length <= maxNames;
}

/** Short names with brackets or operators, as in "(πi", whose first sign is in the font of the text. */
const shortNames = /^(?=.*[()[\]|+/*\u2212])[^\p{L}]*(?:\p{L}{1,2}(?:[^\p{L}]+|$))+$/u;

/** True for words that are only symbols, numbers, short or function names or text in math fonts. */
export function isMathematics(words: readonly Word[]): boolean {
  return words.every(
    ({ text, font }) =>
      mathFont.test(font.name) || /^[^\p{L}]+$/u.test(text) || functionName.test(text) || shortNames.test(text),
  );
}
