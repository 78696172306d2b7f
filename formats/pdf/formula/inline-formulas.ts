import { findLargest } from '../../extremes';
import type { Glyph, Rule } from '../geometry/page';
import type { Line, Word } from '../text/line';
import { isMathFont } from './mathematics';
import { writeTex } from './tex';

/** A formula within a line: consecutive words that become one item. */
export interface InlineFormula {
  words: ReadonlySet<Word>;
  tex: string;
}

const relation = /[=≠<>≤≥≈≡∈∉⊂⊆→]/;
const operator = /^[-=≠<>≤≥≈≡∈∉⊂⊆→+−±·×∗*/]+$/u;
const functionName = /^(?:sin|cos|tan|log|ln|exp|max|min|lim|det|arg|mod|sup|inf|var|cov|rank|diag)$/;
/** Indices are smaller than this share of the largest sign and shifted by this share of its size. */
const index = { size: 0.86, moved: 0.12 };
/** Longer formulas, counted in signs, stay text. */
const longest = 40;
/** Maximum number of letters in a variable name. */
const longestName = 3;
const variableFont = /^(?:CMMI|MTMI)/i;

/**
 * Finds formulas within a line of text: words whose letters are all in math fonts, with indices or a relation. Ordinary words,
 * single letters, and signs such as ≥ before a number stay text.
 */
export function findInlineFormulas(line: Line, rules: readonly Rule[]): InlineFormula[] {
  if (line.isFormula || !line.words.some(({ signs }) => signs)) return [];
  const formulas: InlineFormula[] = [];
  let open: Word[] = [];
  const close = () => {
    const formula = toFormula(open, rules);
    if (formula) formulas.push(formula);
    open = [];
  };
  for (const word of line.words) {
    if (isMathematical(word)) open.push(word);
    else close();
    if (/[,;.:]$/.test(word.text)) close();
  }
  close();
  return formulas;
}

function isMathematical({ text, signs }: Word): boolean {
  if (!signs || signs.length === 0) return false;
  const letters = signs.filter((sign) => /\p{L}/u.test(sign.text) && !isSmall(sign, signs));
  if (functionName.test(text.replace(/[^\p{L}]/gu, ''))) return true;
  return letters.every(isVariable) && (text.match(/[A-Za-z]+/g) ?? []).every((name) => isName(name, letters));
}

/** True for a letter, or for a few in the italic type of variables: longer names and upright ones are words. */
function isName(name: string, letters: readonly Glyph[]): boolean {
  if (name.length === 1) return true;
  return name.length <= longestName && letters.every(({ font }) => font.italic || variableFont.test(font.name));
}

function toFormula(words: readonly Word[], rules: readonly Rule[]): InlineFormula | undefined {
  const trimmedWords = trim(words);
  const signs = trimmedWords.flatMap((word) => word.signs ?? []);
  if (
    signs.length === 0 ||
    signs.length > longest ||
    !signs.some(isVariable) ||
    !hasIndexOrRelation(trimmedWords, signs)
  )
    return undefined;
  // The other bracket is in the text around the formula.
  if (!/[[\]]/.test(signs.map(({ text }) => text).join('')) && countSign(signs, '(') !== countSign(signs, ')'))
    return undefined;
  const tex = writeTex(signs, rules);
  return tex === undefined || tex === '' ? undefined : { words: new Set(trimmedWords), tex };
}

function countSign(signs: readonly Glyph[], sign: string): number {
  return signs.filter(({ text }) => text === sign).length;
}

/** Drops numbers and signs at both ends unless an operator joins them to a variable. */
function trim(words: readonly Word[]): Word[] {
  const hasVariable = ({ signs = [] }: Word) => signs.some(isVariable);
  const first = words.findIndex(hasVariable);
  if (first < 0) return [];
  let start = first;
  while (start > 1 && operator.test((words[start - 1] as Word).text)) start -= 2;
  let end = words.findLastIndex(hasVariable) + 1;
  while (end < words.length && (isIndexWord(words[end] as Word, words[end - 1] as Word) || isOperand(words, end)))
    end += 1;
  const last = words[end - 1];
  return words.slice(start, last && operator.test(last.text) ? end - 1 : end);
}

/** True for an operator before another word, and for the word after an operator. */
function isOperand(words: readonly Word[], at: number): boolean {
  const isSign = (word: Word | undefined) => word !== undefined && operator.test(word.text);
  return (isSign(words[at]) && words[at + 1] !== undefined) || isSign(words[at - 1]);
}

/** True for a raised or lowered word just after another one. */
function isIndexWord(word: Word, before: Word): boolean {
  return word.size < index.size * before.size && word.box.l - before.box.r < 0.15 * before.size;
}

function isVariable({ text, font }: Glyph): boolean {
  return /\p{L}/u.test(text) && isMathFont(font);
}

function isSmall({ size }: Glyph, signs: readonly Glyph[]): boolean {
  return size < index.size * findLargest(signs.map((sign) => sign.size));
}

/** True if TeX shows more than plain text does: an index, or a relation between words. */
function hasIndexOrRelation(words: readonly Word[], signs: readonly Glyph[]): boolean {
  const largest = signs.reduce((largestSign, sign) => (sign.size > largestSign.size ? sign : largestSign));
  const isIndex = ({ size, baseline, text }: Glyph) =>
    size < index.size * largest.size &&
    Math.abs(baseline - largest.baseline) > index.moved * largest.size &&
    /[\p{L}\p{N}+*∗−-]/u.test(text);
  return signs.some(isIndex) || (words.length > 2 && words.some(({ text }) => relation.test(text)));
}
