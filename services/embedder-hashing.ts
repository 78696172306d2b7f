import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Feature hashing: texts that share words get similar vectors. It knows no meaning: it is no language model.
 *
 * - The text is normalised (NFKC) and put into lower case. Words are runs of letters, marks and digits; each character of
 *   Han, Hiragana, Katakana and Thai is a word of its own.
 * - Features are the words and the pairs of neighbouring words (joined by one blank).
 * - h = fmix32(FNV-1a-32 of the feature's UTF-8 bytes), where fmix32 is the finaliser of MurmurHash3. Component h mod
 *   dimension gets +w or -w by the lowest bit of fmix32(h xor 0x9e3779b9), with w = 1 + ln(times the feature occurs).
 * - The vector is divided by its Euclidean length. A text without words (or whose components cancel out) gets the vector
 *   of equal components 1/sqrt(dimension): an index with cosine similarity refuses zero vectors.
 */
export function hashText(text: string, dimension: number): number[] {
  const vector = new Float64Array(dimension);
  for (const [feature, count] of countFeatures(text)) {
    const hash = mix(fnv1a(feature));
    const sign = mix((hash ^ 0x9e3779b9) >>> 0) & 1 ? 1 : -1;
    const index = hash % dimension;
    vector[index] = (vector[index] ?? 0) + sign * (1 + Math.log(count));
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (length === 0) return Array.from(vector, () => 1 / Math.sqrt(dimension));
  return Array.from(vector, (value) => value / length);
}

/** `hashText` of each text, in order. Lets other work of the process go on, and ends when `signal` aborts. */
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
    if (sinceTurn < 50_000) continue;
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

function countFeatures(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (feature: string) => counts.set(feature, (counts.get(feature) ?? 0) + 1);
  let previous: string | undefined;
  for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(words)) {
    add(word);
    if (previous !== undefined) add(`${previous} ${word}`);
    previous = word;
  }
  return counts;
}

const encoder = new TextEncoder();

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of encoder.encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

function mix(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
