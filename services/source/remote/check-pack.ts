import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { inflateSync } from 'node:zlib';
import { AppError } from '../../../model/errors';
import {
  createBrokenError,
  createTooLargeError,
  type PackedObject,
  readByte,
  readSize,
  refuseRepeatedNames,
} from './pack-names';

/** Limits for the unpacked content of a pack. */
export interface PackLimits {
  objectBytes: number;
  totalBytes: number;
  /** Total bytes to unpack when every delta rebuilds its chain of bases from the start. */
  workBytes: number;
  /** The library keeps some facts of each object in memory. */
  objects: number;
}

/** Limit of the lines of an answer: each becomes a buffer of its own, however short it is. */
const maxLines = 1_000_000;

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
  if (count > limits.objects) throw createTooLargeError();
  /** What is unpacked to make the object at a position. */
  const workByStart = new Map<number, number>();
  const objects: PackedObject[] = [];
  let position = packHeaderBytes;
  let total = 0;
  let work = 0;
  for (let number = 0; number < count; number += 1) {
    if (number % objectsPerPause === 0) {
      await yieldToOthers();
      signal.throwIfAborted();
    }
    const { next, ...header } = readHeader(pack, position);
    const { type, size, base } = header;
    // The library would follow a delta of itself without end.
    const baseWork = base === undefined ? 0 : workByStart.get(base);
    if (baseWork === undefined) throw createBrokenError();
    if (size > limits.objectBytes || total + size > limits.totalBytes) throw createTooLargeError();
    const { bytes, end } = inflate(pack, next, size);
    const isDelta = type === offsetDelta || type === referenceDelta;
    // A delta begins with the size of its base and the size of its result.
    const resultSize = isDelta ? readSize(bytes, readSize(bytes, 0).next).size : 0;
    total += size + resultSize;
    work += baseWork + size + resultSize;
    if (resultSize > limits.objectBytes || total > limits.totalBytes || work > limits.workBytes)
      throw createTooLargeError();
    workByStart.set(position, baseWork + size + resultSize);
    objects.push({
      ...header,
      position,
      unpackedBytes: size + resultSize,
      content: () => inflate(pack, next, size).bytes,
    });
    position = end;
  }
  if (objects.some(({ baseName }) => baseName !== undefined))
    await refuseRepeatedNames(objects, limits.workBytes, signal);
}

/** Throws INVALID_RESPONSE for a list of branches with more lines than can be read in a few seconds. */
export function checkLines(answer: Buffer): void {
  for (const _line of iterateLines(answer));
}

/** The pack inside the protocol lines, with or without side bands; empty if there is none. */
function extractPack(answer: Buffer): Buffer {
  const parts: Buffer[] = [];
  let end = 0;
  for (const { at, length } of iterateLines(answer)) {
    // The library would go on at another place than the next line.
    if (length > 0 && length < 4) throw createBrokenError();
    // Band 1 is the pack; the others are messages.
    if (length > 4 && answer[at + 4] === 1) parts.push(answer.subarray(at + 5, at + length));
    end = at + Math.max(4, length);
  }
  // With two packs, the library might read the other one.
  if (answer.toString('latin1', end, end + 4) === 'PACK' && parts.length === 0) return answer.subarray(end);
  if (end + 4 <= answer.length) throw createBrokenError();
  return Buffer.concat(parts);
}

/**
 * The answer without the messages of the server about its progress (band 2), in which the library would search for numbers, in
 * a time that grows with the cube of their length. Throws EXTERNAL_SERVICE_ERROR for the message of a failure (band 3).
 */
export function omitMessages(answer: Buffer): Buffer {
  const kept: Buffer[] = [];
  let end = 0;
  for (const { at, length } of iterateLines(answer)) {
    const band = length > 4 ? answer[at + 4] : undefined;
    if (band === 3)
      throw new AppError('EXTERNAL_SERVICE_ERROR', 'The git server ended its answer with the message of a failure.');
    end = at + Math.max(4, length);
    if (band !== 2) kept.push(answer.subarray(at, end));
  }
  return Buffer.concat([...kept, answer.subarray(end)]);
}

/** The protocol lines up to the first bytes that are none. */
function* iterateLines(answer: Buffer): Generator<{ at: number; length: number }> {
  for (let at = 0, lines = 1; at + 4 <= answer.length; lines += 1) {
    const prefix = answer.toString('latin1', at, at + 4);
    if (!/^[0-9a-f]{4}$/i.test(prefix)) return;
    if (lines > maxLines) throw createBrokenError();
    const length = Number.parseInt(prefix, 16);
    yield { at, length };
    at += Math.max(4, length);
  }
}

interface Header extends Pick<PackedObject, 'type' | 'base' | 'baseName'> {
  size: number;
  /** Where the compressed bytes start. */
  next: number;
}

function readHeader(pack: Buffer, start: number): Header {
  const first = readByte(pack, start);
  const type = (first >> 4) & 7;
  const rest = first & 0x80 ? readSize(pack, start + 1) : { size: 0, next: start + 1 };
  const size = (first & 15) + rest.size * 16;
  if (type === referenceDelta) {
    const next = rest.next + referenceBytes;
    return { type, size, next, baseName: pack.toString('hex', rest.next, next) };
  }
  if (type !== offsetDelta) return { type, size, next: rest.next };
  const { distance, next } = readDistance(pack, rest.next);
  return { type, size, next, base: start - distance };
}

/** Reads a number with seven bits per byte, the highest first, of which each byte but the last adds one. */
function readDistance(pack: Buffer, start: number): { distance: number; next: number } {
  let distance = -1;
  for (let at = start; ; at += 1) {
    const byte = readByte(pack, at);
    distance = (distance + 1) * 128 + (byte & 0x7f);
    if (!(byte & 0x80)) return { distance, next: at + 1 };
    if (distance > pack.length) throw createBrokenError();
  }
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
