import type { NumberingScheme } from '../../format';
import type { Block, PlacedBlock } from './part';

/** The numbering scheme of a heading and its number of steps: 2.1.3 has three. */
export interface HeadingNumber {
  scheme: NumberingScheme;
  depth: number;
  /** Index of the heading among all headings, from 0. */
  at: number;
}

const count = String.raw`(?:\d{1,3}|[IVXLC]{1,7}|[A-Z]|one|two|three|four|five|six|seven|eight|nine|ten)\b`;
const named: readonly [NumberingScheme, RegExp][] = [
  ['part', new RegExp(`^(?:part|teil|partie|parte)\\s+${count}`, 'i')],
  ['chapter', new RegExp(`^(?:chapter|kapitel|chapitre|cap[ií]tulo)\\s+${count}`, 'i')],
  ['article', new RegExp(`^(?:article|artikel|art\\.|§)\\s*${count}`, 'i')],
];
const counted = /^\(?((?:\d{1,3}|[A-Za-z]|[IVXLC]{1,7}|[ivxlc]{1,7})(?:\.\d{1,3})*)([.)]?)\)?(?=\s)/;

/** Lower-case letters and digits only, so that a bookmark and its heading may differ in spaces, dots and dashes. */
export function toPlainText(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** The numbers of headings, limited to `schemes` unless null. */
export function readNumbers(
  headings: readonly PlacedBlock[],
  schemes: readonly NumberingScheme[] | null,
): Map<Block, HeadingNumber> {
  const texts = headings.map(({ block }) => block.text.trim());
  // A single I, V or X is a Roman number only if another heading's number has several of these letters.
  const isRoman = (test: RegExp) => texts.some((text) => test.test(text));
  const roman = { upper: isRoman(/^\(?[IVX]{2,7}[.)]\s/), lower: isRoman(/^\(?[ivx]{2,7}[.)]\s/) };
  const numbers = new Map<Block, HeadingNumber>();
  headings.forEach(({ block }, at) => {
    const number = findNumber(texts[at] as string, roman);
    if (number && (schemes === null || schemes.includes(number.scheme))) numbers.set(block, { ...number, at });
  });
  return numbers;
}

function findNumber(text: string, roman: { upper: boolean; lower: boolean }): Omit<HeadingNumber, 'at'> | undefined {
  const name = named.find(([, test]) => test.test(text));
  if (name) return { scheme: name[0], depth: 1 };
  const match = counted.exec(text);
  if (!match) return undefined;
  const steps = (match[1] as string).split('.');
  const first = steps[0] as string;
  if (/^\d/.test(first)) return { scheme: 'arabic', depth: steps.length };
  // A letter without a dot or bracket is a word, as in "A heading".
  if (steps.length === 1 && match[2] === '') return undefined;
  const isUpper = first === first.toUpperCase();
  const isRoman =
    /^[IVXLC]+$/i.test(first) && (first.length > 1 || ((isUpper ? roman.upper : roman.lower) && /[IVX]/i.test(first)));
  if (isRoman) return { scheme: isUpper ? 'roman_u' : 'roman_l', depth: steps.length };
  return { scheme: isUpper ? 'alpha_u' : 'alpha_l', depth: steps.length };
}

/**
 * The first level of each scheme. A scheme is below schemes that start before it and continue after it, as 1. is below A. when B.
 * follows later, and level with those that end before it, as appendices A and B after chapters 1 to 9.
 */
export function assignSchemeLevels(numbers: readonly HeadingNumber[]): Map<NumberingScheme, number> {
  const spans = new Map<NumberingScheme, { first: number; last: number; min: number; max: number }>();
  for (const { scheme, depth, at } of numbers) {
    const span = spans.get(scheme);
    if (!span) spans.set(scheme, { first: at, last: at, min: depth, max: depth });
    else
      spans.set(scheme, {
        first: Math.min(span.first, at),
        last: Math.max(span.last, at),
        min: Math.min(span.min, depth),
        max: Math.max(span.max, depth),
      });
  }
  const levels = new Map<NumberingScheme, number>();
  const ordered = [...spans].toSorted((a, b) => a[1].first - b[1].first);
  for (const [scheme, { first, min }] of ordered) {
    const outer = ordered.filter(([name, other]) => other.first < first && (other.last > first || isNamed(name)));
    const below = outer.map(([name, other]) => (levels.get(name) ?? 1) + other.max);
    // Numbers that start with two steps, as 1.1 below "Chapter 1", already include the step above.
    levels.set(scheme, Math.max(1, ...below) - (min - 1));
  }
  return levels;
}

function isNamed(scheme: NumberingScheme): boolean {
  return named.some(([name]) => name === scheme);
}
