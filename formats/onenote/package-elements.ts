import type { Allowance } from './allowance';
import { createDamage, Cursor } from './cursor';

/** A stream object (MS-FSSHTTPB 2.2.1.5): its own bytes, and the objects in it. */
export interface StreamObject {
  type: number;
  data: CompactCursor;
  children: StreamObject[];
}

/** A data element (MS-FSSHTTPB 2.2.1.12). */
export interface DataElement {
  type: number;
  children: readonly StreamObject[];
}

const elementType = 0x01;
const elementsType = 0x15;
const packagingType = 0x7a;
const longLength = 0x7fff;
const maxDepth = 8;

/** Reads the numbers of MS-FSSHTTPB, which are shorter the smaller they are. */
export class CompactCursor extends Cursor {
  /** Compact unsigned 64-bit integer (2.2.1.1). */
  compact(): number {
    const first = this.uint8();
    if (first === 0) return 0;
    const zeros = Math.log2(first & -first);
    if (zeros === 7) return this.uint64();
    // The zeros and the one after them say how many bytes there are: one more than zeros.
    let value = first >> (zeros + 1);
    let factor = 2 ** (7 - zeros);
    for (let index = 0; index < zeros; index++) {
      value += this.uint8() * factor;
      factor *= 256;
    }
    return value;
  }

  /** Extended GUID (2.2.1.7), named as Cursor.extendedGuid does; undefined if it is null. */
  name(): string | undefined {
    const first = this.uint8();
    if (first === 0) return undefined;
    let number: number;
    if ((first & 0x7) === 0x4) number = first >> 3;
    else if ((first & 0x3f) === 0x20) number = (first >> 6) | (this.uint8() << 2);
    else if ((first & 0x7f) === 0x40) number = (first >> 7) | (this.uint16() << 1);
    else if (first === 0x80) number = this.uint32();
    else throw createDamage('a name has an unknown form');
    return `${this.guid()}/${number}`;
  }

  /** Cell ID (2.2.1.10): context and space. */
  cell(): string {
    return `${this.name()} ${this.name()}`;
  }

  list<Item>(read: () => Item): Item[] {
    const count = this.compact();
    // Every item has at least one byte.
    if (count > this.data.length - this.at) throw createDamage('a list is longer than its bytes');
    return Array.from({ length: count }, read);
  }
}

/** Returns the data elements by name, and the name of the storage index. */
export function readElements(
  file: Buffer,
  allowance: Allowance,
): { index: string | undefined; elements: Map<string, DataElement> } {
  // 64 bytes of header and 4 reserved ones.
  const packaging = readObject(new CompactCursor(file, 68), { allowance, depth: 0 });
  if (packaging?.type !== packagingType) throw createDamage('it has no package');
  const elements = new Map<string, DataElement>();
  for (const container of packaging.children) {
    if (container.type !== elementsType) continue;
    for (const { type, data, children } of container.children) {
      if (type !== elementType) continue;
      const name = data.name();
      // The serial number is a byte if it is null, else a byte, a GUID and a number.
      if (data.uint8() !== 0) data.take(24);
      if (name !== undefined) elements.set(name, { type: data.compact(), children });
    }
  }
  return { index: packaging.data.name(), elements };
}

/** Undefined at the end of the object around it. */
function readObject(
  cursor: CompactCursor,
  { allowance, depth }: { allowance: Allowance; depth: number },
): StreamObject | undefined {
  if (depth > maxDepth) throw createDamage('its parts are nested too deep');
  const first = cursor.uint8();
  if ((first & 3) === 1) return undefined;
  if ((first & 3) === 3) {
    cursor.take(1);
    return undefined;
  }
  cursor.at -= 1;
  allowance.countPart();
  const isShort = (first & 3) === 0;
  const head = isShort ? cursor.uint16() : cursor.uint32();
  const type = isShort ? (head >>> 3) & 0x3f : (head >>> 3) & 0x3fff;
  const short = isShort ? head >>> 9 : head >>> 17;
  const length = !isShort && short === longLength ? cursor.compact() : short;
  const object: StreamObject = { type, data: new CompactCursor(cursor.take(length)), children: [] };
  if ((head & 4) === 0) return object;
  for (;;) {
    const child = readObject(cursor, { allowance, depth: depth + 1 });
    if (child === undefined) return object;
    object.children.push(child);
  }
}
