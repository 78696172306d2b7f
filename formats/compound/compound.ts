import { read as readContainer } from 'cfb';
import { AppError } from '../../model/errors';
import type { RecordOmission } from '../coverage';
import { hasCircularChains } from './sector-chains';
import { type CompoundEntry, listCompoundEntries } from './streams';

/**
 * The streams in the root of a compound file (MS-CFB), by name. Streams in subfolders belong to embedded files and are
 * excluded.
 */
export interface CompoundFile {
  /** Returns undefined if there is no stream with this name. Names are case-insensitive (MS-CFB 2.6.4). */
  stream(name: string): Buffer | undefined;
  /** Reports embedded objects and macros, which are in separate folders. */
  reportFolders(recordOmission: RecordOmission | undefined): void;
}

/** Returns the same bytes as a buffer: a copy would double the memory of large files. */
function viewBytes(bytes: Uint8Array | number[] | undefined): Buffer {
  return bytes instanceof Uint8Array
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : Buffer.from(bytes ?? []);
}

/** Opens a compound file. Streams may share memory with the bytes. Throws DOCUMENT_CORRUPT if its sectors are inconsistent. */
export function openCompound(bytes: Uint8Array, name: string): CompoundFile {
  const input = viewBytes(bytes);
  try {
    if (hasCircularChains(input)) throw new Error('its sectors form a circle');
    return createCompound(listCompoundEntries(input) ?? listDamagedEntries(input));
  } catch (error) {
    throw new AppError(
      'DOCUMENT_CORRUPT',
      `'${name}' is a damaged compound file: its sectors or directory are inconsistent.`,
      {},
      error,
    );
  }
}

/** The entries as the library finds them, which needs the file twice and more, and reads many damaged files. */
function listDamagedEntries(input: Buffer): CompoundEntry[] {
  const { FileIndex: entries, FullPaths: paths } = readContainer(input, { type: 'buffer' });
  return entries.flatMap((entry, index): CompoundEntry[] => {
    // The paths of folders end with a slash.
    const names = (paths[index] ?? '').replace(/\/$/, '').split('/');
    const isFolder = entry.type !== 2;
    if (names.length < 2) return [];
    return [
      {
        name: entry.name,
        folders: names.slice(1, -1),
        isFolder,
        ...(isFolder ? {} : { bytes: viewBytes(entry.content) }),
      },
    ];
  });
}

function createCompound(entries: readonly CompoundEntry[]): CompoundFile {
  const streams = new Map<string, Buffer>();
  const folders = new Set<string>();
  for (const { name, folders: around, bytes, isFolder } of entries) {
    const [outer, inner] = isFolder ? [...around, name] : around;
    const folder = inner !== undefined && /^ObjectPool$/i.test(outer ?? '') ? inner : outer;
    if (folder !== undefined) folders.add(folder);
    if (bytes && around.length === 0) streams.set(name.toLowerCase(), bytes);
  }
  return {
    stream: (streamName) => streams.get(streamName.toLowerCase()),
    reportFolders(recordOmission) {
      for (const folder of folders) {
        if (/^(?:Macros|_VBA_PROJECT_CUR)$/i.test(folder)) recordOmission?.('macro');
        else if (/^(?:_\d+|MBD[\dA-F]+)$/i.test(folder)) recordOmission?.('embedded object');
      }
    },
  };
}
