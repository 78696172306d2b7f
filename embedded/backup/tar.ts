import type { Readable } from 'node:stream';
import { AppError } from '../../model/errors';

// Written here because tar-stream, which npm would add for it, brings a native file system module for another runtime.

const block = 512;
const longestName = 100;
const largestOctal = 0o77777777777;
const types = { file: '0', directory: '5' } as const;
/** The type of a header in PAX format, whose records hold for the next entry. */
const paxType = 'x';
/** Places of the fields of a header in ustar format (POSIX.1-2017, pax). */
const fields = {
  mode: { at: 100, length: 8 },
  uid: { at: 108, length: 8 },
  gid: { at: 116, length: 8 },
  size: { at: 124, length: 12 },
  mtime: { at: 136, length: 12 },
  checksum: { at: 148, length: 8 },
  type: { at: 156, length: 1 },
  magic: { at: 257, length: 6 },
  version: { at: 263, length: 2 },
} as const;
type Field = (typeof fields)[keyof typeof fields];

/** An entry of a tar archive. `mtime` is in seconds. */
export interface TarHeader {
  name: string;
  type: keyof typeof types;
  size: number;
  mode: number;
  mtime: number;
}

/** An entry of the archive. Its content must be read before the next entry is requested; unread content is skipped. */
export interface TarEntry extends TarHeader {
  content(): AsyncGenerator<Buffer>;
}

/** The blocks before the content of an entry: a header, and before it a PAX header where the name or size does not fit. */
export function writeTarHeader(entry: TarHeader): Buffer {
  const records: Record<string, string> = {};
  if (Buffer.byteLength(entry.name) > longestName) records['path'] = entry.name;
  if (entry.size > largestOctal) records['size'] = String(entry.size);
  const header = createHeaderBlock(entry, types[entry.type]);
  if (Object.keys(records).length === 0) return header;
  const body = Buffer.from(Object.entries(records).map(formatPaxRecord).join(''));
  const pax = createHeaderBlock({ ...entry, name: 'PaxHeader', size: body.length }, paxType);
  return Buffer.concat([pax, body, writeTarPadding(body.length), header]);
}

/** The zeros after a content of `size` bytes. */
export function writeTarPadding(size: number): Buffer {
  return Buffer.alloc((block - (size % block)) % block);
}

/** The end of an archive. */
export const tarEnd = Buffer.alloc(2 * block);

/** Reads files and directories of an archive of `writeTarHeader`, or of another writer of PAX archives. */
export async function* readTar(stream: Readable): AsyncGenerator<TarEntry> {
  const bytes = new ByteReader(stream);
  let pax: Record<string, string> = {};
  for (;;) {
    const header = await bytes.take(block);
    if (header.every((byte) => byte === 0)) return;
    const type = String.fromCharCode(header[fields.type.at] ?? 0);
    const size = Number(pax['size'] ?? readOctal(header, fields.size));
    if (readOctal(header, fields.checksum) !== computeChecksum(header) || !Number.isSafeInteger(size))
      throw createDamageError('a header is wrong');
    if (type === paxType) {
      pax = parsePaxRecords(await bytes.take(size));
      await bytes.take(writeTarPadding(size).length);
      continue;
    }
    if (type !== types.directory && type !== types.file) throw createDamageError(`an entry has the type '${type}'`);
    const name = pax['path'] ?? readText(header, 0, longestName);
    const content = bytes.upTo(size);
    yield {
      name,
      type: type === types.directory ? 'directory' : 'file',
      size,
      mode: readOctal(header, fields.mode),
      mtime: readOctal(header, fields.mtime),
      content: () => content,
    };
    for await (const skipped of content) void skipped;
    await bytes.take(writeTarPadding(size).length);
    pax = {};
  }
}

function createHeaderBlock({ name, size, mode, mtime }: TarHeader, type: string): Buffer {
  const header = Buffer.alloc(block);
  Buffer.from(name).copy(header, 0, 0, longestName);
  writeOctal(header, fields.mode, mode & 0o7777);
  writeOctal(header, fields.uid, 0);
  writeOctal(header, fields.gid, 0);
  writeOctal(header, fields.size, Math.min(size, largestOctal));
  writeOctal(header, fields.mtime, Math.max(0, Math.floor(mtime)));
  header.write(type, fields.type.at);
  header.write('ustar', fields.magic.at, 'latin1');
  header.write('00', fields.version.at, 'latin1');
  writeOctal(header, fields.checksum, computeChecksum(header));
  return header;
}

function writeOctal(header: Buffer, { at, length }: Field, value: number): void {
  header.write(value.toString(8).padStart(length - 1, '0'), at, 'latin1');
}

function readOctal(header: Buffer, { at, length }: Field): number {
  return parseInt(readText(header, at, length).trim() || '0', 8);
}

function readText(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? length : end).toString('utf8');
}

/** The sum of the header's bytes, with its own field read as spaces. */
function computeChecksum(header: Buffer): number {
  const { at, length } = fields.checksum;
  const space = 0x20;
  const isOwnField = (index: number) => index >= at && index < at + length;
  return header.reduce((sum, byte, index) => sum + (isOwnField(index) ? space : byte), 0);
}

/** `LENGTH key=value\n`, where LENGTH counts itself. */
function formatPaxRecord([key, value]: [string, string]): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (String(length).length > String(rest).length) length += 1;
  return `${length} ${key}=${value}\n`;
}

function parsePaxRecords(body: Buffer): Record<string, string> {
  const records: Record<string, string> = {};
  for (let at = 0; at < body.length;) {
    const space = body.indexOf(0x20, at);
    const length = Number(body.subarray(at, space).toString());
    if (space < 0 || !(length > 0)) throw createDamageError('a PAX header is wrong');
    const [key = '', ...value] = body
      .subarray(space + 1, at + length - 1)
      .toString('utf8')
      .split('=');
    records[key] = value.join('=');
    at += length;
  }
  return records;
}

class ByteReader {
  private readonly chunks: AsyncIterator<Buffer>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** Exactly `size` bytes. */
  async take(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.upTo(size)) parts.push(part);
    return Buffer.concat(parts);
  }

  async *upTo(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0;) {
      if (this.rest.length === 0) {
        const next = await this.chunks.next();
        if (next.done) throw createDamageError('it ends too early');
        this.rest = next.value;
      }
      const part = this.rest.subarray(0, left);
      this.rest = this.rest.subarray(part.length);
      left -= part.length;
      if (part.length > 0) yield part;
    }
  }
}

/** The error of a file that is not a whole backup. */
export function createDamageError(reason: string, cause?: unknown): AppError {
  return new AppError('BACKUP_INVALID', `The backup cannot be used: ${reason}.`, {}, cause);
}
