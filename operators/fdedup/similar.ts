import { type Bands, hashBand, chooseBands, createSigner, computeJaccard, listShingles } from './minhash';

/** A kept text, and its similarity. */
export interface Similar {
  /** The number of the text, in the order of `add`. */
  index: number;
  similarity: number;
}

/** Finds texts like earlier ones. */
export interface SimilarTexts {
  /** Returns the most similar kept text that reaches the threshold. Keeps the new text if there is none, or if `always` is set. */
  add(text: string, group: string, always: boolean): Similar | undefined;
}

/** Maximum length of a chain of candidates; longer chains are texts that all share one band, such as a common header. */
const maxCandidates = 200;

/**
 * Locality-sensitive hashing of MinHash signatures: texts that share a band are candidates, and candidates are compared by their
 * exact shingles. Stores the shingles of kept texts (4 bytes each) and 4 bytes per band of a text, never the texts.
 */
export function createSimilarTexts({
  threshold,
  places,
  shingleWords,
}: {
  threshold: number;
  places: number;
  shingleWords: number;
}): SimilarTexts {
  const sign = createSigner(places);
  const bands = chooseBands(threshold, places);
  const chains = createChains(bands);
  const representatives: { shingles: Uint32Array; group: string }[] = [];

  return {
    add(text, group, always) {
      const shingles = listShingles(text, shingleWords);
      if (shingles.length === 0) {
        representatives.push({ shingles, group });
        chains.skip();
        return undefined;
      }
      const hashes = computeHashes(sign(shingles), bands);
      let best: Similar | undefined;
      for (const index of chains.candidates(hashes)) {
        const other = representatives[index];
        if (!other || other.group !== group || !mayReach(shingles.length, other.shingles.length, threshold)) continue;
        const similarity = computeJaccard(shingles, other.shingles);
        if (similarity >= threshold && similarity > (best?.similarity ?? 0)) best = { index, similarity };
      }
      const isRepresentative = !best || always;
      representatives.push({ shingles: isRepresentative ? shingles : new Uint32Array(), group });
      if (isRepresentative) chains.add(hashes);
      else chains.skip();
      return best;
    },
  };
}

/** Sets of very different sizes cannot be alike. */
function mayReach(value: number, other: number, threshold: number): boolean {
  return Math.min(value, other) >= threshold * Math.max(value, other);
}

function computeHashes(signature: Uint32Array, { bands, rows }: Bands): Uint32Array {
  return Uint32Array.from({ length: bands }, (_, band) => hashBand(signature, band, rows));
}

/** For each band a hash table with chains, in typed arrays: maps of a million entries would take ten times the memory. */
function createChains({ bands }: Bands) {
  let buckets = 1 << 12;
  let heads = new Int32Array(bands * buckets).fill(-1);
  let hashes = new Uint32Array(bands * buckets);
  let next = new Int32Array(bands * buckets).fill(-1);
  let room = buckets;
  let count = 0;
  const isIn: boolean[] = [];

  const link = (index: number) => {
    for (let band = 0; band < bands; band += 1) {
      const at = index * bands + band;
      const bucket = band * buckets + ((hashes[at] as number) & (buckets - 1));
      next[at] = heads[bucket] as number;
      heads[bucket] = index;
    }
  };
  const grow = () => {
    room *= 2;
    buckets *= 2;
    hashes = enlarge(hashes, new Uint32Array(bands * room));
    next = new Int32Array(bands * room).fill(-1);
    heads = new Int32Array(bands * buckets).fill(-1);
    for (let index = 0; index < count; index += 1) if (isIn[index]) link(index);
  };
  const take = () => {
    if (count === room) grow();
    count += 1;
    return count - 1;
  };
  return {
    /** Reserves a number for a text that is never found. */
    skip(): void {
      isIn[take()] = false;
    },
    add(signature: Uint32Array): void {
      const index = take();
      isIn[index] = true;
      hashes.set(signature, index * bands);
      link(index);
    },
    candidates(signature: Uint32Array): Set<number> {
      const candidates = new Set<number>();
      for (let band = 0; band < bands; band += 1) {
        const hash = signature[band] as number;
        let steps = 0;
        for (
          let index = heads[band * buckets + (hash & (buckets - 1))] as number;
          index !== -1 && steps < maxCandidates;
          index = next[index * bands + band] as number
        ) {
          steps += 1;
          if (hashes[index * bands + band] === hash) candidates.add(index);
        }
      }
      return candidates;
    },
  };
}

function enlarge(from: Uint32Array, into: Uint32Array): Uint32Array<ArrayBuffer> {
  into.set(from);
  return into as Uint32Array<ArrayBuffer>;
}
