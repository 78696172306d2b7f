import type { Section, Token } from './code';
import { type Decimal, parseDecimal, formatGeneral, splitDecimal, roundDecimal } from './decimal';

/** Formats a number without its sign by a section of a format code. */
export function writeNumber({ tokens }: Section, value: number): string {
  if (tokens.some(({ kind }) => kind === 'general')) {
    return tokens.map(({ kind, text }) => (kind === 'general' ? formatGeneral(value) : text)).join('');
  }
  const slash = tokens.findIndex(({ kind }) => kind === 'slash');
  if (slash > 0 && tokens[slash - 1]!.kind === 'digit') return writeFraction(tokens, slash, value);
  return writeDecimal(tokens, value);
}

function writeDecimal(tokens: readonly Token[], value: number): string {
  const exponent = tokens.findIndex(({ kind }) => kind === 'exponent');
  const mantissa = exponent < 0 ? tokens : tokens.slice(0, exponent);
  const lastDigit = mantissa.findLastIndex(({ kind }) => kind === 'digit');
  const point = mantissa.findIndex(({ kind }) => kind === 'point');
  const wholeEnd = point < 0 ? mantissa.length : point;
  const isThousands = mantissa.some(
    ({ kind }, at) => kind === 'comma' && at < wholeEnd && isBetweenDigits(mantissa, at, wholeEnd),
  );
  // Each comma after the last digit placeholder divides by a thousand.
  const scale =
    2 * countTokens(tokens, 'percent') -
    3 * mantissa.filter(({ kind }, at) => kind === 'comma' && at > lastDigit).length;
  const places = mantissa.filter(({ kind }, at) => kind === 'digit' && at > wholeEnd).length;
  const wholePlaces = mantissa.filter(({ kind }, at) => kind === 'digit' && at < wholeEnd).length;
  let decimal: Decimal = parseDecimal(value);
  if (decimal.digits !== '') decimal = { ...decimal, point: decimal.point + scale };
  let power = 0;
  if (exponent >= 0) ({ decimal, power } = normalize(decimal, Math.max(1, wholePlaces), places));
  const { whole, fraction } = splitDecimal(roundDecimal(decimal, places));
  const text = fillPlaceholders(mantissa, { whole, fraction, wholeEnd, wholePlaces, isThousands });
  if (exponent < 0) return text;
  const digits = countTokens(tokens.slice(exponent), 'digit');
  const sign = power < 0 ? '-' : tokens[exponent]!.text === '+' ? '+' : '';
  const after = tokens.slice(exponent + 1).filter(({ kind }) => kind === 'literal');
  return `${text}E${sign}${String(Math.abs(power)).padStart(digits, '0')}${after.map((token) => token.text).join('')}`;
}

function countTokens(tokens: readonly Token[], kind: Token['kind']): number {
  return tokens.filter((token) => token.kind === kind).length;
}

function isBetweenDigits(tokens: readonly Token[], at: number, end: number): boolean {
  const before = tokens.slice(0, at).some(({ kind }) => kind === 'digit');
  return before && tokens.slice(at + 1, end).some(({ kind }) => kind === 'digit');
}

/** Returns the mantissa and power of ten. With several places before the point, the power is a multiple of their number. */
function normalize(decimal: Decimal, wholePlaces: number, places: number): { decimal: Decimal; power: number } {
  if (decimal.digits === '') return { decimal, power: 0 };
  const computePower = ({ point }: Decimal) => Math.floor((point - 1) / wholePlaces) * wholePlaces;
  let power = computePower(decimal);
  const rounded = roundDecimal({ ...decimal, point: decimal.point - power }, places);
  // 9.99 may have become 10.0.
  if (rounded.point > wholePlaces) power += wholePlaces;
  return { decimal: { ...decimal, point: decimal.point - power }, power };
}

interface DigitGroups {
  whole: string;
  fraction: string;
  /** Index of the decimal point among the tokens. */
  wholeEnd: number;
  wholePlaces: number;
  isThousands: boolean;
}

/** Fills the placeholders with digits. Excess digits go before the first placeholder. */
function fillPlaceholders(
  tokens: readonly Token[],
  { whole, fraction, wholeEnd, wholePlaces, isThousands }: DigitGroups,
): string {
  /** Places from the decimal point to the left, of the next placeholder before it. */
  let place = wholePlaces;
  let fractionAt = 0;
  let text = '';
  let hasWritten = false;
  const write = (digits: string, fromRight: number) => {
    for (let at = 0; at < digits.length; at += 1) {
      const placesLeft = fromRight - at;
      text += digits[at];
      hasWritten = true;
      if (isThousands && placesLeft > 1 && placesLeft % 3 === 1) text += ',';
    }
  };
  for (const [at, { kind, text: sign }] of tokens.entries()) {
    if (kind === 'digit' && at < wholeEnd) {
      const isFirst = place === wholePlaces;
      if (isFirst && whole.length > wholePlaces) write(whole.slice(0, whole.length - wholePlaces), whole.length);
      if (place <= whole.length) write(whole[whole.length - place]!, place);
      else if (sign === '0') write('0', place);
      place -= 1;
    } else if (kind === 'digit') {
      const digit = fraction[fractionAt] ?? (sign === '0' ? '0' : '');
      fractionAt += 1;
      text += digit;
    } else if (kind === 'point') {
      if (wholePlaces === 0 && !hasWritten) text += whole;
      const hasFraction =
        fraction !== '' || tokens.slice(at + 1).some((token) => token.kind === 'digit' && token.text === '0');
      // Unlike spreadsheets, writes no point after an integer with `#.##`, because it means nothing to readers.
      if (hasFraction) text += '.';
    } else if (kind === 'percent' || kind === 'literal' || kind === 'slash') text += sign;
  }
  return text;
}

/** Writes a fraction for codes such as `# ?/?` or `# ??/16`. */
function writeFraction(tokens: readonly Token[], slash: number, value: number): string {
  let from = slash;
  while (tokens[from - 1]?.kind === 'digit') from -= 1;
  let to = slash + 1;
  while (tokens[to] && (tokens[to]!.kind === 'digit' || /^\d$/.test(tokens[to]!.text))) to += 1;
  const below = tokens.slice(slash + 1, to).map(({ text }) => text);
  const before = tokens.slice(0, from);
  const hasWhole = before.some(({ kind }) => kind === 'digit');
  const after = tokens.slice(to).map(({ kind, text }) => (kind === 'literal' ? text : ''));
  const size = Math.abs(value);
  // `# ??/16` fixes the denominator; placeholders only limit its digits.
  let whole = hasWhole ? Math.floor(size) : 0;
  const fixed = Number(below.join('').replaceAll(/\D/g, ''));
  let { numerator, denominator } = fixed
    ? { numerator: Math.round((size - whole) * fixed), denominator: fixed }
    : approximateFraction(size - whole, 10 ** Math.min(below.length, 4) - 1);
  if (hasWhole && numerator === denominator) [whole, numerator] = [whole + 1, 0];
  const head = before.filter(({ kind }) => kind === 'literal').map(({ text }) => text);
  const fraction = numerator === 0 && hasWhole ? '' : `${numerator}/${denominator}`;
  const number = hasWhole && (whole > 0 || fraction === '') ? `${whole}${fraction === '' ? '' : ' '}` : '';
  return `${head.join('').trim()}${number}${fraction}${after.join('')}`;
}

/** Returns the fraction nearest to a number between 0 and 1. */
function approximateFraction(value: number, maxDenominator: number): { numerator: number; denominator: number } {
  let best = { numerator: Math.round(value), denominator: 1 };
  let error = Math.abs(value - best.numerator);
  for (let denominator = 2; denominator <= maxDenominator && error > 1e-12; denominator += 1) {
    const numerator = Math.round(value * denominator);
    const off = Math.abs(value - numerator / denominator);
    if (off < error - 1e-15) [best, error] = [{ numerator, denominator }, off];
  }
  return best;
}
