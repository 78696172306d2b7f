import type { Answer } from './ask';
import type { Question } from './collection';

const b = 0.75;
const depth = 100;

/** The words of a text as written, in lower case. */
export function splitWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The words of a text without the most common English endings. */
const splitStems = (text: string) => splitWords(text).map((word) => word.replace(/(?<=...)(ing|ed|es|s|ly)$/u, ''));

/** The rankings to compare with. Of the usual values of `k1`, 1.2 to 2, 2 was best on Cranfield and on manual pages. */
export const baselines: Readonly<Record<string, Baseline>> = {
  bm25: { wordsOf: splitWords, k1: 2 },
  'bm25 with stems': { wordsOf: splitStems, k1: 2 },
  'bm25, stems, k1 1.2': { wordsOf: splitStems, k1: 1.2 },
};

export interface Baseline {
  wordsOf: (text: string) => string[];
  k1: number;
}

/** Plain BM25 over whole documents: the ranking that a search has to beat. */
export function rankByBm25(
  documents: ReadonlyMap<string, string>,
  questions: readonly Question[],
  { wordsOf, k1 }: Baseline,
): Answer[] {
  const postings = new Map<string, Map<string, number>>();
  const lengths = new Map<string, number>();
  for (const [name, text] of documents) {
    const words = wordsOf(text);
    lengths.set(name, words.length);
    for (const word of words) {
      const counts = postings.get(word) ?? new Map<string, number>();
      postings.set(word, counts.set(name, (counts.get(name) ?? 0) + 1));
    }
  }
  const mean = [...lengths.values()].reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.size);
  return questions.map(({ text, relevant, kind }) => {
    const started = performance.now();
    const scores = new Map<string, number>();
    for (const word of new Set(wordsOf(text))) {
      const counts = postings.get(word) ?? new Map<string, number>();
      const weight = Math.log(1 + (lengths.size - counts.size + 0.5) / (counts.size + 0.5));
      for (const [name, count] of counts) {
        const norm = k1 * (1 - b + (b * (lengths.get(name) ?? 0)) / mean);
        scores.set(name, (scores.get(name) ?? 0) + (weight * count * (k1 + 1)) / (count + norm));
      }
    }
    const ranking = [...scores].toSorted(([, one], [, other]) => other - one).slice(0, depth);
    return {
      ranking: ranking.map(([name]) => name),
      relevant,
      milliseconds: performance.now() - started,
      ...(kind ? { kind } : {}),
    };
  });
}
