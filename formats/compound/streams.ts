import { listTableSectors, readTable } from './sector-chains';

/** A stream or folder in a compound file. */
export interface CompoundEntry {
  name: string;
  /** Names of the folders around it, outermost first; empty for those in the root. */
  folders: readonly string[];
  /** Of a stream in the root. They share memory with the file where its sectors follow each other. */
  bytes?: Buffer;
  isFolder: boolean;
}

const entryBytes = 128;
const maxEntries = 100_000;
const miniStreamLimit = 4_096;
const entryKinds = { folder: 1, stream: 2, root: 5 };

/**
 * Lists the streams and folders of a consistent compound file (MS-CFB 2.3 to 2.6) without copying their bytes. Undefined for every
 * file that deviates from the specification; its chains must not form circles.
 */
export function listCompoundEntries(bytes: Buffer): CompoundEntry[] | undefined {
  const shift = bytes.length < 512 ? 0 : bytes.readUInt16LE(30);
  if ((shift !== 9 && shift !== 12) || bytes.readUInt16LE(32) !== 6 || bytes.readUInt32LE(56) !== miniStreamLimit)
    return undefined;
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

/** The first `length` bytes of a chain: a view where its sectors follow each other, else a copy. */
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
  const start = bytes.readUInt32LE(48);
  const directory = readChain(sectors, start, measureChain(sectors, start));
  const count = Math.floor(directory.length / entryBytes);
  if (count === 0 || count > maxEntries || directory[66] !== entryKinds.root) throw new InconsistentFile();
  const small = openSmallSectors(sectors, directory);
  const entries: CompoundEntry[] = [];
  const seen = new Set<number>();
  const open: { id: number; folders: readonly string[] }[] = [{ id: directory.readUInt32LE(76), folders: [] }];
  for (let place = open.pop(); place; place = open.pop()) {
    const { id, folders } = place;
    if (id === 0xffff_ffff) continue;
    if (id >= count || seen.has(id)) throw new InconsistentFile();
    seen.add(id);
    const entry = directory.subarray(id * entryBytes, (id + 1) * entryBytes);
    const [kind, nameLength] = [entry[66], entry.readUInt16LE(64)];
    const isKnown = kind === entryKinds.folder || kind === entryKinds.stream;
    if (!isKnown || nameLength < 2 || nameLength > 64) throw new InconsistentFile();
    const name = entry.toString('utf16le', 0, nameLength - 2);
    open.push({ id: entry.readUInt32LE(72), folders }, { id: entry.readUInt32LE(68), folders });
    if (kind === entryKinds.folder) open.push({ id: entry.readUInt32LE(76), folders: [...folders, name] });
    const [firstSector, size] = [entry.readUInt32LE(116), entry.readUInt32LE(120)];
    const isFolder = kind === entryKinds.folder;
    const isRead = !isFolder && folders.length === 0;
    const chains = isRead && size < miniStreamLimit ? small() : sectors;
    entries.push({ name, folders, isFolder, ...(isRead ? { bytes: readChain(chains, firstSector, size) } : {}) });
  }
  return entries;
}

/** The small sectors lie in the chain of the root entry; their table has a chain of its own. */
function openSmallSectors(sectors: Sectors, directory: Buffer): () => Sectors {
  let opened: Sectors | undefined;
  return () => {
    if (opened) return opened;
    const start = sectors.bytes.readUInt32LE(60);
    const table = readChain(sectors, start, measureChain(sectors, start));
    const next = Uint32Array.from({ length: Math.floor(table.length / 4) }, (_, index) =>
      table.readUInt32LE(4 * index),
    );
    const bytes = readChain(sectors, directory.readUInt32LE(116), directory.readUInt32LE(120));
    opened = { bytes, size: 64, next, first: 0 };
    return opened;
  };
}
