import { AppError } from '../../model/errors';

/** Creates the error for a section whose parts contradict each other. */
export function createDamage(problem: string): AppError {
  return new AppError('DOCUMENT_CORRUPT', `The OneNote section is damaged: ${problem}.`);
}

/** Reads numbers one after another. Throws DOCUMENT_CORRUPT at the end of the bytes. */
export class Cursor {
  constructor(
    readonly data: Buffer,
    public at = 0,
  ) {}

  take(length: number): Buffer {
    const end = this.at + length;
    if (length < 0 || end > this.data.length) throw createDamage('one of its parts is truncated');
    const bytes = this.data.subarray(this.at, end);
    this.at = end;
    return bytes;
  }

  isAtEnd(): boolean {
    return this.at >= this.data.length;
  }

  uint8(): number {
    return this.take(1)[0]!;
  }

  uint16(): number {
    return this.take(2).readUInt16LE(0);
  }

  uint32(): number {
    return this.take(4).readUInt32LE(0);
  }

  /** Throws DOCUMENT_CORRUPT above 2^53: no file is that long. */
  uint64(): number {
    const number = Number(this.take(8).readBigUInt64LE(0));
    if (!Number.isSafeInteger(number)) throw createDamage('a size is larger than any file');
    return number;
  }

  /** 16 bytes as hexadecimal digits in the order of the file. */
  guid(): string {
    return this.take(16).toString('hex');
  }

  /** ExtendedGUID (MS-ONESTORE 2.2.1): a GUID and a number. */
  extendedGuid(): string {
    return `${this.guid()}/${this.uint32()}`;
  }
}
