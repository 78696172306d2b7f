import { AppError } from '../../../../model/errors';
import { commands, headerBytes, type Reply, type SmbConnection } from './connection';
import { isMissing, statuses } from './status';

/** A refused request. `status` is the code of the server. */
export class SmbError extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`the server answered 0x${status.toString(16)}`);
    this.status = status;
  }
}

/** An entry of a folder. */
export interface SmbFile {
  name: string;
  isFolder: boolean;
  /** True for symbolic links, junctions and links to other servers. */
  isLink: boolean;
  size: number;
  modifiedTime: string;
}

/** An open file or folder. */
export interface Handle {
  id: Buffer;
  size: number;
}

/** Access that a request needs. */
export const accessRights = { readData: 0x1, readAttributes: 0x80, readControl: 0x20000 } as const;
/** Options and parameters of CREATE ([MS-SMB2] 2.2.13). */
const createOptions = { folderOnly: 0x1, fileOnly: 0x40, openLinkItself: 0x200000 } as const;
const impersonation = 2;
const shareWithAll = 7;
const openExisting = 1;
const isDirectory = 0x10;
const isReparsePoint = 0x400;
/** Mount points, links to other servers and symbolic links; other reparse points are files that the server keeps elsewhere. */
const linkTags: ReadonlySet<number> = new Set([0xa0000003, 0x8000000a, 0x80000012, 0xa000000c, 0xa000001d]);
/** Kinds of information: a security descriptor with owner, group and access list; names, sizes and times of a folder. */
const securityInfo = 3;
const ownerGroupAndList = 7;
const idBothDirectory = 0x25;
/** The size of a piece that is read at a time. */
const portionBytes = 64 * 1024;
/** The length of an entry of a folder without its name ([MS-FSCC] 2.4.21). */
const entryHeadBytes = 104;

/** Opens an existing file or folder by its path within the share. Throws SmbError. */
export async function openFile(
  connection: SmbConnection,
  path: string,
  { access, kind }: { access: number; kind?: 'folder' | 'file' },
): Promise<Handle> {
  const name = Buffer.from(path.split('/').filter(Boolean).join('\\'), 'utf16le');
  let options: number = createOptions.openLinkItself;
  if (kind === 'folder') options |= createOptions.folderOnly;
  if (kind === 'file') options |= createOptions.fileOnly;
  const body = Buffer.alloc(56);
  body.writeUInt16LE(57, 0);
  body.writeUInt32LE(impersonation, 4);
  body.writeUInt32LE(access, 24);
  body.writeUInt32LE(shareWithAll, 32);
  body.writeUInt32LE(openExisting, 36);
  body.writeUInt32LE(options, 40);
  body.writeUInt16LE(headerBytes + 56, 44);
  body.writeUInt16LE(name.length, 46);
  const reply = await requireSuccess(connection, commands.create, Buffer.concat([body, name, Buffer.alloc(1)]), 88);
  return { id: Buffer.from(reply.body.subarray(64, 80)), size: Number(reply.body.readBigUInt64LE(48)) };
}

/** Opens a file or folder like `openFile`, and closes it after `use`. */
export async function withFile<T>(
  connection: SmbConnection,
  path: string,
  request: Parameters<typeof openFile>[2],
  use: (handle: Handle) => Promise<T>,
): Promise<T> {
  const handle = await openFile(connection, path, request);
  try {
    return await use(handle);
  } finally {
    await closeFile(connection, handle);
  }
}

async function closeFile(connection: SmbConnection, { id }: Handle): Promise<void> {
  const body = Buffer.alloc(24);
  body.writeUInt16LE(24, 0);
  id.copy(body, 8);
  // After a connection error there is no answer, and the error is known.
  await connection.send(commands.close, body).catch(() => undefined);
}

/** The entries of an open folder, without `.` and `..`, in portions. Throws SmbError or INVALID_RESPONSE. */
export async function* readFolder(connection: SmbConnection, { id }: Handle): AsyncGenerator<SmbFile[]> {
  const pattern = Buffer.from('*', 'utf16le');
  for (;;) {
    const body = Buffer.alloc(32);
    body.writeUInt16LE(33, 0);
    body[2] = idBothDirectory;
    id.copy(body, 8);
    body.writeUInt16LE(headerBytes + 32, 24);
    body.writeUInt16LE(pattern.length, 26);
    body.writeUInt32LE(portionBytes, 28);
    const reply = await connection.send(commands.queryDirectory, Buffer.concat([body, pattern]));
    if (reply.status === statuses.noMoreFiles || reply.status === statuses.noSuchFile) return;
    const files = readEntries(getOutput(check(reply, 8)));
    if (files.length === 0) throw createInvalidError();
    yield files.filter(({ name }) => name !== '.' && name !== '..');
  }
}

function readEntries(bytes: Buffer): SmbFile[] {
  const files: SmbFile[] = [];
  for (let at = 0; ;) {
    const entry = bytes.subarray(at);
    const length = entry.length >= entryHeadBytes ? entry.readUInt32LE(60) : 0;
    if (length === 0 || entryHeadBytes + length > entry.length) throw createInvalidError();
    const attributes = entry.readUInt32LE(56);
    files.push({
      name: entry.toString('utf16le', entryHeadBytes, entryHeadBytes + length),
      isFolder: (attributes & isDirectory) !== 0,
      isLink: (attributes & isReparsePoint) !== 0 && linkTags.has(entry.readUInt32LE(64)),
      size: Number(entry.readBigUInt64LE(40)),
      modifiedTime: toIsoTime(entry.readBigUInt64LE(24)),
    });
    const next = entry.readUInt32LE(0);
    if (next === 0) return files;
    if (next < entryHeadBytes) throw createInvalidError();
    at += next;
  }
}

/** Owner, group and access control list of an open file. Throws SmbError. */
export async function readSecurity(connection: SmbConnection, { id }: Handle): Promise<Buffer> {
  const body = Buffer.alloc(41);
  body.writeUInt16LE(41, 0);
  body[2] = securityInfo;
  body.writeUInt32LE(portionBytes, 4);
  body.writeUInt32LE(ownerGroupAndList, 16);
  id.copy(body, 24);
  return Buffer.from(getOutput(await requireSuccess(connection, commands.queryInfo, body, 8)));
}

/** The bytes of an open file. Throws SmbError. */
export async function* readBytes(connection: SmbConnection, { id }: Handle): AsyncGenerator<Buffer> {
  for (let offset = 0n; ;) {
    const body = Buffer.alloc(49);
    body.writeUInt16LE(49, 0);
    body[2] = headerBytes + 16;
    body.writeUInt32LE(portionBytes, 4);
    body.writeBigUInt64LE(offset, 8);
    id.copy(body, 16);
    const reply = await connection.send(commands.read, body);
    if (reply.status === statuses.endOfFile) return;
    const { message, body: answer } = check(reply, 16);
    const start = answer[2] ?? 0;
    const length = answer.readUInt32LE(4);
    if (start < headerBytes || length > portionBytes || start + length > message.length) throw createInvalidError();
    if (length === 0) return;
    offset += BigInt(length);
    yield message.subarray(start, start + length);
  }
}

async function requireSuccess(
  connection: SmbConnection,
  command: number,
  body: Buffer,
  minBytes: number,
): Promise<Reply> {
  return check(await connection.send(command, body), minBytes);
}

function check(reply: Reply, minBytes: number): Reply {
  if (reply.status !== statuses.success) throw new SmbError(reply.status);
  if (reply.body.length < minBytes) throw createInvalidError();
  return reply;
}

function getOutput({ message, body }: Reply): Buffer {
  const start = body.readUInt16LE(2);
  const length = body.readUInt32LE(4);
  if (start < headerBytes || start + length > message.length) throw createInvalidError();
  return message.subarray(start, start + length);
}

/** Milliseconds from 1601 to 1970. */
const epochOffsetMs = 11_644_473_600_000;

/** From 100-nanosecond intervals since 1601; empty for a time that is not set. */
function toIsoTime(time: bigint): string {
  const date = new Date(Number(time / 10_000n) - epochOffsetMs);
  return time === 0n || Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

function createInvalidError(): AppError {
  return new AppError('INVALID_RESPONSE', 'The SMB server sent an answer that cannot be read.');
}

/** True if the error says that the file or folder does not exist. */
export function isGone(error: unknown): boolean {
  return error instanceof SmbError && isMissing(error.status);
}
