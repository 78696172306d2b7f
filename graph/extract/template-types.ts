import { findDate, findDecimal } from './fit-answer';

type ValueType = 'bool' | 'date' | 'datetime' | 'decimal' | 'int' | 'str';

const money =
  /^(?:[A-Z]{1,3}\$|[A-Z]{3}|\p{Sc})?\s*[-+\u2212]?\d{1,3}(?:[.,' \u00a0]?\d{3})*(?:[.,]\d+)?\s*(?:[A-Z]{3}|\p{Sc}|%)?$/u;
const time = /\d[T ](?!00:00(?::00)?(?:\D|$))\d\d?:\d\d/;

/** The type of a value as written. A number with leading zeros or of more than nine digits is a code, which is text. */
export function detectTextType(text: string): ValueType {
  const value = text.trim();
  if (/^(?:yes|no|true|false)$/i.test(value)) return 'bool';
  if (findDate(value) !== undefined) return time.test(value) ? 'datetime' : 'date';
  if (/^-?[1-9]\d{0,8}$|^0$/.test(value)) return 'int';
  if (/^0\d|^\d{10,}$/.test(value) || !money.test(value)) return 'str';
  return findDecimal(value) === undefined ? 'str' : 'decimal';
}

/** Names of fields whose digits identify, so that nobody adds them up. */
const codes =
  /(?:^|_)(?:tel|telephone|phone|fax|mobile|zip|postcode|postal|account|iban|ssn|barcode|serial|no|nr|number|code|id|key|ref|reference)(?:_|$)/;

/** The type that all values of a field have; empty values do not count. Integers and fractions together are decimal. */
export function detectFieldType(name: string, values: readonly string[]): ValueType {
  const types = new Set(values.filter((value) => value.trim() !== '').map(detectTextType));
  if (types.size === 2 && types.has('int') && types.has('decimal')) return 'decimal';
  const [only = 'str'] = types;
  if (types.size > 1 || (codes.test(name) && (only === 'int' || only === 'decimal'))) return 'str';
  return only;
}
