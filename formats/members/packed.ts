import type { LibarchiveModule } from 'libarchive.js/src/webworker/wasm-gen/libarchive.js';
import { AppError } from '../../model/errors';
import { isEncryptedRar5 } from './rar5';
import type { ArchiveEntry } from './tar';

const signatures = ['7z\xbc\xaf\x27\x1c', 'Rar!\x1a\x07'];
/** File type of a regular file (stat.h of POSIX). */
const regularFile = 0o100000;

/** True for archives of 7-Zip and RAR. */
export function isPacked(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 8)).toString('latin1');
  return signatures.some((signature) => start.startsWith(signature));
}

type Libarchive = typeof import('libarchive.js/src/webworker/wasm-gen/libarchive.js');

const importLibarchive = () => import('libarchive.js/src/webworker/wasm-gen/libarchive.js');

async function loadLibarchive(importPackage: () => Promise<Libarchive>): Promise<LibarchiveModule> {
  const { default: load } = await importPackage().catch((error: unknown) => {
    throw new AppError(
      'OPTIONAL_PACKAGE_MISSING',
      'Opening 7-Zip and RAR archives needs the optional package libarchive.js: npm install libarchive.js.',
      {},
      error,
    );
  });
  return load({ print: () => undefined, printErr: () => undefined });
}

/**
 * Opens an archive of 7-Zip or RAR. Files are decompressed in archive order while the caller iterates, even those that
 * it does not read; `maxBytes` limits their total size. A file that exceeds the limit cannot be read and is the last
 * one.
 */
export async function listPackedEntries(
  name: string,
  bytes: Uint8Array,
  { maxBytes, importPackage = importLibarchive }: { maxBytes: number; importPackage?: () => Promise<Libarchive> },
): Promise<Iterable<ArchiveEntry>> {
  return iterateEntries({ name, bytes, maxBytes }, await loadLibarchive(importPackage));
}

interface Packed {
  name: string;
  bytes: Uint8Array;
  maxBytes: number;
}

function* iterateEntries({ name, bytes, maxBytes }: Packed, module: LibarchiveModule): Generator<ArchiveEntry> {
  const calls = buildCalls(module);
  const start = module._malloc(bytes.length);
  module.HEAPU8.set(bytes, start);
  const archive = calls.open(start, bytes.length, null, 'en_US.UTF-8') as number;
  const isEncryptedRar = isEncryptedRar5(bytes);
  let left = maxBytes;
  let count = 0;
  try {
    for (let entry = calls.next(archive) as number; entry !== 0; entry = calls.next(archive) as number) {
      count += 1;
      if (calls.type(entry) !== regularFile) continue;
      const path = calls.path(entry) as string;
      const size = calls.size(entry) as number;
      left -= size;
      if (left < 0) {
        yield {
          name: path,
          read: () => fail('DOCUMENT_TOO_LARGE', `'${name}' expands to more than ${maxBytes} bytes.`),
        };
        return;
      }
      if (isEncryptedRar || calls.isEncrypted(entry) !== 0) {
        // The positions of later files are unknown.
        yield { name: path, read: () => fail('DOCUMENT_ENCRYPTED', explainEncryption(`'${path}' of '${name}'`)) };
        return;
      }
      yield { name: path, read: () => readEntry({ module, calls, archive }, { name, path, size }) };
    }
    const problem = calls.error(archive) as string;
    if (/encrypt/i.test(problem)) fail('DOCUMENT_ENCRYPTED', explainEncryption(`'${name}'`));
    if (count === 0) fail('DOCUMENT_CORRUPT', `'${name}' cannot be opened${problem === '' ? '' : `: ${problem}`}.`);
    if (problem !== '')
      yield {
        name: 'unread part',
        read: () => fail('DOCUMENT_CORRUPT', `The rest of '${name}' cannot be read: ${problem.replace(/\.$/, '')}.`),
      };
  } finally {
    calls.close(archive);
    module._free(start);
  }
}

type Calls = ReturnType<typeof buildCalls>;

/** The functions of libarchive, and those of the package that combine several of them. */
function buildCalls(module: LibarchiveModule) {
  const item = ['number'];
  return {
    open: module.cwrap('archive_open', 'number', ['number', 'number', 'string', 'string']),
    next: module.cwrap('get_next_entry', 'number', item),
    close: module.cwrap('archive_close', null, item),
    path: module.cwrap('archive_entry_pathname', 'string', item),
    size: module.cwrap('archive_entry_size', 'number', item),
    type: module.cwrap('archive_entry_filetype', 'number', item),
    isEncrypted: module.cwrap('archive_entry_is_encrypted', 'number', item),
    content: module.cwrap('get_filedata', 'number', ['number', 'number']),
    error: module.cwrap('archive_error_string', 'string', item),
  };
}

function readEntry(
  { module, calls, archive }: { module: LibarchiveModule; calls: Calls; archive: number },
  { name, path, size }: { name: string; path: string; size: number },
): Uint8Array {
  if (size === 0) return new Uint8Array();
  const start = calls.content(archive, size) as number;
  // Errors are negative numbers, but addresses above 2^31 look negative too.
  const problem = calls.error(archive) as string;
  if (problem !== '')
    return fail('DOCUMENT_CORRUPT', `'${path}' of '${name}' cannot be read: ${problem.replace(/\.$/, '')}.`);
  const content = module.HEAPU8.slice(start >>> 0, (start >>> 0) + size);
  module._free(start);
  return content;
}

function explainEncryption(file: string): string {
  return `${file} is protected by a password, which is not supported for 7-Zip and RAR archives; unpack it, or repack the files as ZIP.`;
}

function fail(code: 'DOCUMENT_CORRUPT' | 'DOCUMENT_ENCRYPTED' | 'DOCUMENT_TOO_LARGE', message: string): never {
  throw new AppError(code, message);
}
