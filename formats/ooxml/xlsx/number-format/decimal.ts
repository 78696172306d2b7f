/** A number as its significant digits: 0.DIGITS × 10^point. */
export interface Decimal {
  digits: string;
  point: number;
}

/** Returns the up to 15 significant digits that spreadsheets keep of a number, without its sign and trailing zeros. */
export function parseDecimal(value: number): Decimal {
  const size = Math.abs(value);
  if (size === 0) return { digits: '', point: 0 };
  const [mantissa = '', exponent = '0'] = size.toExponential(14).split('e');
  return { digits: mantissa.replace('.', '').replace(/0+$/, ''), point: Number(exponent) + 1 };
}

/** Rounds half up to a number of decimal places, based on the decimal digits, as spreadsheets do. */
export function roundDecimal({ digits, point }: Decimal, places: number): Decimal {
  const digitCount = point + places;
  if (digitCount >= digits.length) return { digits, point };
  if (digitCount < 0) return { digits: '', point: 0 };
  const roundsUp = digits[digitCount]! >= '5';
  if (!roundsUp) return { digits: digits.slice(0, digitCount).replace(/0+$/, ''), point };
  let at = digitCount - 1;
  // 0.1299 rounds to 0.13: the carry passes nines.
  while (at >= 0 && digits[at] === '9') at -= 1;
  if (at < 0) return { digits: '1', point: point + 1 };
  return { digits: digits.slice(0, at) + String.fromCharCode(digits.charCodeAt(at) + 1), point };
}

/** Returns the digits before the decimal point without leading zeros, and those after it without trailing zeros. */
export function splitDecimal({ digits, point }: Decimal): { whole: string; fraction: string } {
  if (digits === '') return { whole: '', fraction: '' };
  if (point <= 0) return { whole: '', fraction: '0'.repeat(-point) + digits };
  return { whole: digits.slice(0, point).padEnd(point, '0'), fraction: digits.slice(point) };
}

/** Maximum number of characters in the format `General`: digits and decimal point. */
const generalWidth = 11;
/** Spreadsheets use powers of ten from here on. Identifiers and sums below it keep all their digits. */
const generalLimit = 1e15;

/** Formats a number in the format `General` for a wide cell. */
export function formatGeneral(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  const sign = value < 0 ? '-' : '';
  if (size < generalLimit && Number.isInteger(value)) return sign + String(size);
  const decimal = parseDecimal(value);
  if (size >= generalLimit || size < 1e-9 || (size < 1e-4 && decimal.digits.length - decimal.point > generalWidth - 2))
    return sign + formatScientific(size);
  const { whole } = splitDecimal(decimal);
  const rounded = splitDecimal(roundDecimal(decimal, Math.max(0, generalWidth - 1 - Math.max(1, whole.length))));
  return `${sign}${rounded.whole || '0'}${rounded.fraction === '' ? '' : `.${rounded.fraction}`}`;
}

function formatScientific(size: number): string {
  const [mantissa = '', exponent = ''] = size.toExponential(5).split('e');
  const power = exponent.slice(1).padStart(2, '0');
  return `${mantissa.replace(/\.?0+$/, '')}E${exponent[0]}${power}`;
}
