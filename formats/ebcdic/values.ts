import { decodeEbcdic } from './code-page';
import type { Field, FieldType } from './layout';

/** Returns the text of a field. An invalid number is returned as its bytes in hexadecimal. */
export function readValue(bytes: Buffer, { type, scale }: Field, codePage: string): string {
  if (type === 'text') return decodeEbcdic(bytes, codePage).replaceAll('\0', '').trim();
  // A record of variable length may end before the field.
  if (bytes.length === 0) return '';
  const value = numberReaders[type](bytes);
  return value === undefined ? bytes.toString('hex') : applyScale(value, scale);
}

/** Reads two digits per byte. The last half byte is the sign: D or B for negative numbers. */
function readPacked(bytes: Buffer): bigint | undefined {
  const text = bytes.toString('hex');
  const digits = text.slice(0, -1);
  const sign = text.at(-1)!;
  if (!/^\d*$/.test(digits) || /\d/.test(sign)) return undefined;
  const value = BigInt(digits || '0');
  return sign === 'd' || sign === 'b' ? -value : value;
}

/** Reads one digit in the lower half of each byte. The upper half of the last byte is the sign. */
function readZoned(bytes: Buffer): bigint | undefined {
  const text = bytes.toString('hex');
  const digits = Array.from(text)
    .filter((_, at) => at % 2 === 1)
    .join('');
  if (!/^\d+$/.test(digits)) return undefined;
  const sign = text.at(-2);
  return sign === 'd' || sign === 'b' ? -BigInt(digits) : BigInt(digits);
}

function readUnsigned(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`);
}

/** Readers of numbers; undefined for invalid ones. */
const numberReaders: Readonly<Record<Exclude<FieldType, 'text'>, (bytes: Buffer) => bigint | undefined>> = {
  packed_decimal: readPacked,
  zoned_decimal: readZoned,
  integer: (bytes) => BigInt.asIntN(bytes.length * 8, readUnsigned(bytes)),
  unsigned_integer: readUnsigned,
  skip: () => undefined,
};

function applyScale(value: bigint, scale: number): string {
  if (scale === 0) return String(value);
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
