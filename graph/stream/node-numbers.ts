import type { NodeKey } from '../core/knowledge-graph';

/**
 * Numbers the nodes of a graph in order of first occurrence. Needs 16 to 24 bytes per node however long its id is,
 * because it keeps 64 bits of a hash instead of the id: among a million ids, two get the same number once in 40 million
 * graphs.
 */
export class NodeNumbers {
  /** Number of different nodes. */
  size = 0;
  private high = new Uint32Array(512);
  private low = new Uint32Array(512);
  /**
   * Open addressing: a slot contains the number of the node plus one, or 0 if it is free. At most two thirds are taken.
   */
  private slots = new Uint32Array(1_024);

  /** The number of the node, a new one if it was not seen before. */
  add(key: NodeKey): number {
    const [high, low] = computeHash(key);
    const slot = this.findSlot(high, low);
    const entry = this.slots[slot] ?? 0;
    if (entry > 0) return entry - 1;
    if (this.size === this.high.length) {
      this.high = growValues(this.high);
      this.low = growValues(this.low);
    }
    this.high[this.size] = high;
    this.low[this.size] = low;
    this.slots[slot] = ++this.size;
    if (this.size * 3 > this.slots.length * 2) this.growSlots();
    return this.size - 1;
  }

  /** The number of the node; undefined if it was never added. */
  find(key: NodeKey): number | undefined {
    const entry = this.slots[this.findSlot(...computeHash(key))] ?? 0;
    return entry === 0 ? undefined : entry - 1;
  }

  private findSlot(high: number, low: number): number {
    const mask = this.slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const entry = this.slots[slot] ?? 0;
      if (entry === 0 || (this.low[entry - 1] === low && this.high[entry - 1] === high)) return slot;
    }
  }

  private growSlots(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    for (let number = 0; number < this.size; number++)
      this.slots[this.findSlot(this.high[number] ?? 0, this.low[number] ?? 0)] = number + 1;
  }
}

/** A small number for each node by its number in `NodeNumbers`, 0 at first. */
export class NodeCounts {
  private values = new Uint32Array(512);

  get(number: number): number {
    return this.values[number] ?? 0;
  }

  set(number: number, value: number): void {
    while (number >= this.values.length) this.values = growValues(this.values);
    this.values[number] = value;
  }
}

/** The label of each node. Each label is stored only once, because there are few. */
export class NodeLabels {
  private readonly numbers = new NodeNumbers();
  private readonly labels = new NodeCounts();
  private readonly known = new Map<string, number>();
  private readonly texts: string[] = [];

  /** If a node occurs twice, its last label counts. */
  add(key: NodeKey, label: string): void {
    let index = this.known.get(label);
    if (index === undefined) {
      index = this.texts.push(label) - 1;
      this.known.set(label, index);
    }
    this.labels.set(this.numbers.add(key), index);
  }

  get(key: NodeKey): string | undefined {
    const number = this.numbers.find(key);
    return number === undefined ? undefined : this.texts[this.labels.get(number)];
  }
}

function growValues(values: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(values.length * 2);
  larger.set(values);
  return larger;
}

/** Two independent 32-bit hashes. A text and a number that look the same have different hashes. */
function computeHash(key: NodeKey): [number, number] {
  const text = String(key);
  let [high, low] = [0x9e3779b9 ^ (typeof key).charCodeAt(0), 0x85ebca6b ^ text.length];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x85ebca77);
    low = Math.imul(low ^ code, 0xc2b2ae3d);
    high ^= high >>> 15;
    low ^= low >>> 13;
  }
  return [mixHashes(high, low), mixHashes(low, high)];
}

function mixHashes(value: number, other: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x7feb352d) ^ Math.imul(other ^ (other >>> 13), 0x846ca68b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 16)) >>> 0;
}
