import { createRandom } from './support/random';

/** A damaged copy of a file, and how it was made. */
export interface Damaged {
  name: string;
  how: string;
  bytes: Uint8Array;
}

/** The file cut off at `count` places spread over its length; the first copy is the shortest. */
export function* truncateBytes(name: string, bytes: Uint8Array, count: number): Generator<Damaged> {
  for (let index = 1; index <= count; index++) {
    const length = Math.max(1, Math.floor((bytes.length * index) / (count + 1)));
    yield { name, how: `cut at ${length}`, bytes: bytes.slice(0, length) };
  }
}

/** `count` copies with one to 64 bytes changed at random places; the same seed chooses the same places. */
export function* scrambleBytes(name: string, bytes: Uint8Array, count: number, seed: number): Generator<Damaged> {
  const random = createRandom(seed);
  for (let index = 0; index < count; index++) {
    const copy = bytes.slice();
    const changes = 1 + Math.floor(random.next() * 64);
    for (let change = 0; change < changes; change++)
      copy[Math.floor(random.next() * copy.length)] = Math.floor(random.next() * 256);
    yield { name, how: `${changes} bytes changed, number ${index} of seed ${seed}`, bytes: copy };
  }
}
