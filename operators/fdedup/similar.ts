import { type Bands, hashBand, chooseBands, createSigner, computeJaccard, listShingles } from './minhash';

/** A kept text, and its similarity. */
export interface Similar {
  /** The number of the text, in the order of `add`. */
  index: number;
  similarity: number;
}

/** Finds texts like earlier ones. */
export interface SimilarTexts {
  /**
   * Returns the most similar kept text of the group that reaches the threshold. Keeps the new text if there is none, or if
   * `isAlwaysKept` is set.
   */
  add(text: string, group: string, isAlwaysKept: boolean): Similar | undefined;
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
    add(text, group, isAlwaysKept) {
      const shingles = listShingles(text, shingleWords);
      if (shingles.length === 0) {
        representatives.push({ shingles, group });
        chains.skip();
        return undefined;
      }
      const hashes = computeHashes(sign(shingles), bands);
      let best: Similar | undefined;
      for (const index of chains.listCandidates(hashes)) {
        const other = representatives[index];
        if (!other || other.group !== group || !mayReach(shingles.length, other.shingles.length, threshold)) continue;
        const similarity = computeJaccard(shingles, other.shingles);
        if (similarity >= threshold && similarity > (best?.similarity ?? 0)) best = { index, similarity };
      }
      const isRepresentative = !best || isAlwaysKept;
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
  let capacity = buckets;
  let count = 0;
  /** By text, whether it can be found. */
  const isLinked: boolean[] = [];
  const link = (index: number) => {
    for (let band = 0; band < bands; band += 1) {
      const at = index * bands + band;
      const bucket = band * buckets + ((hashes[at] as number) & (buckets - 1));
      next[at] = heads[bucket] as number;
      heads[bucket] = index;
    }
  };
  const grow = () => {
    capacity *= 2;
    buckets *= 2;
    hashes = enlarge(hashes, bands * capacity);
    next = new Int32Array(bands * capacity).fill(-1);
    heads = new Int32Array(bands * buckets).fill(-1);
    for (let index = 0; index < count; index += 1) if (isLinked[index]) link(index);
  };
  const takeNumber = () => {
    if (count === capacity) grow();
    count += 1;
    return count - 1;
  };
  return {
    /** Reserves a number for a text that is never found. */
    skip(): void {
      isLinked[takeNumber()] = false;
    },
    add(signature: Uint32Array): void {
      const index = takeNumber();
      isLinked[index] = true;
      hashes.set(signature, index * bands);
      link(index);
    },
    /** The numbers of the texts that share a band. */
    listCandidates(signature: Uint32Array): Set<number> {
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

function enlarge(values: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const enlarged = new Uint32Array(length);
  enlarged.set(values);
  return enlarged;
}
