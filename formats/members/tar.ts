import { AppError } from '../../model/errors';

/** One file of an archive, with its name as stored. */
export interface ArchiveEntry {
  name: string;
  /** Throws AppError if the entry is damaged, encrypted or too large. */
  read: () => Uint8Array;
}

const blockBytes = 512;

/** True if the first block has the checksum of a TAR header, old or new (POSIX.1-1988, ustar). */
export function isTar(bytes: Uint8Array): boolean {
  if (bytes.length < blockBytes || bytes[0] === 0) return false;
  let sum = 0;
  for (let at = 0; at < blockBytes; at++) sum += at >= 148 && at < 156 ? 0x20 : bytes[at]!;
  return sum === readOctal(toBuffer(bytes), 148, 8);
}

/**
 * Returns the regular files of a TAR in order, with the long names of GNU and POSIX.1-2001. Links, devices and folders are
 * skipped. Throws DOCUMENT_CORRUPT if a file is truncated, DOCUMENT_TOO_LARGE beyond `maxEntries`.
 */
export function listTarEntries(source: string, bytes: Uint8Array, maxEntries: number): ArchiveEntry[] {
  const buffer = toBuffer(bytes);
  const entries: ArchiveEntry[] = [];
  let longName: string | undefined;
  for (let at = 0; at + blockBytes <= buffer.length && buffer[at] !== 0;) {
    const size = readSize(buffer, at);
    const start = at + blockBytes;
    const type = String.fromCharCode(buffer[at + 156] ?? 0);
    const content = buffer.subarray(start, start + size);
    at = start + Math.ceil(size / blockBytes) * blockBytes;
    if (type === 'L') longName = readText(content);
    else if (type === 'x') longName = findPaxPath(content) ?? longName;
    else if (type !== 'g') {
      const name = longName ?? readName(buffer, start - blockBytes);
      longName = undefined;
      if (type !== '0' && type !== '\0' && type !== '7') continue;
      if (entries.length >= maxEntries)
        throw new AppError('DOCUMENT_TOO_LARGE', `'${source}' holds more than ${maxEntries} files.`);
      const isWhole = content.length === size;
      entries.push({
        name,
        read: () => {
          if (!isWhole) throw new AppError('DOCUMENT_CORRUPT', `'${name}' of '${source}' is cut off.`);
          return content;
        },
      });
    }
  }
  return entries;
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function readText(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

function readName(buffer: Buffer, at: number): string {
  const name = readText(buffer.subarray(at, at + 100));
  const isUstar = buffer.toString('latin1', at + 257, at + 263) === 'ustar\0';
  const prefix = isUstar ? readText(buffer.subarray(at + 345, at + 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Parses octal digits, or a base-256 number if the size is too large for them. */
function readSize(buffer: Buffer, at: number): number {
  if ((buffer[at + 124]! & 0x80) === 0) return readOctal(buffer, at + 124, 12);
  const size = buffer.readBigUInt64BE(at + 128);
  return size > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(size);
}

function readOctal(buffer: Buffer, at: number, length: number): number {
  const digits = /^[\s\0]*([0-7]+)/.exec(buffer.toString('latin1', at, at + length))?.[1];
  return digits === undefined ? 0 : Number.parseInt(digits, 8);
}

/** Parses records such as `27 path=some/long/name\n`. */
function findPaxPath(content: Buffer): string | undefined {
  for (let at = 0; at < content.length;) {
    const length = Number.parseInt(content.toString('latin1', at, at + 10), 10);
    if (!(length > 0)) return undefined;
    const [, key, value] = /^\d+ ([^=]+)=([^]*)\n$/.exec(content.toString('utf8', at, at + length)) ?? [];
    if (key === 'path') return value;
    at += length;
  }
  return undefined;
}
