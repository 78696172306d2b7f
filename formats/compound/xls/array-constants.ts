import { getErrorText } from '../../ooxml/xlsx/binary-values';

/** The size of an array of constants; `next` is the position of its first value. */
interface ArraySize {
  rows: number;
  columns: number;
  next: number;
}

/** A constant as Excel writes it; undefined if it is of an unknown kind. `next` is the position after it. */
interface Constant {
  text: string | undefined;
  next: number;
}

/**
 * Reads the size of an array: one and two bytes that are one too low, or in wide formulas two numbers of 32 bits (MS-XLS 2.5.198.8,
 * MS-XLSB 2.5.98.39). An array whose values cannot all be in the data is empty.
 */
export function readArraySize(data: Buffer, at: number, isWide: boolean): ArraySize {
  if (!isWide) return { columns: data.readUInt8(at) + 1, rows: data.readUInt16LE(at + 1) + 1, next: at + 3 };
  const [rows, columns] = [data.readUInt32LE(at), data.readUInt32LE(at + 4)];
  const next = at + 8;
  const isPossible = columns * rows <= data.length - next;
  return isPossible ? { columns, rows, next } : { columns: 0, rows: 0, next };
}

/** Kinds: nothing, number, text, truth value, error (MS-XLS 2.5.192). */
export function readConstant(data: Buffer, start: number): Constant {
  const [kind, at] = [data.readUInt8(start), start + 1];
  if (kind === 2) {
    const [length, isWide] = [data.readUInt16LE(at), (data.readUInt8(at + 2) & 1) === 1];
    const next = at + 3 + length * (isWide ? 2 : 1);
    return { text: quote(data.toString(isWide ? 'utf16le' : 'latin1', at + 3, next)), next };
  }
  const next = at + 8;
  if (kind === 1) return { text: formatNumber(data.readDoubleLE(at)), next };
  if (kind === 4) return { text: formatTruth(data.readUInt8(at)), next };
  if (kind === 16) return { text: getErrorText(data.readUInt8(at)), next };
  return { text: kind === 0 ? '' : undefined, next };
}

/** Kinds: number, text, truth value, error (MS-XLSB 2.5.98.91). */
export function readWideConstant(data: Buffer, start: number): Constant {
  const [kind, at] = [data.readUInt8(start), start + 1];
  if (kind === 0) return { text: formatNumber(data.readDoubleLE(at)), next: at + 8 };
  if (kind === 1) {
    const next = at + 2 + 2 * data.readUInt16LE(at);
    return { text: quote(data.toString('utf16le', at + 2, next)), next };
  }
  if (kind === 2) return { text: formatTruth(data.readUInt8(at)), next: at + 1 };
  // Three unused bytes follow an error.
  return { text: kind === 4 ? getErrorText(data.readUInt8(at)) : undefined, next: at + 4 };
}

/** Writes a number as Excel writes it in formulas. */
export function formatNumber(value: number): string {
  return String(value).replace('e', 'E');
}

/** Writes a text as Excel writes it in formulas. */
export function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

const formatTruth = (byte: number) => (byte === 0 ? 'FALSE' : 'TRUE');
