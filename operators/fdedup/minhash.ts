/** Looked up once: it is called some hundred million times. */
const { imul } = Math;
/** Folds a text to words: letters and digits in lower case. */
const wordPattern = /[\p{L}\p{N}\p{M}]+/gu;

/** The hashes of all runs of `size` words, each once. A text with fewer words is one run; one without words has none. */
export function listShingles(text: string, size: number): Uint32Array {
  const words = (text.toLowerCase().match(wordPattern) ?? []).map(hashWord);
  const last = Math.max(1, words.length - size + 1);
  const candidates = new Set<number>();
  if (words.length === 0) return new Uint32Array();
  for (let from = 0; from < last; from += 1) {
    let hash = 0x9e3779b9;
    for (let index = from; index < Math.min(from + size, words.length); index += 1)
      hash = mix((imul(hash, 31) ^ (words[index] as number)) >>> 0);
    candidates.add(hash);
  }
  return Uint32Array.from(candidates);
}

/** FNV-1a over UTF-16 code units. */
function hashWord(word: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < word.length; index += 1) hash = imul(hash ^ word.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** The finalizer of MurmurHash3, which spreads every bit of the input over the output. */
function mix(value: number): number {
  let hash = value;
  hash = imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Numbers that make one hash function into many: multiples of the golden ratio, mixed. */
function createSeeds(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, index) => mix(imul(index + 1, 0x9e3779b9) >>> 0));
}

/**
 * The MinHash signature (Broder, 1997): per hash function, the least hash of any shingle. The share of equal places of two
 * signatures estimates the Jaccard similarity of their shingles, with a standard error of sqrt(J(1-J)/places).
 */
export function createSigner(places: number): (shingles: Uint32Array) => Uint32Array {
  const seeds = createSeeds(places);
  return (shingles) => {
    const signature = new Uint32Array(places).fill(0xffffffff);
    for (const shingle of shingles)
      for (let place = 0; place < places; place += 1) {
        const hash = mix((shingle ^ (seeds[place] as number)) >>> 0);
        if (hash < (signature[place] as number)) signature[place] = hash;
      }
    return signature;
  };
}

/** Share of the pairs at the threshold that a division must find. */
const minRecall = 0.99;

/** Bands and rows of a signature for a threshold. */
export interface Bands {
  bands: number;
  rows: number;
}

/**
 * The division of a signature whose curve 1 - (1 - s^rows)^bands finds pairs at the threshold almost surely, with as few false
 * candidates as possible: recall counts more, because candidates are compared and pairs that never meet are lost.
 */
export function chooseBands(threshold: number, places: number): Bands {
  let best: Bands = { bands: places, rows: 1 };
  for (let rows = 1; rows <= places; rows += 1) {
    const bands = Math.floor(places / rows);
    const recall = 1 - (1 - threshold ** rows) ** bands;
    if (recall >= minRecall && rows > best.rows) best = { bands, rows };
  }
  return best;
}

/** The hash of one band. */
export function hashBand(signature: Uint32Array, band: number, rows: number): number {
  let hash = imul(band + 1, 0x9e3779b9) >>> 0;
  for (let place = band * rows; place < (band + 1) * rows; place += 1)
    hash = mix((imul(hash, 31) ^ (signature[place] as number)) >>> 0);
  return hash;
}

/** The exact Jaccard similarity of two sets of shingles. */
export function computeJaccard(item: Uint32Array, other: Uint32Array): number {
  const [small, large] = item.length < other.length ? [item, other] : [other, item];
  const members = new Set(large);
  let shared = 0;
  for (const shingle of small) if (members.has(shingle)) shared += 1;
  const union = item.length + other.length - shared;
  return union === 0 ? 0 : shared / union;
}
