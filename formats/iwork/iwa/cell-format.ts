import { createCellFormats, type ShownValue } from '../../ooxml/xlsx/cell-format';
import { formatGeneral } from '../../ooxml/xlsx/number-format/decimal';
import { formatDate, maxPatternCharacters } from './date-format';
import { formatDuration } from './duration-format';
import type { Message } from './message';

/** Formats the values of cells that have one format, as the sheet shows them. */
export interface IwaFormat {
  number(value: number): ShownValue;
  /** `milliseconds` since 1970. */
  date(milliseconds: number): ShownValue;
  duration(seconds: number): ShownValue;
}

/** Kinds of formats that have decimal places. */
const kinds = { decimal: 256, currency: 257, percent: 258, scientific: 259, fraction: 262, customNumber: 270 } as const;
/** This number of decimal places means as many as the value has. */
const automaticPlaces = 253;
const maxPlaces = 30;
const maxCurrencyCharacters = 10;

const symbols: Readonly<Record<string, string>> = {
  EUR: '€',
  USD: '$',
  GBP: '£',
  JPY: '¥',
  CNY: '¥',
  INR: '₹',
  KRW: '₩',
};

/** Reads a format. `custom` is the format that the document's author made, if the format names one. */
export function readFormat(format: Message | undefined, custom: Message | undefined): IwaFormat {
  const code = format && buildNumberCode(format, custom);
  const formats = code === undefined ? undefined : createCellFormats(new Map([['own', code]]), ['own'], false);
  return {
    number: (value) => formats?.number(value, 0) ?? toShownValue(formatGeneral(value), value),
    date: (milliseconds) => formatDate(milliseconds, custom?.text(18) ?? format?.text(14)),
    duration: (seconds) => formatDuration(seconds, format),
  };
}

function toShownValue(text: string, value: number): ShownValue {
  return Number(text) === value ? { text } : { text, value };
}

/** Returns the format as a format code of spreadsheets; undefined if the number is shown as it is. */
function buildNumberCode(format: Message, custom: Message | undefined): string | undefined {
  const kind = format.number(1) ?? 0;
  const places = format.number(2) ?? automaticPlaces;
  const isAutomatic = places > maxPlaces;
  const fixedDecimals = places === 0 ? '' : `.${'0'.repeat(isAutomatic ? 0 : places)}`;
  const decimals = isAutomatic ? '.##########' : fixedDecimals;
  const whole = format.number(5) === 1 ? '#,##0' : '0';
  const number = whole + decimals;
  if (kind === kinds.decimal) return isAutomatic && whole === '0' ? undefined : addNegative(number, format);
  if (kind === kinds.percent) return addNegative(`${number}%`, format);
  if (kind === kinds.scientific) return `0${decimals}E+00`;
  if (kind === kinds.fraction) return formatFractionCode(format.number(11) ?? 1);
  if (kind === kinds.currency) {
    const currency = (format.text(3) ?? '').slice(0, maxCurrencyCharacters);
    const symbol = symbols[currency] ?? (currency === '' ? '' : `${currency} `);
    return addNegative(`"${symbol}"${number}`, format);
  }
  return kind === kinds.customNumber ? buildCustomCode(custom) : undefined;
}

/** Negative numbers are in parentheses, red without a sign, or signed. */
function addNegative(code: string, format: Message): string {
  const style = format.number(4) ?? 0;
  return style >= 2 ? `${code};(${code})` : code;
}

/** The accuracy is a denominator, or the number of its digits as a negative 32-bit integer. */
function formatFractionCode(accuracy: number): string {
  const digits = accuracy > 0x7fffffff ? 2 ** 32 - (accuracy % 2 ** 32) : 0;
  if (digits > 0) return `# ${'?'.repeat(Math.min(digits, 3))}/${'?'.repeat(Math.min(digits, 3))}`;
  return `# ?/${accuracy}`;
}

/** Quotes of literal text are double in format codes; the currency sign stands for the symbol. */
function buildCustomCode(custom: Message | undefined): string | undefined {
  const pattern = custom?.text(18) ?? '';
  if (!/[#0]/.test(pattern) || pattern.length > maxPatternCharacters) return undefined;
  return pattern.replaceAll('"', '').replace(/'([^']*)'/g, (_, text: string) => (text === '' ? "\\'" : `"${text}"`));
}
