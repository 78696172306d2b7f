/** Number format: `auto` decides by the digits, `point` is 1,234.56 and `comma` is 1.234,56. */
export type NumberFormat = 'auto' | 'point' | 'comma';

/** A number as decimal text (`-1234.56`, without redundant zeros), which keeps all digits, and the surrounding text. */
export interface FoundNumber {
  decimal: string;
  /** The text before the number, and the text after the number and its multiplier. */
  before: string;
  after: string;
}

/** Zero digits of other scripts; each is followed by its digits 1 to 9. Full-width digits are normalized earlier. */
const zeros = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040,
  0x17e0, 0x1810,
];

/** Powers of ten by multiplier word; the longest match wins. */
const multipliers: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries({
    2: 'hundred hundert cent',
    3: 'k thousand tsd tausend mille mil tys тыс thousands tusen duizend 千',
    4: '万 萬',
    5: 'lakh lakhs lac lacs',
    6: 'm mm mn mio mln million millions millionen millón millon millones milhão milhões milione milioni miljoen miljoner милн млн 百万',
    7: 'crore crores cr',
    8: '億 亿',
    9: 'b bn bil billion billions mrd milliarde milliarden milliard milliards miliardo miliardi mld miljard miljarder млрд',
    12: 't tn trillion trillions billionen 兆',
  }).flatMap(([power, words]) => words.split(' ').map((word) => [word, Number(power)])),
);
/** Two-word multipliers. */
const twoWordMultipliers: Readonly<Record<string, number>> = {
  'mil millones': 9,
  'mil milhões': 9,
  'thousand million': 9,
};

const spaces = '[ \\u00a0\\u2009\\u202f]';
/** Digits with separators: `1.234,56`, `1 234`, `12'000`. */
const token = new RegExp(`\\d(?:[\\d.,'’·]|${spaces}(?=\\d{3}(?!\\d)))*`, 'u');

/**
 * Finds the first number in a text, with any common grouping and decimal separators, sign (including parentheses and trailing
 * minus) and multiplier (`1.2 Mio.`, `5k`, `3 crore`). Undefined when there is none or the separators are inconsistent.
 * `threeAreGrouped` treats a single separator before three digits as grouping, as is usual for amounts.
 */
export function findNumber(
  value: string,
  { format = 'auto', threeAreGrouped = false }: { format?: NumberFormat; threeAreGrouped?: boolean } = {},
): FoundNumber | undefined {
  const text = toAsciiDigits(value.normalize('NFKC'));
  const match = token.exec(text);
  if (!match) return undefined;
  const digits = match[0].replace(/(?<![.,'’·])[.,'’·]+$/, '');
  const plain = toPlainDecimal(digits, format, threeAreGrouped);
  if (plain === undefined) return undefined;
  const before = text.slice(0, match.index);
  const rest = text.slice(match.index + digits.length);
  const { power, length } = readMultiplier(rest);
  const after = rest.slice(length);
  // Twenty characters are enough for a sign. With more, a long run of blanks would be read once per blank.
  const left = before.slice(-20);
  const right = after.slice(0, 20);
  const isNegative =
    /[-−–]\s*(?:[^\w\s]|[A-Z]{3})?\s*$/.test(left) ||
    (/\(\s*[^\w\s()]?\s*$/.test(left) && /^\s*[^\w\s()]?\s*\)/.test(right)) ||
    /^\s?[-−](?!\s*\d)/.test(after);
  const decimal = shiftPoint(plain, power);
  return { decimal: isNegative && decimal !== '0' ? `-${decimal}` : decimal, before, after };
}

function toAsciiDigits(text: string): string {
  return text
    .replace(/\u066b/g, '.')
    .replace(/\u066c/g, ',')
    .replace(/\p{Nd}/gu, (digit) => {
      const code = digit.codePointAt(0) ?? 0;
      const zero = zeros.find((start) => code >= start && code < start + 10);
      return zero === undefined ? digit : String(code - zero);
    });
}

/** Converts digits with separators to digits with at most one decimal point. */
function toPlainDecimal(digits: string, format: NumberFormat, threeAreGrouped: boolean): string | undefined {
  const text = digits.replace(/[\s'’·\u00a0\u2009\u202f]/g, '');
  const points = text.split('.').length - 1;
  const commas = text.split(',').length - 1;
  if (points === 0 && commas === 0) return trimZeros(text);
  const decimalMark = findDecimalMark(text, points, commas, { format, threeAreGrouped });
  if (decimalMark === undefined) return undefined;
  const [whole = '', fraction = ''] = decimalMark === '' ? [text] : text.split(decimalMark);
  const groups = whole.split(/[.,]/);
  // Groups of three, or of two before the last three as in India.
  const isGrouped = groups
    .slice(1)
    .every(({ length }, index, all) => length === 3 || (length === 2 && index < all.length - 1));
  if (!isGrouped || (groups.length > 1 && (groups[0] ?? '').length > 3)) return undefined;
  return trimZeros(`${groups.join('')}${fraction === '' ? '' : `.${fraction}`}`);
}

/** The decimal separator of digits with `points` points and `commas` commas; empty when all separators group digits; undefined when it cannot be decided. */
function findDecimalMark(
  text: string,
  points: number,
  commas: number,
  { format, threeAreGrouped }: { format: NumberFormat; threeAreGrouped: boolean },
): '.' | ',' | '' | undefined {
  if (points > 0 && commas > 0) {
    const last = text.lastIndexOf('.') > text.lastIndexOf(',') ? '.' : ',';
    return (last === '.' ? points : commas) === 1 ? last : undefined;
  }
  const mark = points > 0 ? '.' : ',';
  if (points + commas > 1) return '';
  if (format !== 'auto') {
    const decimal = format === 'point' ? '.' : ',';
    return mark === decimal ? mark : '';
  }
  const [whole = '', fraction = ''] = text.split(mark);
  if (fraction.length !== 3 || whole === '0' || whole === '' || whole.length > 3) return mark;
  return mark === ',' || threeAreGrouped ? '' : mark;
}

function readMultiplier(rest: string): { power: number; length: number } {
  const words = /^\s*(\p{L}+)\.?(?:\s+(\p{L}+))?/u.exec(rest);
  if (!words) return { power: 0, length: 0 };
  const [whole, first = '', second = ''] = words;
  const twoWordPower = twoWordMultipliers[`${first} ${second}`.toLowerCase()];
  if (twoWordPower !== undefined) return { power: twoWordPower, length: whole.length };
  const end = rest.indexOf(first) + first.length;
  const isShort = /^[kmbt]$/i.test(first);
  // `5 m` may be metres and `2 t` tonnes. One-letter multipliers must touch the number or be upper case.
  if (isShort && /^\s/.test(rest) && first !== first.toUpperCase()) return { power: 0, length: 0 };
  const power = Object.hasOwn(multipliers, first.toLowerCase()) ? (multipliers[first.toLowerCase()] ?? 0) : 0;
  return power === 0 ? { power, length: 0 } : { power, length: end };
}

/** Multiplies a decimal by a power of ten. */
function shiftPoint(decimal: string, power: number): string {
  if (power === 0) return decimal;
  const [whole = '0', fraction = ''] = decimal.split('.');
  const digits = whole + fraction.padEnd(power, '0');
  const point = whole.length + power;
  return trimZeros(`${digits.slice(0, point)}.${digits.slice(point)}`);
}

function trimZeros(decimal: string): string {
  const [whole = '', fraction = ''] = decimal.split('.');
  const left = whole.replace(/^0+(?=\d)/, '') || '0';
  const right = fraction.replace(/(?<!0)0+$/, '');
  return right === '' ? left : `${left}.${right}`;
}

/** Rounds decimal text half away from zero: `roundHalfUp('1.235', 2)` is `1.24`. */
export function roundHalfUp(decimal: string, decimals: number): string {
  const isNegative = decimal.startsWith('-');
  const [whole = '0', fraction = ''] = decimal.replace('-', '').split('.');
  const scaled =
    BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0')) +
    (Number(fraction[decimals] ?? 0) >= 5 ? 1n : 0n);
  const digits = scaled.toString().padStart(decimals + 1, '0');
  const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return isNegative && scaled !== 0n ? `-${text}` : text;
}

/** Parses an amount of any currency to decimal text with six decimals; undefined when there is no number. */
export function normalizeCurrency(text: string, format: NumberFormat = 'auto'): string | undefined {
  const parsed = findNumber(text, { format, threeAreGrouped: true });
  return parsed ? roundHalfUp(parsed.decimal, 6) : undefined;
}

/** Parses a number. A percent sign does not divide by 100. */
export function toNumber(text: string, format: NumberFormat = 'auto'): number | undefined {
  const parsed = findNumber(text, { format });
  return parsed ? Number(parsed.decimal) : undefined;
}
