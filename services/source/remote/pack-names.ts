import { createHash } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { AppError } from '../../../model/errors';

/** An object of a pack. A delta has the position or the name of its base. */
export interface PackedObject {
  position: number;
  type: number;
  /** Its size and, for a delta, the size of its result. */
  unpackedBytes: number;
  /** Inflates the object. */
  content: () => Buffer;
  base?: number;
  baseName?: string;
}

const kinds = ['', 'commit', 'tree', 'blob', 'tag'];
/** Number of bytes that are unpacked between pauses for other work of the process, and what an object costs by itself. */
const bytesPerPause = 32 * 1024 * 1024;
const bytesPerObject = 100_000;
/** git makes chains of up to 4,095 deltas. */
const maxDepth = 5_000;
/** A delta may come before the object that it names. */
const maxPasses = 100;

/**
 * Throws INVALID_RESPONSE if two objects have the same name. The library finds the base of a delta by its name, and would go from the
 * one to the other without end. Throws SOURCE_TOO_LARGE if more than `maxWork` bytes are unpacked for it. Ignores objects whose
 * base is missing, like the library.
 */
export async function refuseRepeatedNames(
  objects: readonly PackedObject[],
  maxWork: number,
  signal: AbortSignal,
): Promise<void> {
  const byPosition = new Map(objects.map((object) => [object.position, object]));
  const byName = new Map<string, PackedObject>();
  let waiting = objects;
  let work = 0;
  let sincePause = 0;
  for (let pass = 0; waiting.length > 0; pass += 1) {
    if (pass === maxPasses) throw createBrokenError();
    const left: PackedObject[] = [];
    for (const object of waiting) {
      sincePause += bytesPerObject;
      if (sincePause > bytesPerPause) {
        sincePause = 0;
        await yieldToOthers();
        signal.throwIfAborted();
      }
      const chain = findChain(object, byPosition, byName);
      if (!chain) {
        left.push(object);
        continue;
      }
      const chainBytes = chain.reduce((sum, { unpackedBytes }) => sum + unpackedBytes, 0);
      work += chainBytes;
      sincePause += chainBytes;
      if (work > maxWork) throw createTooLargeError();
      const name = computeName(chain);
      if (byName.has(name)) throw createBrokenError();
      byName.set(name, object);
    }
    if (left.length === waiting.length) return;
    waiting = left;
  }
}

/** The object and the bases that it needs, down to one that is no delta; undefined if a base is not known yet. */
function findChain(
  object: PackedObject,
  byPosition: ReadonlyMap<number, PackedObject>,
  byName: ReadonlyMap<string, PackedObject>,
): PackedObject[] | undefined {
  const chain = [object];
  for (let current = object; current.base !== undefined || current.baseName !== undefined;) {
    const base = current.base === undefined ? byName.get(current.baseName ?? '') : byPosition.get(current.base);
    if (!base) return undefined;
    if (chain.length > maxDepth) throw createBrokenError();
    chain.push(base);
    current = base;
  }
  return chain;
}

function computeName(chain: readonly PackedObject[]): string {
  const [full, ...deltas] = chain.toReversed();
  let bytes = full?.content() ?? Buffer.alloc(0);
  for (const { content } of deltas) bytes = applyDelta(bytes, content());
  const head = `${kinds[full?.type ?? 0]} ${bytes.length}\0`;
  return createHash('sha1').update(head).update(bytes).digest('hex');
}

/** The format of deltas: https://git-scm.com/docs/pack-format#_deltified_representation. */
function applyDelta(base: Buffer, delta: Buffer): Buffer {
  const { size: baseSize, next } = readSize(delta, 0);
  const { size, next: first } = readSize(delta, next);
  const result = Buffer.alloc(size);
  let end = 0;
  for (let at = first; at < delta.length;) {
    const command = readByte(delta, at);
    at += 1;
    let [from, offset, length] = [delta, at, command];
    if (command & 0x80) {
      [from, offset, length] = [base, 0, 0];
      for (let bit = 0; bit < 7; bit += 1) {
        if (!(command & (1 << bit))) continue;
        if (bit < 4) offset += readByte(delta, at) * 256 ** bit;
        else length += readByte(delta, at) * 256 ** (bit - 4);
        at += 1;
      }
      if (length === 0) length = 0x10000;
    } else at += command;
    if (length === 0 || offset + length > from.length || end + length > size) throw createBrokenError();
    from.copy(result, end, offset, offset + length);
    end += length;
  }
  if (end !== size || base.length !== baseSize) throw createBrokenError();
  return result;
}

/** Reads a number with seven bits per byte, the lowest first. */
export function readSize(bytes: Buffer, start: number): { size: number; next: number } {
  let size = 0;
  for (let at = start, factor = 1; ; at += 1, factor *= 128) {
    const byte = readByte(bytes, at);
    size += (byte & 0x7f) * factor;
    if (!(byte & 0x80)) return { size, next: at + 1 };
    if (at - start > 8) throw createBrokenError();
  }
}

/** Throws INVALID_RESPONSE after the end. */
export function readByte(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw createBrokenError();
  return byte;
}

/** The error for an answer that is not what a git server sends. */
export function createBrokenError(cause?: unknown): AppError {
  return new AppError('INVALID_RESPONSE', 'The answer of the git server cannot be read.', {}, cause);
}

/** The error for a pack that exceeds a limit. */
export function createTooLargeError(): AppError {
  return new AppError('SOURCE_TOO_LARGE', 'The branch of the repository is larger than the limit when it is unpacked.');
}
