import { AppError } from '../../model/errors';

/** Reads numbers and texts one after another. Throws DOCUMENT_CORRUPT at the end of the bytes. */
export interface Cursor {
  take(length: number): Buffer;
  /** Reads a number of this many bytes, the highest first. */
  number(bytes: 1 | 2 | 3 | 4): number;
  /** Reads a number of two bytes to which 32,768 was added. */
  offset(): number;
  /** Reads the text up to the next zero byte. */
  text(): string;
  isAtEnd(): boolean;
}

/** `part` names the part of the file in messages: `The outline`. */
export function createCursor(data: Buffer, part: string): Cursor {
  let at = 0;
  const take = (length: number): Buffer => {
    if (at + length > data.length) throw new AppError('DOCUMENT_CORRUPT', `${part} is cut off.`);
    at += length;
    return data.subarray(at - length, at);
  };
  const readNumber = (bytes: 1 | 2 | 3 | 4): number => take(bytes).readUIntBE(0, bytes);
  return {
    take,
    number: readNumber,
    offset: () => readNumber(2) - 0x8000,
    text() {
      const end = data.indexOf(0, at);
      const text = take((end === -1 ? data.length : end) - at).toString('utf8');
      if (end !== -1) at += 1;
      return text;
    },
    isAtEnd: () => at >= data.length,
  };
}
