import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { inflateSync } from 'node:zlib';
import { AppError } from '../../../model/errors';

/** Limits for the unpacked content of a pack. */
export interface PackLimits {
  objectBytes: number;
  totalBytes: number;
}

const offsetDelta = 6;
const referenceDelta = 7;
/** `PACK`, the version and the number of objects, four bytes each. */
const packHeaderBytes = 12;
/** The name of the object that a delta refers to: a SHA-1. */
const referenceBytes = 20;
/** Number of objects between pauses for other work of the process. */
const objectsPerPause = 200;

/**
 * Unpacks every object of an answer of `git-upload-pack` once, with limits: the library that reads the pack has none, and a
 * small pack can contain objects of any size. Throws SOURCE_TOO_LARGE, or INVALID_RESPONSE if it is not a pack.
 */
export async function checkPack(answer: Buffer, limits: PackLimits, signal: AbortSignal): Promise<void> {
  const pack = extractPack(answer);
  if (pack.length === 0) return;
  if (pack.toString('latin1', 0, 4) !== 'PACK' || pack.length < packHeaderBytes) throw createBrokenError();
  const count = pack.readUInt32BE(8);
  let position = packHeaderBytes;
  let total = 0;
  for (let number = 0; number < count; number += 1) {
    if (number % objectsPerPause === 0) {
      await yieldToOthers();
      signal.throwIfAborted();
    }
    const { type, size, next } = readHeader(pack, position);
    total += size;
    if (size > limits.objectBytes || total > limits.totalBytes) throw createTooLargeError();
    const { bytes, end } = inflate(pack, next, size);
    position = end;
    if (type !== offsetDelta && type !== referenceDelta) continue;
    // A delta begins with the size of its base and the size of its result.
    const resultSize = readSize(bytes, readSize(bytes, 0).next).size;
    total += resultSize;
    if (resultSize > limits.objectBytes || total > limits.totalBytes) throw createTooLargeError();
  }
}

/** The pack inside the protocol lines, with or without side bands; empty if there is none. */
function extractPack(answer: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at + 4 <= answer.length;) {
    const prefix = answer.toString('latin1', at, at + 4);
    if (prefix === 'PACK') return answer.subarray(at);
    if (!/^[0-9a-f]{4}$/i.test(prefix)) throw createBrokenError();
    const length = Number.parseInt(prefix, 16);
    // Band 1 is the pack; the others are messages.
    if (length > 4 && answer[at + 4] === 1) parts.push(answer.subarray(at + 5, at + length));
    at += Math.max(4, length);
  }
  return Buffer.concat(parts);
}

function readHeader(pack: Buffer, start: number): { type: number; size: number; next: number } {
  const first = readByte(pack, start);
  const type = (first >> 4) & 7;
  const rest = first & 0x80 ? readSize(pack, start + 1) : { size: 0, next: start + 1 };
  const size = (first & 15) + rest.size * 16;
  let { next } = rest;
  if (type === referenceDelta) next += referenceBytes;
  if (type === offsetDelta) {
    while (readByte(pack, next) & 0x80) next += 1;
    next += 1;
  }
  return { type, size, next };
}

/** Reads a number with seven bits per byte, the lowest first. */
function readSize(bytes: Buffer, start: number): { size: number; next: number } {
  let size = 0;
  for (let at = start, factor = 1; ; at += 1, factor *= 128) {
    const byte = readByte(bytes, at);
    size += (byte & 0x7f) * factor;
    if (!(byte & 0x80)) return { size, next: at + 1 };
    if (at - start > 8) throw createBrokenError();
  }
}

function readByte(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw createBrokenError();
  return byte;
}

/** Inflates at most the size stated in the header. */
function inflate(pack: Buffer, start: number, size: number): { bytes: Buffer; end: number } {
  try {
    const inflated = inflateSync(pack.subarray(start), { maxOutputLength: Math.max(1, size), info: true }) as unknown;
    const { buffer, engine } = inflated as { buffer: Buffer; engine: { bytesWritten: number } };
    return { bytes: buffer, end: start + engine.bytesWritten };
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? createTooLargeError()
      : createBrokenError(error);
  }
}

function createTooLargeError(): AppError {
  return new AppError('SOURCE_TOO_LARGE', 'The branch of the repository is larger than the limit when it is unpacked.');
}

function createBrokenError(cause?: unknown): AppError {
  return new AppError('INVALID_RESPONSE', 'The answer of the git server cannot be read.', {}, cause);
}
