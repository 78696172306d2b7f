const entryBytes = 128;
const maxEntries = 100_000;
/** Number of allocation sectors that the header lists. */
const listedSectors = 109;

/**
 * Returns the names in the root of a compound file in lower case, reading only its directory; undefined if the directory is
 * damaged or beyond the given bytes (MS-CFB 2.2 and 2.6).
 */
export function listRootNames(bytes: Uint8Array): Set<string> | undefined {
  if (bytes.length < 512) return undefined;
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const directory = findDirectory(file);
  const size = directory === undefined ? 0 : directory.length / entryBytes;
  if (directory === undefined || size < 1) return undefined;
  const names = new Set<string>();
  const seen = new Set<number>();
  const open = [directory.readUInt32LE(76)];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id >= size || seen.has(id)) continue;
    seen.add(id);
    const at = id * entryBytes;
    const length = Math.min(Math.max(directory.readUInt16LE(at + 64) - 2, 0), 62);
    names.add(directory.toString('utf16le', at, at + length).toLowerCase());
    open.push(directory.readUInt32LE(at + 68), directory.readUInt32LE(at + 72));
  }
  return names;
}

/** Reads the sectors of the directory in order, as far as the allocation sectors listed in the header cover them. */
function findDirectory(file: Buffer): Buffer | undefined {
  // Sectors have 512 or 4,096 bytes.
  const shift = file.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) return undefined;
  const sectorBytes = 1 << shift;
  const findNext = (sector: number): number | undefined => {
    const block = Math.floor((sector * 4) / sectorBytes);
    if (block >= listedSectors) return undefined;
    const at = (file.readUInt32LE(76 + 4 * block) + 1) * sectorBytes + ((sector * 4) % sectorBytes);
    return at + 4 <= file.length ? file.readUInt32LE(at) : undefined;
  };
  const sectors: Buffer[] = [];
  const seen = new Set<number>();
  for (let sector: number | undefined = file.readUInt32LE(48); sector !== undefined && sector < 0xfffffff0;) {
    const at = (sector + 1) * sectorBytes;
    if (at + sectorBytes > file.length || seen.has(sector)) return undefined;
    if (seen.size * sectorBytes > maxEntries * entryBytes) return undefined;
    seen.add(sector);
    sectors.push(file.subarray(at, at + sectorBytes));
    sector = findNext(sector);
  }
  return Buffer.concat(sectors);
}
