import { AppError } from '../../model/errors';
import { createZpDecoder, type ZpDecoder } from './zp-decoder';

/** The largest block of the format. */
const maxBlockSize = 4 * 1024 * 1024;
const contextCount = 262;
const endMark = 256;
/** Frequencies beyond this are scaled down. */
const maxFrequency = 0x10000000;

/**
 * Expands a BZZ stream (DjVu 3 specification, appendix 4). `take` is called with the size of each block before it is expanded,
 * and throws if the limit is exceeded. Throws DOCUMENT_CORRUPT for damaged streams.
 */
export function expandBzz(bytes: Uint8Array, take: (size: number) => void): Buffer {
  const decoder = createZpDecoder(bytes);
  const states = new Uint8Array(contextCount);
  const blocks: Uint8Array[] = [];
  for (;;) {
    const size = readPlainNumber(decoder, 24);
    if (size === 0) return Buffer.concat(blocks);
    if (size > maxBlockSize) throw createDamagedError();
    take(size);
    blocks.push(expandBlock(decoder, states, size));
  }
}

function createDamagedError(): AppError {
  return new AppError('DOCUMENT_CORRUPT', 'A compressed part is damaged.');
}

function readPlainNumber(decoder: ZpDecoder, bits: number): number {
  let value = 0;
  for (let index = 0; index < bits; index += 1) value = value * 2 + decoder.plainBit();
  return value;
}

/** Decodes the transformed bytes of a block, moving recent and frequent bytes to the front of the list of bytes. */
function expandBlock(decoder: ZpDecoder, states: Uint8Array, size: number): Uint8Array {
  const speed = decoder.plainBit() === 0 ? 0 : 1 + decoder.plainBit();
  const list = Uint8Array.from({ length: 256 }, (_, index) => index);
  const frequencies = [0, 0, 0, 0];
  const block = new Uint8Array(size);
  let place = 3;
  let marker = -1;
  /** Grows with every byte, so that recent bytes count more. */
  let gain = 4;
  for (let at = 0; at < size; at += 1) {
    place = readPlace(decoder, states, Math.min(place, 2));
    if (place === endMark) {
      if (marker !== -1) throw createDamagedError();
      marker = at;
      continue;
    }
    const byte = list[place]!;
    block[at] = byte;
    gain += gain >> speed;
    if (gain > maxFrequency) {
      gain >>= 24;
      for (let index = 0; index < 4; index += 1) frequencies[index]! >>= 24;
    }
    const frequency = gain + (frequencies[place] ?? 0);
    let to = place;
    if (to > 3) {
      list.copyWithin(4, 3, to);
      to = 3;
    }
    for (; to > 0 && frequency >= frequencies[to - 1]!; to -= 1) {
      list[to] = list[to - 1]!;
      frequencies[to] = frequencies[to - 1]!;
    }
    list[to] = byte;
    frequencies[to] = frequency;
  }
  if (marker === -1) throw createDamagedError();
  return invertTransform(block, marker);
}

/** Reads the place of the next byte in the list: 0, 1, or a number of 1 to 7 bits. `last` is the previous place, at most 2. */
function readPlace(decoder: ZpDecoder, states: Uint8Array, last: number): number {
  if (decoder.bit(states, last) === 1) return 0;
  if (decoder.bit(states, 3 + last) === 1) return 1;
  let context = 6;
  for (let bits = 1; bits <= 7; bits += 1) {
    const minValue = 1 << bits;
    if (decoder.bit(states, context) === 1) {
      let value = 1;
      while (value < minValue) value = value * 2 + decoder.bit(states, context + value);
      return value;
    }
    context += minValue;
  }
  return endMark;
}

/** Inverts the Burrows-Wheeler transform. The end of the block sorts before all bytes. */
function invertTransform(block: Uint8Array, marker: number): Uint8Array {
  const ranks = new Uint32Array(block.length);
  const starts = new Uint32Array(256);
  for (let at = 0; at < block.length; at += 1) {
    if (at === marker) continue;
    ranks[at] = starts[block[at]!]!;
    starts[block[at]!]! += 1;
  }
  let next = 1;
  for (let byte = 0; byte < 256; byte += 1) {
    const count = starts[byte]!;
    starts[byte] = next;
    next += count;
  }
  const bytes = new Uint8Array(block.length - 1);
  let from = 0;
  for (let at = bytes.length - 1; at >= 0; at -= 1) {
    if (from === marker) throw createDamagedError();
    const byte = block[from]!;
    bytes[at] = byte;
    from = starts[byte]! + ranks[from]!;
  }
  if (from !== marker) throw createDamagedError();
  return bytes;
}
