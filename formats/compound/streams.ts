import { listTableSectors, readTable } from './sector-chains';

/** A stream or folder in a compound file. */
export interface CompoundEntry {
  name: string;
  /** Names of the folders around it, outermost first; empty for those in the root. */
  folders: readonly string[];
  /** The content of a stream in the root. Shares memory with the file if the sectors of the stream are adjacent. */
  bytes?: Buffer;
  isFolder: boolean;
}

/** Positions of the fields of the header (MS-CFB 2.2) and of a directory entry (MS-CFB 2.6.1). */
const headerFields = {
  sectorShift: 30,
  miniSectorShift: 32,
  directoryStart: 48,
  miniStreamCutoff: 56,
  miniTableStart: 60,
};
const entryFields = { nameLength: 64, kind: 66, left: 68, right: 72, child: 76, firstSector: 116, size: 120 };
const entryBytes = 128;
const entryKinds = { folder: 1, stream: 2, root: 5 };
/** Stands for the id of an entry that does not exist. */
const noEntry = 0xffff_ffff;
const maxEntries = 100_000;
const minHeaderBytes = 512;
/** Sectors have 512 or 4,096 bytes, small sectors 64. */
const sectorShifts: readonly number[] = [9, 12];
const miniSectorShift = 6;
/** Smaller streams of the root lie in small sectors. */
const miniStreamCutoff = 4_096;

/**
 * Lists the streams and folders of a consistent compound file (MS-CFB 2.3 to 2.6) without copying their bytes. Undefined for every
 * file that deviates from the specification; its chains must not form circles.
 */
export function listCompoundEntries(bytes: Buffer): CompoundEntry[] | undefined {
  if (bytes.length < minHeaderBytes) return undefined;
  const shift = bytes.readUInt16LE(headerFields.sectorShift);
  if (!sectorShifts.includes(shift)) return undefined;
  if (bytes.readUInt16LE(headerFields.miniSectorShift) !== miniSectorShift) return undefined;
  if (bytes.readUInt32LE(headerFields.miniStreamCutoff) !== miniStreamCutoff) return undefined;
  try {
    return listEntries(openSectors(bytes, 2 ** shift));
  } catch (error) {
    if (error instanceof InconsistentFile) return undefined;
    throw error;
  }
}

class InconsistentFile extends Error {}

/** The sectors of a file, or the small sectors within its root entry. */
interface Sectors {
  bytes: Buffer;
  size: number;
  next: Uint32Array;
  /** Position of the first sector. */
  first: number;
}

function openSectors(bytes: Buffer, size: number): Sectors {
  return { bytes, size, next: readTable(bytes, size, listTableSectors(bytes, size)), first: size };
}

/** The first `length` bytes of a chain: a view if its sectors are adjacent, else a copy. */
function readChain({ bytes, size, next, first }: Sectors, start: number, length: number): Buffer {
  const parts: Buffer[] = [];
  let left = length;
  for (let sector = start; left > 0;) {
    let count = 1;
    while (count * size < left && next[sector + count - 1] === sector + count) count += 1;
    const at = first + sector * size;
    const taken = Math.min(left, count * size);
    if (sector + count > next.length || at + taken > bytes.length) throw new InconsistentFile();
    parts.push(bytes.subarray(at, at + taken));
    left -= taken;
    sector = next[sector + count - 1]!;
  }
  const [only] = parts;
  return parts.length === 1 && only ? only : Buffer.concat(parts);
}

/** Number of bytes of a whole chain. */
function measureChain({ size, next }: Sectors, start: number): number {
  let length = 0;
  for (let sector = start; sector < next.length; sector = next[sector]!) length += size;
  return length;
}

function listEntries(sectors: Sectors): CompoundEntry[] {
  const { bytes } = sectors;
  const start = bytes.readUInt32LE(headerFields.directoryStart);
  const directory = readChain(sectors, start, measureChain(sectors, start));
  const count = Math.floor(directory.length / entryBytes);
  if (count === 0 || count > maxEntries || directory[entryFields.kind] !== entryKinds.root)
    throw new InconsistentFile();
  const loadSmallSectors = createSmallSectorsLoader(sectors, directory);
  const entries: CompoundEntry[] = [];
  const seen = new Set<number>();
  const pending: { id: number; folders: readonly string[] }[] = [
    { id: directory.readUInt32LE(entryFields.child), folders: [] },
  ];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { id, folders } = next;
    if (id === noEntry) continue;
    if (id >= count || seen.has(id)) throw new InconsistentFile();
    seen.add(id);
    const entry = directory.subarray(id * entryBytes, (id + 1) * entryBytes);
    const kind = entry[entryFields.kind];
    const nameLength = entry.readUInt16LE(entryFields.nameLength);
    const isFolder = kind === entryKinds.folder;
    const isKnown = isFolder || kind === entryKinds.stream;
    if (!isKnown || nameLength < 2 || nameLength > 64) throw new InconsistentFile();
    const name = entry.toString('utf16le', 0, nameLength - 2);
    pending.push(
      { id: entry.readUInt32LE(entryFields.right), folders },
      { id: entry.readUInt32LE(entryFields.left), folders },
    );
    if (isFolder) pending.push({ id: entry.readUInt32LE(entryFields.child), folders: [...folders, name] });
    const firstSector = entry.readUInt32LE(entryFields.firstSector);
    const size = entry.readUInt32LE(entryFields.size);
    const isRead = !isFolder && folders.length === 0;
    const chains = isRead && size < miniStreamCutoff ? loadSmallSectors() : sectors;
    entries.push({ name, folders, isFolder, ...(isRead ? { bytes: readChain(chains, firstSector, size) } : {}) });
  }
  return entries;
}

/** The small sectors lie in the chain of the root entry; their table has a chain of its own. Reads both once, when first needed. */
function createSmallSectorsLoader(sectors: Sectors, directory: Buffer): () => Sectors {
  let opened: Sectors | undefined;
  return () => {
    if (opened) return opened;
    const start = sectors.bytes.readUInt32LE(headerFields.miniTableStart);
    const table = readChain(sectors, start, measureChain(sectors, start));
    const next = Uint32Array.from({ length: Math.floor(table.length / 4) }, (_, index) =>
      table.readUInt32LE(4 * index),
    );
    const firstSector = directory.readUInt32LE(entryFields.firstSector);
    const bytes = readChain(sectors, firstSector, directory.readUInt32LE(entryFields.size));
    opened = { bytes, size: 2 ** miniSectorShift, next, first: 0 };
    return opened;
  };
}
