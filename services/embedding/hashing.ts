import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Feature hashing: texts that share words get similar vectors. It does not understand meaning; it is not a language model.
 *
 * - The text is normalised (NFKC) and lowercased. Words are runs of letters, marks and digits; each character of
 *   Han, Hiragana, Katakana and Thai is a separate word.
 * - Features are the words and the pairs of neighbouring words (joined by one space).
 * - h = fmix32(FNV-1a-32 of the feature's UTF-8 bytes), where fmix32 is the finaliser of MurmurHash3. Component h mod
 *   dimension gets +w or -w by the lowest bit of fmix32(h xor 0x9e3779b9), with w = 1 + ln(times the feature occurs).
 *   Features of equal FNV-1a hash count as one.
 * - The vector is divided by its Euclidean norm. A text without words (or whose components cancel out) gets the vector
 *   of equal components 1/sqrt(dimension): an index with cosine similarity rejects zero vectors.
 * - Components are rounded to eight decimals, so that they are short where vectors are written as text.
 */
export function hashText(text: string, dimension: number): number[] {
  const vector = new Float64Array(dimension);
  for (const [feature, count] of countFeatures(text)) {
    const hash = mix(feature);
    const sign = mix((hash ^ 0x9e3779b9) >>> 0) & 1 ? 1 : -1;
    const index = hash % dimension;
    vector[index] = (vector[index] ?? 0) + sign * (1 + Math.log(count));
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (length === 0) return Array.from(vector, () => roundComponent(1 / Math.sqrt(dimension)));
  return Array.from(vector, (value) => roundComponent(value / length));
}

/** Characters that are hashed without a pause: a few milliseconds. */
const turnLength = 50_000;

/** `hashText` of each text, in the same order. Yields to other work of the process, and stops when `signal` aborts. */
export async function embedByHashing(
  texts: readonly string[],
  dimension: number,
  signal: AbortSignal,
  progress?: (done: number) => void,
): Promise<number[][]> {
  const vectors: number[][] = [];
  let sinceTurn = 0;
  for (const text of texts) {
    vectors.push(hashText(text, dimension));
    sinceTurn += text.length;
    if (sinceTurn < turnLength) continue;
    sinceTurn = 0;
    progress?.(vectors.length);
    await nextTurn();
    signal.throwIfAborted();
  }
  progress?.(vectors.length);
  return vectors;
}

const words =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{M}\p{N}])+/gu;
/** Texts that need neither Unicode classes nor normalisation. */
// eslint-disable-next-line no-control-regex
const ascii = /^[\x00-\x7f]*$/;

/** The number of occurrences of each feature, by its FNV-1a hash. */
function countFeatures(text: string): Map<number, number> {
  return ascii.test(text) ? countAscii(text) : countWords(text.normalize('NFKC').toLowerCase());
}

function countWords(text: string): Map<number, number> {
  const counts = new Map<number, number>();
  let previous: number | undefined;
  for (const word of text.match(words) ?? []) {
    const hash = computeFnv1a(fnvOffset, word);
    count(counts, hash);
    // FNV-1a works byte by byte, so the hash of a pair continues from the hash of its first word and the blank.
    if (previous !== undefined) count(counts, computeFnv1a(Math.imul(previous ^ 0x20, fnvPrime), word));
    previous = hash;
  }
  return counts;
}

/** Same result as `countWords` for ASCII text, without allocating the words: most texts are long and ASCII. */
function countAscii(text: string): Map<number, number> {
  const counts = new Map<number, number>();
  let word = fnvOffset;
  let pair = 0;
  let isFirst = true;
  let isInside = false;
  for (let at = 0; at <= text.length; at++) {
    const unit = at < text.length ? text.charCodeAt(at) : 0x20;
    const letter = unit | 0x20;
    if ((letter >= 0x61 && letter <= 0x7a) || (unit >= 0x30 && unit <= 0x39)) {
      // Digits have this bit set already.
      word = Math.imul(word ^ letter, fnvPrime);
      pair = Math.imul(pair ^ letter, fnvPrime);
      isInside = true;
    } else if (isInside) {
      count(counts, word >>> 0);
      if (!isFirst) count(counts, pair >>> 0);
      isFirst = false;
      isInside = false;
      pair = Math.imul(word ^ 0x20, fnvPrime);
      word = fnvOffset;
    }
  }
  return counts;
}

function count(counts: Map<number, number>, feature: number): void {
  counts.set(feature, (counts.get(feature) ?? 0) + 1);
}

function roundComponent(component: number): number {
  return Math.round(component * 1e8) / 1e8;
}

const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

/** FNV-1a over the UTF-8 bytes of a well-formed text, continued from `state`. */
function computeFnv1a(state: number, text: string): number {
  let hash = state;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) {
      hash = Math.imul(hash ^ unit, fnvPrime);
      continue;
    }
    const point = text.codePointAt(at) ?? unit;
    if (point > 0xffff) at++;
    for (const byte of getUtf8(point)) hash = Math.imul(hash ^ byte, fnvPrime);
  }
  return hash >>> 0;
}

function getUtf8(point: number): number[] {
  const getTail = (shift: number) => 0x80 | ((point >> shift) & 0x3f);
  if (point < 0x800) return [0xc0 | (point >> 6), getTail(0)];
  if (point < 0x10000) return [0xe0 | (point >> 12), getTail(6), getTail(0)];
  return [0xf0 | (point >> 18), getTail(12), getTail(6), getTail(0)];
}

function mix(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
