import type { Allowance } from './allowance';
import { createDamage, Cursor } from './cursor';

/** A file node (MS-ONESTORE 2.4.3). */
export interface FileNode {
  id: number;
  /** The data or list to which it refers. */
  chunk: Chunk | undefined;
  /** The data after the reference. */
  rest: Cursor;
}

/** A part of the file. References that are nil or zero have none. */
export interface Chunk {
  at: number;
  length: number;
}

const fragmentMagic = 0xa4567ab1_f5f7f4c4n;
/** The node after which a fragment ends. */
const terminatorId = 0xff;
/** The magic number, the id of the list and the number of the fragment. */
const headerBytes = 16;
/** A reference to the next fragment, and a magic number. */
const footerBytes = 20;
/** The 64-bit place of a reference that is nil. */
const nilPlace = 0xffff_ffff_ffff_ffffn;

/** Reads file node lists. */
export interface FileNodes {
  /** The nodes of a list, without those of unfinished transactions. */
  list(chunk: Chunk | undefined): FileNode[];
  data(chunk: Chunk): Buffer;
}

/** `counts` are the numbers of nodes of each list after the last finished transaction. */
export function createFileNodes(file: Buffer, counts: ReadonlyMap<number, number>, allowance: Allowance): FileNodes {
  const getData = ({ at, length }: Chunk): Buffer => new Cursor(file, at).take(length);
  return {
    data: getData,
    list(chunk) {
      const nodes: FileNode[] = [];
      const seen = new Set<number>();
      for (let next = chunk; next !== undefined;) {
        if (seen.has(next.at)) throw createDamage('a list of nodes leads back to itself');
        seen.add(next.at);
        next = readFragment(getData(next), { counts, allowance, nodes });
      }
      return nodes;
    },
  };
}

function readFragment(
  fragment: Buffer,
  { counts, allowance, nodes }: { counts: ReadonlyMap<number, number>; allowance: Allowance; nodes: FileNode[] },
): Chunk | undefined {
  if (fragment.length < headerBytes + footerBytes) throw createDamage('a list of nodes is too short');
  const header = new Cursor(fragment.subarray(0, fragment.length - footerBytes));
  if (header.take(8).readBigUInt64LE(0) !== fragmentMagic) throw createDamage('a list of nodes has no header');
  const maxCount = counts.get(header.uint32()) ?? Infinity;
  header.uint32();
  while (nodes.length < maxCount && header.at + 4 <= header.data.length) {
    const node = readNode(header);
    if (node === undefined || node.id === terminatorId) break;
    allowance.countPart();
    nodes.push(node);
  }
  return nodes.length < maxCount ? readWideReference(new Cursor(fragment, fragment.length - footerBytes)) : undefined;
}

/** Undefined for the zeros after the last node. */
function readNode(cursor: Cursor): FileNode | undefined {
  const start = cursor.at;
  const head = cursor.uint32();
  const id = head & 0x3ff;
  const size = (head >>> 10) & 0x1fff;
  if (id === 0) return undefined;
  if (size < 4) throw createDamage('a node is shorter than its header');
  cursor.at = start;
  const rest = new Cursor(cursor.take(size), 4);
  const chunk = (head >>> 27) & 0xf ? readReference(rest, (head >>> 23) & 3, (head >>> 25) & 3) : undefined;
  return { id, chunk, rest };
}

/** FileNodeChunkReference (MS-ONESTORE 2.2.4.2). Smaller numbers have shorter forms. */
function readReference(cursor: Cursor, placeForm: number, lengthForm: number): Chunk | undefined {
  const [at, isNil] = readPlace(cursor, placeForm);
  const length = [() => cursor.uint32(), () => cursor.uint64(), () => cursor.uint8() * 8, () => cursor.uint16() * 8][
    lengthForm
  ]!();
  return isNil || length === 0 ? undefined : { at, length };
}

function readPlace(cursor: Cursor, form: number): [at: number, isNil: boolean] {
  if (form === 0) {
    const place = cursor.take(8).readBigUInt64LE(0);
    return [Number(place), place === nilPlace];
  }
  if (form === 2) {
    const place = cursor.uint16();
    return [place * 8, place === 0xffff];
  }
  const place = cursor.uint32();
  return [form === 1 ? place : place * 8, place === 0xffff_ffff];
}

/** FileChunkReference64x32 (MS-ONESTORE 2.2.4.4). */
export function readWideReference(cursor: Cursor): Chunk | undefined {
  const place = cursor.take(8).readBigUInt64LE(0);
  const length = cursor.uint32();
  return place === nilPlace || length === 0 ? undefined : { at: Number(place), length };
}
