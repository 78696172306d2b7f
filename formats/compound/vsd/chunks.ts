/** A record within a block. */
export interface Chunk {
  type: number;
  id: number;
  data: Buffer;
}

const headLength = 19;
/** The longest gap between two chunks, in steps of four bytes. */
const maxGap = 12;
/** Chunks that must follow a gap for it to count, so that the numbers in a gap are not taken for a chunk. */
const wantedAhead = 3;
const maxType = 0x160;
const maxLevel = 6;

/**
 * Yields the chunks of a block. Between two chunks are up to twelve bytes, depending on types and lists; the gap is the shortest
 * one that further chunks follow. Stops where no chunk follows.
 */
export function* iterateChunks(block: Buffer): Generator<Chunk> {
  let at = block.length >= headLength ? 0 : -1;
  while (at >= 0) {
    const end = at + headLength + block.readUInt32LE(at + 12);
    if (end > block.length) return;
    const data = block.subarray(at + headLength, end);
    yield { type: block.readUInt32LE(at), id: block.readUInt32LE(at + 4), data };
    at = findNext(block, end, wantedAhead);
  }
}

/** Returns the position of the chunk after `end`; -1 if there is none. */
function findNext(block: Buffer, end: number, ahead: number): number {
  for (let at = end; at <= end + maxGap; at += 4) {
    const next = readEnd(block, at);
    if (next === undefined) continue;
    const isLast = block.length - next < headLength;
    if (ahead === 1 || isLast || findNext(block, next, ahead - 1) >= 0) return at;
  }
  return -1;
}

/** Returns the end of the chunk at a position; undefined if there cannot be one. */
function readEnd(block: Buffer, at: number): number | undefined {
  if (at + headLength > block.length) return undefined;
  const type = block.readUInt32LE(at);
  const level = block.readUInt16LE(at + 16);
  const isChunk = type > 0 && type < maxType && level > 0 && level <= maxLevel && (block[at + 18]! & 0x50) === 0x50;
  const end = at + headLength + block.readUInt32LE(at + 12);
  return isChunk && end <= block.length ? end : undefined;
}
