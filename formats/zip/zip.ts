import { crc32, inflateRawSync } from 'node:zlib';
import { Inflate, inflateSync } from 'fflate';
import { AppError } from '../../model/errors';
import type { ReadLimits } from '../format';
import { decryptEntry, type EncryptedEntry } from './decrypt-entry';

/** An opened container. Entries are inflated on demand, and never beyond the limits in total. */
export interface Zip {
  /** The names of all entries as written, without folders. */
  readonly names: readonly string[];
  has(name: string): boolean;
  /** Returns the bytes of an entry; undefined if it does not exist. Matches names exactly, or else ignoring case. */
  read(name: string): Uint8Array | undefined;
  /** Returns the expanded size that the entry claims, which is not verified; undefined if it does not exist. */
  declaredSize(name: string): number | undefined;
}

/** A container in memory. */
export interface OpenedZip extends Zip {
  /**
   * Inflates an entry piece by piece. Its size does not count towards the limit of all entries. Undefined if it does not exist.
   * Throws DOCUMENT_CORRUPT, DOCUMENT_ENCRYPTED or DOCUMENT_TOO_LARGE during iteration.
   */
  pieces(name: string): Iterable<Uint8Array> | undefined;
}

interface Entry {
  name: string;
  method: number;
  isEncrypted: boolean;
  /** Undefined if the header of the entry does not contain it. */
  crc: number | undefined;
  packed: number;
  size: number;
  offset: number;
}

/** Sizes of structures without the parts of variable length (APPNOTE 4.3). */
const entryHeaderBytes = 30;
const directoryHeaderBytes = 46;
const endBytes = 22;
const end64Bytes = 56;
const locatorBytes = 20;

/** Compression methods (APPNOTE 4.4.5). */
const stored = 0;
const deflated = 8;

// Above this size, a higher compression ratio counts as a ZIP bomb: Office XML reaches about 60.
const ratioMattersFromBytes = 16 * 1024 * 1024;
const maxRatio = 400;
/** Native inflation has a higher setup cost but is faster per byte. */
const nativeFromBytes = 16 * 1024;
const utf8 = new TextDecoder();

const createCorruptError = (reason: string, cause?: unknown) =>
  new AppError('DOCUMENT_CORRUPT', `The ZIP container is damaged: ${reason}.`, {}, cause);
const createTooLargeError = (reason: string) =>
  new AppError('DOCUMENT_TOO_LARGE', `The ZIP container expands too far: ${reason}.`);

/**
 * Opens a ZIP from memory by its central directory, or by the entry headers if the directory is damaged. A damaged entry counts
 * as missing; `listDamagedEntries` names it. Throws DOCUMENT_CORRUPT, DOCUMENT_ENCRYPTED or DOCUMENT_TOO_LARGE.
 */
export function openZip(
  bytes: Uint8Array,
  limits: Pick<ReadLimits, 'maxEntries' | 'maxExpandedBytes'>,
  password?: string,
): OpenedZip {
  const entries = listEntries(bytes, limits.maxEntries);
  const byName = new Map<string, Entry>();
  const byLowerName = new Map<string, Entry>();
  for (const entry of entries) {
    byName.set(entry.name, entry);
    byLowerName.set(entry.name.toLowerCase(), entry);
  }
  const find = (name: string) => byName.get(name) ?? byLowerName.get(name.toLowerCase());
  let expanded = 0;

  function read(name: string): Uint8Array | undefined {
    const entry = find(name);
    if (entry === undefined) return undefined;
    const content = tryExpand(bytes, entry, { budget: limits.maxExpandedBytes - expanded, password });
    expanded += content?.length ?? 0;
    return content;
  }
  return {
    names: [...byName.keys()].filter((name) => !name.endsWith('/')),
    has: (name) => find(name) !== undefined,
    read,
    pieces(name) {
      const entry = find(name);
      return entry && inflatePieces(bytes, entry);
    },
    declaredSize: (name) => find(name)?.size,
  };
}

/** Damaged entries of opened containers, by the bytes of the container. */
const damaged = new WeakMap<Uint8Array, Set<string>>();

/** Returns the names of entries that were requested but could not be read completely. */
export function listDamagedEntries(bytes: Uint8Array): string[] {
  return [...(damaged.get(bytes) ?? [])];
}

function noteDamage(bytes: Uint8Array, name: string): void {
  const names = damaged.get(bytes) ?? new Set();
  damaged.set(bytes, names.add(name));
}

/** Reads the entries from the directory; if it is damaged, from the headers before the entries. */
function listEntries(bytes: Uint8Array, maxEntries: number): Entry[] {
  try {
    return readDirectory(bytes, maxEntries);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'DOCUMENT_CORRUPT') throw error;
    const entries = listEntriesByHeaders(bytes, maxEntries);
    if (entries.length === 0) throw error;
    noteDamage(bytes, 'the directory');
    return entries;
  }
}

/** Returns the content of an entry. A damaged entry counts as missing. */
function tryExpand(bytes: Uint8Array, entry: Entry, options: ExpandOptions): Uint8Array | undefined {
  try {
    return expand(bytes, entry, options);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'DOCUMENT_CORRUPT') throw error;
    noteDamage(bytes, entry.name);
    return undefined;
  }
}

/** Header flag: sizes and checksum follow the entry. */
const sizesFollow = 8;

/** Finds entries by the header before each (APPNOTE 4.3.7). An entry without a size ends where the next structure begins. */
function listEntriesByHeaders(bytes: Uint8Array, maxEntries: number): Entry[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: Entry[] = [];
  const findHeader = (from: number) => buffer.indexOf('PK\x03\x04', from, 'latin1');
  for (let at = findHeader(0); at >= 0 && at + entryHeaderBytes <= buffer.length; at = findHeader(at + 4)) {
    const flags = buffer.readUInt16LE(at + 6);
    const nameLength = buffer.readUInt16LE(at + 26);
    const start = at + entryHeaderBytes + nameLength + buffer.readUInt16LE(at + 28);
    const hasSizes = (flags & sizesFollow) === 0;
    const method = buffer.readUInt16LE(at + 8);
    if (start > buffer.length || (method !== stored && method !== deflated)) continue;
    const ends = ['PK\x07\x08', 'PK\x03\x04', 'PK\x01\x02']
      .map((mark) => buffer.indexOf(mark, start, 'latin1'))
      .filter((end) => end >= 0);
    const packed = hasSizes ? buffer.readUInt32LE(at + 18) : Math.min(buffer.length, ...ends) - start;
    entries.push({
      name: utf8
        .decode(bytes.subarray(at + entryHeaderBytes, at + entryHeaderBytes + nameLength))
        .replaceAll('\\', '/'),
      method,
      isEncrypted: (flags & 1) === 1,
      crc: hasSizes ? buffer.readUInt32LE(at + 14) : undefined,
      packed: Math.min(packed, buffer.length - start),
      size: hasSizes ? buffer.readUInt32LE(at + 22) : 0,
      offset: at,
    });
    if (entries.length > maxEntries) throw createTooLargeError(`more than ${maxEntries} entries`);
    at = Math.max(at, start + Math.min(packed, buffer.length - start) - 4);
  }
  return entries;
}

function toDataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Finds the last end-of-directory record (PKWARE APPNOTE 4.3.16). Its comment may have up to 65,535 bytes. */
function findEnd(view: DataView): number {
  const lowest = Math.max(0, view.byteLength - endBytes - 0xffff);
  for (let at = view.byteLength - endBytes; at >= lowest; at--) {
    if (view.getUint32(at, true) === 0x06054b50) return at;
  }
  throw createCorruptError('its end is missing (the file may be cut off, or is not a ZIP)');
}

function readDirectory(bytes: Uint8Array, maxEntries: number): Entry[] {
  if (bytes.length < endBytes) throw createCorruptError(`${bytes.length} bytes are not a container`);
  const view = toDataView(bytes);
  const end = findEnd(view);
  let count = view.getUint16(end + 10, true);
  let length = view.getUint32(end + 12, true);
  let start = view.getUint32(end + 16, true);
  let directoryEnd = end;
  const locator = end - locatorBytes;
  if (locator >= 0 && view.getUint32(locator, true) === 0x07064b50) {
    const end64 = Number(view.getBigUint64(locator + 8, true));
    if (end64 + end64Bytes > bytes.length || view.getUint32(end64, true) !== 0x06064b50)
      throw createCorruptError('its ZIP64 end is missing');
    count = Number(view.getBigUint64(end64 + 32, true));
    length = Number(view.getBigUint64(end64 + 40, true));
    start = Number(view.getBigUint64(end64 + 48, true));
    directoryEnd = end64;
  }
  if (count > maxEntries) throw createTooLargeError(`${count} entries; the limit is ${maxEntries}`);
  // Bytes before the container, such as a self-extractor, shift every offset by the same amount.
  const shift = directoryEnd - length - start;
  if (shift < 0) throw createCorruptError('its directory does not fit into the file');
  const entries: Entry[] = [];
  let at = start + shift;
  while (entries.length < count) {
    if (at + directoryHeaderBytes > bytes.length || view.getUint32(at, true) !== 0x02014b50)
      throw createCorruptError('its directory is cut off');
    const { entry, next } = readEntry(bytes, view, at);
    entry.offset += shift;
    entries.push(entry);
    at = next;
  }
  return entries;
}

function readEntry(bytes: Uint8Array, view: DataView, at: number): { entry: Entry; next: number } {
  const nameLength = view.getUint16(at + 28, true);
  const extraLength = view.getUint16(at + 30, true);
  const next = at + directoryHeaderBytes + nameLength + extraLength + view.getUint16(at + 32, true);
  if (next > bytes.length) throw createCorruptError('its directory is cut off');
  const entry: Entry = {
    name: utf8
      .decode(bytes.subarray(at + directoryHeaderBytes, at + directoryHeaderBytes + nameLength))
      .replaceAll('\\', '/'),
    method: view.getUint16(at + 10, true),
    isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
    crc: view.getUint32(at + 16, true),
    packed: view.getUint32(at + 20, true),
    size: view.getUint32(at + 24, true),
    offset: view.getUint32(at + 42, true),
  };
  readZip64(view, at + directoryHeaderBytes + nameLength, extraLength, entry);
  return { entry, next };
}

/** Reads fields of 0xffffffff from extra field 1, in the order size, packed, offset. */
function readZip64(view: DataView, start: number, length: number, entry: Entry): void {
  for (let at = start; at + 4 <= start + length; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    let fieldAt = at + 4;
    for (const field of ['size', 'packed', 'offset'] as const) {
      if (entry[field] !== 0xffffffff || fieldAt + 8 > start + length) continue;
      entry[field] = Number(view.getBigUint64(fieldAt, true));
      fieldAt += 8;
    }
  }
}

/** How many more bytes may be expanded, and the password of encrypted entries. */
interface ExpandOptions {
  budget: number;
  password: string | undefined;
}

function createEncryptedError(entry: Entry, why = ''): AppError {
  return new AppError('DOCUMENT_ENCRYPTED', `Entry ${entry.name} of the ZIP container is encrypted${why}.`);
}

/** Finds the stored bytes of an entry. */
function locateContent(bytes: Uint8Array, entry: Entry): { packed: Uint8Array; start: number; view: DataView } {
  const view = toDataView(bytes);
  if (entry.offset + entryHeaderBytes > bytes.length || view.getUint32(entry.offset, true) !== 0x04034b50) {
    throw createCorruptError(`entry ${entry.name} is not where the directory says`);
  }
  const start =
    entry.offset + entryHeaderBytes + view.getUint16(entry.offset + 26, true) + view.getUint16(entry.offset + 28, true);
  if (start + entry.packed > bytes.length) throw createCorruptError(`entry ${entry.name} is cut off`);
  return { packed: bytes.subarray(start, start + entry.packed), start, view };
}

/** Maximum number of bytes that an entry may expand to piece by piece. */
const maxInPieces = 4 * 1024 * 1024 * 1024;
const pieceBytes = 16 * 1024;

function* inflatePieces(bytes: Uint8Array, entry: Entry): Generator<Uint8Array> {
  if (entry.isEncrypted) throw createEncryptedError(entry);
  const { packed } = locateContent(bytes, entry);
  if (entry.method === stored) {
    yield packed;
    return;
  }
  checkDeflated(entry);
  yield* inflateStepwise(packed, entry.name, computeSizeLimit(packed, maxInPieces));
}

/** Inflates in slices and stops at `maxBytes`, so that a false header uses no more memory than that. */
function* inflateStepwise(packed: Uint8Array, name: string, maxBytes: number): Generator<Uint8Array> {
  let length = 0;
  let ready: Uint8Array[] = [];
  const inflate = new Inflate((chunk) => {
    length += chunk.length;
    if (length > maxBytes)
      throw createTooLargeError(`entry ${name} of ${packed.length} bytes is larger than ${maxBytes} bytes`);
    ready.push(chunk);
  });
  for (let at = 0; at < packed.length; at += pieceBytes) {
    try {
      inflate.push(packed.subarray(at, at + pieceBytes), at + pieceBytes >= packed.length);
    } catch (error) {
      throw error instanceof AppError ? error : createCorruptError(`entry ${name} cannot be inflated`, error);
    }
    yield* ready;
    ready = [];
  }
}

/** A compression ratio beyond `maxRatio` counts as a ZIP bomb. */
function computeSizeLimit(packed: Uint8Array, budget: number): number {
  return Math.min(budget, Math.max(ratioMattersFromBytes, packed.length * maxRatio));
}

function checkDeflated({ name, method }: Entry): void {
  if (method !== deflated) throw createCorruptError(`entry ${name} has the unknown compression method ${method}`);
}

function expand(bytes: Uint8Array, entry: Entry, { budget, password }: ExpandOptions): Uint8Array {
  if (entry.isEncrypted && password === undefined) throw createEncryptedError(entry, '; give the option `password`');
  const { packed, start, view } = locateContent(bytes, entry);
  if (entry.isEncrypted && password !== undefined) {
    if (entry.packed > budget)
      throw createTooLargeError(`entry ${entry.name} does not fit into the rest of ${budget} bytes`);
    const plain = decryptEntry(describeEncryption(view, entry, { packed, start }), password);
    if (!plain) throw createEncryptedError(entry, ' with another password');
    const { method, isProved } = plain;
    const decrypted = { ...entry, method, crc: isProved ? undefined : entry.crc };
    return unpackEntry(bytes, plain.packed, decrypted, budget);
  }
  return unpackEntry(bytes, packed, entry, budget);
}

function describeEncryption(
  view: DataView,
  { offset, method, crc }: Entry,
  { packed, start }: { packed: Uint8Array; start: number },
): EncryptedEntry {
  const extraAt = offset + entryHeaderBytes + view.getUint16(offset + 26, true);
  const extra = new DataView(view.buffer, view.byteOffset + extraAt, start - extraAt);
  // An entry written before its checksum is known repeats its time instead.
  const isTimeRepeated = (view.getUint16(offset + 6, true) & sizesFollow) !== 0;
  const check = isTimeRepeated || crc === undefined ? view.getUint8(offset + 11) : crc >>> 24;
  return { packed, method, extra, check };
}

function unpackEntry(bytes: Uint8Array, packed: Uint8Array, entry: Entry, budget: number): Uint8Array {
  const content = entry.method === stored ? readStored(packed, entry, budget) : inflateEntry(packed, entry, budget);
  // An expanded entry with a wrong checksum may be intact except for a few bytes.
  if (entry.crc !== undefined && crc32(content) !== entry.crc) noteDamage(bytes, entry.name);
  return content;
}

/** Inflates the content of an entry that was stored encrypted. Throws DOCUMENT_CORRUPT or DOCUMENT_TOO_LARGE. */
export function inflateWithin(
  packed: Uint8Array,
  { name, size }: { name: string; size: number },
  budget: number,
): Uint8Array {
  const entry = { name, size, method: deflated, isEncrypted: false, crc: undefined, packed: packed.length, offset: 0 };
  return inflateEntry(packed, entry, budget);
}

function readStored(packed: Uint8Array, entry: Entry, budget: number): Uint8Array {
  if (packed.length > budget)
    throw createTooLargeError(`entry ${entry.name} does not fit into the rest of ${budget} bytes`);
  return packed;
}

function inflateEntry(packed: Uint8Array, entry: Entry, budget: number): Uint8Array {
  checkDeflated(entry);
  const maxBytes = computeSizeLimit(packed, budget);
  if (entry.size > maxBytes)
    throw createTooLargeError(`entry ${entry.name} of ${packed.length} bytes claims ${entry.size} bytes`);
  try {
    // One byte more than claimed: if it is written to, the claim was too small and the size must be measured.
    const content =
      entry.size < nativeFromBytes
        ? inflateSync(packed, { out: new Uint8Array(entry.size + 1) })
        : inflateNative(packed, entry.size + 1);
    if (content.length <= entry.size && content.length > 0) return content;
    return Buffer.concat([...inflateStepwise(packed, entry.name, maxBytes)]);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw createCorruptError(`entry ${entry.name} cannot be inflated`, error);
  }
}

/** Stops at `maxBytes` bytes. */
function inflateNative(packed: Uint8Array, maxBytes: number): Uint8Array {
  try {
    return inflateRawSync(packed, { maxOutputLength: maxBytes, chunkSize: Math.max(64, maxBytes) });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') return new Uint8Array(maxBytes);
    throw error;
  }
}
