const headerLength = 512;
const firstTableSectors = 109;

/**
 * True if sectors of a compound file (MS-CFB 2.3) form a circle, in the table of sectors or in that of small ones. The library
 * would follow it until memory runs out.
 */
export function hasCircularChains(bytes: Buffer): boolean {
  if (bytes.length < headerLength) return false;
  const shift = bytes.readUInt16LE(0x1e);
  if (shift < 7 || shift > 16) return false;
  const size = 2 ** shift;
  const next = readTable(bytes, size, listTableSectors(bytes, size));
  if (hasCircle(next)) return true;
  const small: number[] = [];
  for (let at = bytes.readUInt32LE(0x3c); at < next.length; at = next[at]!) small.push(at);
  return hasCircle(readTable(bytes, size, small));
}

/** Returns the sectors that contain the table of sectors: 109 in the header, and more in a separate chain, which may also be circular. */
export function listTableSectors(bytes: Buffer, size: number): number[] {
  const end = Math.floor(bytes.length / size);
  const sectors = Array.from({ length: firstTableSectors }, (_, index) => bytes.readUInt32LE(0x4c + 4 * index));
  let at = bytes.readUInt32LE(0x44);
  for (let count = 0; at < end && count < end; count += 1) {
    const entries = readTable(bytes, size, [at]);
    if (entries.length === 0) break;
    for (const sector of entries.subarray(0, -1)) sectors.push(sector);
    at = entries.at(-1)!;
  }
  return sectors.filter((sector) => sector < end).slice(0, end);
}

/** The numbers of these sectors, in order; beyond the end of the file, those that mean none. */
export function readTable(bytes: Buffer, size: number, sectors: readonly number[]): Uint32Array {
  const perSector = size / 4;
  const table = new Uint32Array(sectors.length * perSector).fill(0xffff_ffff);
  let length = 0;
  for (const sector of sectors) {
    const start = (sector + 1) * size;
    for (let index = 0; index < perSector && start + 4 * index + 4 <= bytes.length; index += 1)
      table[length + index] = bytes.readUInt32LE(start + 4 * index);
    length += perSector;
  }
  return table;
}

/** Each entry is the number of the next one; numbers beyond the table end a chain. */
function hasCircle(next: Uint32Array): boolean {
  const walks = new Uint32Array(next.length);
  for (let start = 0; start < next.length; start += 1) {
    let at = start;
    while (at < next.length && walks[at] === 0) {
      walks[at] = start + 1;
      at = next[at]!;
    }
    if (at < next.length && walks[at] === start + 1) return true;
  }
  return false;
}
