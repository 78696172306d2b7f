import { gunzipSync } from 'node:zlib';
import { AppError } from '../../model/errors';
import { getExtension } from '../format';
import { openZip } from '../zip/zip';
import { isPacked, listPackedEntries } from './packed';
import { type ArchiveEntry, isTar, listTarEntries } from './tar';

/** How many more entries and expanded bytes are allowed. */
export interface MemberBudget {
  entries: number;
  bytes: number;
}

/** Above this size, a higher compression ratio counts as a bomb, as in ZIP. */
const ratioMattersFromBytes = 16 * 1024 * 1024;
const maxRatio = 400;

/** True for a pure container of files: ZIP, TAR, gzip, 7-Zip or RAR. Office documents and books are documents. */
export function isArchive(name: string, bytes: Uint8Array): boolean {
  if (isGzip(bytes) || isPacked(bytes) || isTar(bytes)) return true;
  return isZip(bytes) && getExtension(name) === 'zip' && !isOfficeZip(bytes);
}

/** Returns the files of an archive in archive order. Throws DOCUMENT_CORRUPT or DOCUMENT_TOO_LARGE. */
export async function listArchiveEntries(
  name: string,
  bytes: Uint8Array,
  { budget, password }: { budget: MemberBudget; password?: string | undefined },
): Promise<Iterable<ArchiveEntry>> {
  if (isPacked(bytes)) return listPackedEntries(name, bytes, { maxBytes: computeByteLimit(bytes, budget) });
  if (isGzip(bytes)) {
    const inner = expandGzip(name, bytes, budget);
    if (isTar(inner)) return listTarEntries(name, inner, budget.entries);
    return [{ name: getInnerName(name), read: () => inner }];
  }
  if (isTar(bytes)) return listTarEntries(name, bytes, budget.entries);
  const zip = openZip(bytes, { maxEntries: budget.entries, maxExpandedBytes: budget.bytes }, password);
  return zip.names.map((entry) => ({
    name: entry,
    read: () => {
      const content = zip.read(entry);
      if (content === undefined) throw new AppError('DOCUMENT_CORRUPT', `'${entry}' of '${name}' is damaged.`);
      return content;
    },
  }));
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;
}

function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5);
}

/** An Office or OpenDocument package named `.zip` is a document. */
function isOfficeZip(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // The name of the first entry follows its header of 30 bytes.
  const firstName = buffer.toString('latin1', 30, 30 + 64);
  return firstName.startsWith('mimetype') || firstName.startsWith('[Content_Types].xml');
}

function expandGzip(name: string, bytes: Uint8Array, budget: MemberBudget): Uint8Array {
  const maxBytes = computeByteLimit(bytes, budget);
  try {
    return gunzipSync(bytes, { maxOutputLength: Math.max(1, maxBytes) });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE')
      throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' expands to more than ${maxBytes} bytes.`, {}, error);
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('DOCUMENT_CORRUPT', `'${name}' cannot be expanded: ${reason}.`, {}, error);
  }
}

function computeByteLimit(bytes: Uint8Array, budget: MemberBudget): number {
  return Math.min(budget.bytes, Math.max(ratioMattersFromBytes, bytes.length * maxRatio));
}

/** `letters.tgz` contains `letters.tar`, `letter.txt.gz` contains `letter.txt`. */
function getInnerName(name: string): string {
  const base = name.slice(name.lastIndexOf('/') + 1);
  return base.replace(/\.tgz$/i, '.tar').replace(/\.gz$/i, '') || 'file';
}
