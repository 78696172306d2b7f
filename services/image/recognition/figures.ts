import type { OcrWord, PixelBox } from '../../../model/page/ocr';

/** One of two readings of the same ink; `confidence` is from 0 to 1. */
export type Reading = Pick<OcrWord, 'text' | 'confidence'>;

/** A reading and whether its digits are in doubt. */
export interface Settled extends Reading {
  isDoubtful: boolean;
}

/** A reading below this is ignored when the other one is above the second value. */
const sure = { min: 0.6, other: 0.8 };
/** Confidence of a figure whose two readings have different digits. */
export const inDoubt = 0.4;
/** Confidence of a figure that only lacked its decimal sign. */
const completed = 0.7;
/** Stray signs that rulings leave beside a figure. */
const stray = /^[[|{\]}!]+(?=[(\d+−-])|(?<=[\d%)])[[|{\]}!]+$/gu;

/** True for an amount, a date, or another number with at least two digits. */
export function isFigure(text: string): boolean {
  return (text.match(/\d/g)?.length ?? 0) >= 2 && !/\p{L}{2}/u.test(text);
}

/** The text of a figure without brackets of rulings. */
export function omitStrays(text: string): string {
  return text.replace(stray, '');
}

/** Decides between two readings of a figure. `pattern` is that of the other figures in its column (`findDecimalPattern`). */
export function settleFigure(first: Reading, second: Reading | undefined, pattern: string | undefined): Settled {
  const [a, b] = [trim(first), second && trim(second)];
  if (!b || !/\d/.test(b.text)) return { ...a, isDoubtful: a.confidence < sure.min };
  if (a.text === b.text) return { text: a.text, confidence: Math.max(a.confidence, b.confidence), isDoubtful: false };
  if (keepDigits(a.text) === keepDigits(b.text)) {
    const best = [a, b].toSorted((x, y) => rank(y) - rank(x))[0] as Reading;
    return { text: best.text, confidence: Math.min(best.confidence, completed), isDoubtful: false };
  }
  if (a.confidence >= sure.other && b.confidence < sure.min) return { ...a, isDoubtful: false };
  if (b.confidence >= sure.other && a.confidence < sure.min) return { ...b, isDoubtful: false };
  const best = [a, b].toSorted(
    (x, y) => Number(fits(y)) - Number(fits(x)) || y.confidence - x.confidence,
  )[0] as Reading;
  return { text: best.text, confidence: Math.min(best.confidence, inDoubt), isDoubtful: true };

  function fits({ text }: Reading): boolean {
    return pattern !== undefined && findDecimalPattern(text) === pattern;
  }
  // A decimal sign is lost more often than invented.
  function rank(reading: Reading): number {
    return (fits(reading) ? 4 : 0) + (findDecimalPattern(reading.text) === undefined ? 0 : 2) + reading.confidence;
  }
}

function trim({ text, confidence }: Reading): Reading {
  return { text: omitStrays(text), confidence };
}

function keepDigits(text: string): string {
  return text.replace(/\D/g, '');
}

/** The end of a number with decimals: its sign and how many digits follow, such as `,2`. */
export function findDecimalPattern(text: string): string | undefined {
  const [, sign, decimals = ''] = /\d([.,])(\d{1,3})\D*$/.exec(text) ?? [];
  return sign === undefined ? undefined : `${sign}${decimals.length}`;
}

/** A figure with the decimal sign that the others of its column have: `12.15` among `115,20` and `127,35`. */
export function useSignOfColumn(text: string, pattern: string | undefined): string {
  const textPattern = findDecimalPattern(text);
  if (!textPattern || !pattern || textPattern === pattern || textPattern.slice(1) !== pattern.slice(1)) return text;
  const at = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','));
  return `${text.slice(0, at).replaceAll(pattern.charAt(0), textPattern.charAt(0))}${pattern.charAt(0)}${text.slice(at + 1)}`;
}

/** The pattern that most figures share whose right edges are near that of `box`; undefined with fewer than two, or a tie. */
export function findPattern(box: PixelBox, figures: readonly { text: string; box: PixelBox }[]): string | undefined {
  const computeHeight = ({ y0, y1 }: PixelBox) => y1 - y0;
  const isNear = (other: PixelBox) =>
    other !== box && other.x0 < box.x1 && other.x1 > box.x0 && computeHeight(box) < 1.5 * computeHeight(other);
  const counts = new Map<string, number>();
  const others = figures.filter((figure) => isNear(figure.box));
  for (const { text } of others) {
    const pattern = findDecimalPattern(text);
    if (pattern !== undefined) counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
  }
  const [best, second] = [...counts].toSorted(([, a], [, b]) => b - a);
  if (!best || best[1] < 2 || best[1] === second?.[1] || best[1] * 2 < others.length) return undefined;
  return best[0];
}

/** How far from its place, in shares of the width of its figure, a comma may be found. */
const commaSlack = 0.1;

/**
 * Writes the sign that is printed as a comma as a comma, and the others as points. `commas` are the places, from 0 to 1, where ink is
 * below the digits; without any, the text stays.
 */
export function placeCommas(text: string, commas: readonly number[]): string {
  if (!/^\d[\d.,]*\d$/.test(text)) return text;
  const signs = Array.from(text).flatMap((sign, index) => (/[.,]/.test(sign) ? [index] : []));
  const isComma = (index: number) => commas.some((place) => Math.abs(place - (index + 0.5) / text.length) < commaSlack);
  if (!signs.some(isComma)) return text;
  return Array.from(text, (sign, index) => {
    if (!signs.includes(index)) return sign;
    return isComma(index) ? ',' : '.';
  }).join('');
}

/** True if the sign before two decimals is also used between thousands, so that the signs were not told apart. */
export function hasMixedSigns(text: string): boolean {
  const [, whole = '', sign = ''] = /^(.*\d)([.,])\d{2}$/.exec(text) ?? [];
  return sign !== '' && whole.includes(sign);
}

/**
 * The amount with the other sign between thousands if they have the sign of its decimals, since of two signs alike, one was misread. Only
 * where more of the figures of the page are amounts with both signs: numbers of articles and telephones have one sign, too.
 */
export function separateSigns(text: string, figures: readonly string[]): string {
  if (!hasMixedSigns(text) || !/^\d{1,3}(?:[.,]\d{3})+[.,]\d{2}$/.test(text)) return text;
  const [whole, decimals] = [text.slice(0, -3), text.slice(-3)];
  const isAmount = decimals.startsWith(',') ? /^\d{1,3}(?:\.\d{3})+,\d{2}$/ : /^\d{1,3}(?:,\d{3})+\.\d{2}$/;
  const amounts = figures.filter((figure) => isAmount.test(figure)).length;
  if (amounts <= figures.filter((figure) => figure !== text && hasMixedSigns(figure)).length) return text;
  return `${whole.replaceAll(/[.,]/g, decimals.startsWith(',') ? '.' : ',')}${decimals}`;
}

/** True if both are whole amounts, as in neighbouring cells. */
export function areAmounts(a: string, b: string): boolean {
  return /\d[.,]\d{2}$/.test(a) && /^\d/.test(b);
}

/** The sign before two decimals that nearly all figures of the page have; undefined with fewer than three. */
export function findSignOfPage(texts: readonly string[]): string | undefined {
  const patterns = texts.map(findDecimalPattern).filter((pattern) => pattern?.endsWith('2'));
  const commas = patterns.filter((pattern) => pattern === ',2').length;
  if (patterns.length < 3) return undefined;
  if (commas >= nearlyAll * patterns.length) return ',2';
  return patterns.length - commas >= nearlyAll * patterns.length ? '.2' : undefined;
}

const nearlyAll = 0.7;

/** True for a figure of at least three digits without the decimals that the others of its column have. */
export function lacksDecimals(text: string, pattern: string | undefined): boolean {
  return pattern !== undefined && findDecimalPattern(text) === undefined && keepDigits(text).length >= 3;
}

/**
 * Adds the signs between digits that both readings missed, if the ink shows them: small pieces on the baseline between as many high
 * pieces as the text has digits. Specks do that, too: the text stays unless the result is a number as people write it.
 */
export function addSigns(text: string, ink: readonly PixelBox[]): string {
  if (!/^\d[\d.,]*\d$/.test(text)) return text;
  const digits = keepDigits(text);
  const highest = Math.max(...ink.map(({ y0, y1 }) => y1 - y0));
  const high = ink.filter(({ y0, y1 }) => y1 - y0 >= 0.7 * highest).toSorted((a, b) => a.x0 - b.x0);
  if (high.length !== digits.length) return text;
  const floor = Math.max(...high.map(({ y1 }) => y1));
  const [top, width] = [floor - 0.35 * highest, Math.max(...high.map(({ x0, x1 }) => x1 - x0))];
  // A piece below or above a digit is a part of it, which a faint print has separated.
  const isFree = (mark: PixelBox) => high.every(({ x0, x1 }) => mark.x0 >= x1 - 1 || mark.x1 <= x0 + 1);
  const small = ink.filter(
    (mark) => mark.y0 >= top && mark.y1 - mark.y0 < 0.5 * highest && mark.x1 - mark.x0 < 0.6 * width && isFree(mark),
  );
  const signs = new Map(small.map((mark) => [high.filter(({ x0 }) => x0 < mark.x0).length, mark]));
  const [last, mark] = [...signs].toSorted(([a], [b]) => b - a)[0] ?? [];
  if (last === undefined || mark === undefined || signs.size <= text.length - digits.length) return text;
  const [shown, other] = mark.y1 > floor + 0.1 * highest ? [',', '.'] : ['.', ','];
  const isDecimal = digits.length - last < 3;
  const number = Array.from(digits, (digit, index) => {
    if (!signs.has(index)) return digit;
    return `${isDecimal && index !== last ? other : shown}${digit}`;
  }).join('');
  return wellFormed.test(number) ? number : text;
}

/** Groups of three digits below the first group, or none, and up to two decimals after the other sign. */
const wellFormed = /^\d{1,3}(?:(?:,\d{3})*(?:\.\d{1,2})?|(?:\.\d{3})*(?:,\d{1,2})?)$|^\d+[.,]\d{1,2}$/;
