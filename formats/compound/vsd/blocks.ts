import { AppError } from '../../../model/errors';

/** A pointer to a block of the stream `VisioDocument`. */
export interface Pointer {
  type: number;
  /** Position in its list, by which shapes and masters refer to each other. */
  index: number;
  offset: number;
  length: number;
  format: number;
}

/** Reads blocks of the stream, with a limit for the bytes of all of them. */
export interface Blocks {
  /** Version of the file format: 11 since Visio 2003. */
  version: number;
  trailer: Pointer;
  read(pointer: Pointer): Buffer;
  /** Returns the pointers inside a block; empty if it has none. */
  list(pointer: Pointer): Pointer[];
}

/** Types of blocks and chunks that the reader uses. */
export const part = {
  foreignData: 0x0c,
  text: 0x0e,
  page: 0x15,
  stencils: 0x1d,
  stencil: 0x1e,
  pages: 0x27,
  name: 0x2d,
  pageSheet: 0x46,
  group: 0x47,
  shape: 0x48,
  foreign: 0x4e,
  pageSize: 0x92,
  transform: 0x9b,
  field: 0xa1,
} as const;

/** Offsets in the stream, and the size of a pointer in bytes. */
const [versionAt, trailerAt, pointerLength] = [0x1a, 0x24, 18];
const isCompressed = ({ format }: Pointer) => (format & 2) !== 0;
const maxPointers = 100_000;

/** Opens the stream. Throws DOCUMENT_CORRUPT if it is cut off before its first pointer. */
export function openBlocks(stream: Buffer, name: string, maxBytes: number): Blocks {
  const isWhole = stream.length >= trailerAt + pointerLength && stream.toString('latin1', 0, 10) === 'Visio (TM)';
  if (!isWhole) throw new AppError('DOCUMENT_CORRUPT', `'${name}' is not a Visio drawing, or is cut off.`);
  let remainingBytes = maxBytes;
  let remainingPointers = maxPointers;
  const read = (pointer: Pointer): Buffer => {
    const stored = stream.subarray(pointer.offset, pointer.offset + pointer.length);
    const block = isCompressed(pointer) ? unpack(stored, remainingBytes) : stored;
    remainingBytes -= block.length;
    if (remainingBytes < 0)
      throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' expands to more than ${maxBytes} bytes.`);
    return block;
  };
  const list = (pointer: Pointer): Pointer[] => {
    if (!hasPointers(pointer)) return [];
    const pointers = readPointers(read(pointer), isCompressed(pointer) ? 4 : 0);
    remainingPointers -= pointers.length;
    if (remainingPointers < 0)
      throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has more than ${maxPointers} parts.`);
    return pointers;
  };
  return { version: stream[versionAt]!, trailer: readPointer(stream, trailerAt, 0), read, list };
}

/** True if the block lists pointers; else it consists of chunks or of one value. */
export function hasPointers({ format }: Pointer): boolean {
  return format >> 4 === 5;
}

function readPointer(data: Buffer, at: number, index: number): Pointer {
  const [type, offset, length] = [0, 8, 12].map((field) => data.readUInt32LE(at + field));
  return { type: type!, index, offset: offset!, length: length!, format: data.readUInt16LE(at + 16) };
}

/** Reads the list of pointers in a block, which begins with the offset of the list. */
function readPointers(block: Buffer, start: number): Pointer[] {
  if (block.length < start + 4) return [];
  const at = block.readUInt32LE(start) + start - 4;
  if (at < 0 || at + 12 > block.length) return [];
  const maxCount = Math.floor((block.length - at - 12) / pointerLength);
  const count = Math.min(block.readUInt32LE(at + 4), maxCount);
  const pointers = Array.from({ length: count }, (_, index) =>
    readPointer(block, at + 12 + index * pointerLength, index),
  );
  return pointers.filter(({ type, length }) => type !== 0 && length > 0);
}

const windowLength = 4096;

/** Expands a block: after each byte of eight flags come single bytes, and copies of bytes of the last 4,096. */
function unpack(stored: Buffer, maxBytes: number): Buffer {
  const output = createOutput(stored.length);
  let at = 0;
  while (at < stored.length) {
    if (output.length() > maxBytes) break;
    const flags = stored[at++]!;
    for (let bit = 0; bit < 8 && at < stored.length; bit += 1) {
      if ((flags >> bit) & 1) {
        output.put(stored[at++]!);
        continue;
      }
      if (at + 1 >= stored.length) return output.take();
      const [low, high] = [stored[at]!, stored[at + 1]!];
      at += 2;
      // The position counts from the beginning of the window, 18 bytes before the first byte written.
      output.copy((((high & 0xf0) << 4) | low) + 18, (high & 15) + 3);
    }
  }
  return output.take();
}

/** Bytes that grow as they are written. */
function createOutput(expected: number) {
  let bytes = Buffer.alloc(expected * 4 + 64);
  let length = 0;
  const put = (byte: number): void => {
    if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.alloc(bytes.length)]);
    bytes[length++] = byte;
  };
  return {
    put,
    length: () => length,
    take: () => bytes.subarray(0, length),
    /** Repeats bytes from a position of the window on. */
    copy(from: number, count: number): void {
      const distance = (length - from) % windowLength;
      const back = distance > 0 ? distance : distance + windowLength;
      for (let index = 0; index < count; index += 1) put(length >= back ? bytes[length - back]! : 0);
    },
  };
}
