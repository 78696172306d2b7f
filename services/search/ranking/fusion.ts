/** The constant of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009): a hit at rank r counts 1 / (60 + r). */
const fusionConstant = 60;
/** The weight of vectors in a hybrid ranking. */
const vectorWeight = 0.5;

/** The same for a question of codes only, such as EPOLL_CLOEXEC, --all or SL-40: to an embedder, they have no meaning. */
const codeVectorWeight = 0.1;
const code = /^(?:--?[\p{L}\p{N}][\p{L}\p{N}_-]*|\p{Lu}{4,}|(?=.*[\p{N}_])[\p{L}\p{N}_./-]+)$/u;

/** The same for a question of one word, mostly a name, which an embedder has rarely seen. */
const oneWordVectorWeight = 0.1;
/** The same for a question of two or three words, which are mostly keywords that the right text contains. */
const shortVectorWeight = 0.2;
const shortQuestionWords = 3;
/** Both for a question with a question mark: it asks in the words of a user, which the right text need not contain. */
const askedVectorWeight = 0.6;
const shortAskedVectorWeight = 0.4;
const questionMark = /[?？؟]\s*$/u;
/** Scripts that write sentences without blanks. */
const unspacedScript =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The same where most of the best hits by words are in languages that no model knows. */
const foreignVectorWeight = 0.25;
/** The same where the best hit by words has few words of the question: such a hit is usually accidental. */
const uncoveredVectorWeight = 0.7;
const minCoverage = 0.25;
/** The same for models that know many languages: the answer is probably in another language, or in other words, and only vectors know both. */
const translatedVectorWeight = 0.85;
/** How many of the best hits by words show the language of what was found. */
export const bestHits = 10;

/** How much vectors count for this question. `languages` has those of each model; undefined means all. */
export function computeVectorWeight(
  question: string,
  text: readonly Ranked[] = [],
  languages: readonly (readonly string[] | undefined)[] = [],
  { coverage = 1, isMultilingual = false }: Coverage = {},
): number {
  if (isCodes(question)) return codeVectorWeight;
  const best = text.slice(0, bestHits);
  const isForeign = ({ language }: Ranked) =>
    language !== undefined && languages.every((languages) => languages && !languages.includes(language));
  const isMostlyForeign = languages.length > 0 && best.filter(isForeign).length > best.length / 2;
  const usual = weighByForm(question, listWords(question).length);
  if (isMostlyForeign) return Math.min(usual, foreignVectorWeight);
  if (coverage >= minCoverage) return usual;
  return Math.max(usual, isMultilingual ? translatedVectorWeight : uncoveredVectorWeight);
}

/** How well the best hit by words covers a question. */
export interface Coverage {
  /** The share of the words of the question that it has. */
  coverage?: number | undefined;
  /** True if all models are known to know many languages. */
  isMultilingual?: boolean;
}

/** Whether a question has nothing but codes. */
export function isCodes(question: string): boolean {
  return listWords(question).every((word) => code.test(word));
}

/** French writes a space before the question mark. */
function listWords(question: string): string[] {
  return question.replace(questionMark, '').trim().split(/\s+/);
}

/** Whether a text has words in a script that writes sentences without spaces. */
export function isUnspaced(text: string): boolean {
  return unspacedScript.test(text);
}

function weighByForm(question: string, words: number): number {
  const isAsked = questionMark.test(question);
  if (words > shortQuestionWords || isUnspaced(question)) return isAsked ? askedVectorWeight : vectorWeight;
  if (words === 1) return oneWordVectorWeight;
  return isAsked ? shortAskedVectorWeight : shortVectorWeight;
}

/** A record in a ranking. */
export interface Ranked {
  index: string;
  id: string;
  /** The score in its ranking; comparable only within the ranking. */
  score: number;
  /** Set when hits are grouped. */
  document?: string;
  /** Of hits by words, where the language of the text is known; without a region. */
  language?: string;
}

/** Scores of distances are not linear in the distance, so they are converted back to distances. */
export function linearizeScores(hits: readonly Ranked[], space: string | undefined): Ranked[] {
  if (space !== 'l2') return [...hits];
  return hits.map((hit) => ({ ...hit, score: hit.score > 0 ? 1 - 1 / hit.score : Number.NEGATIVE_INFINITY }));
}

/**
 * The sum of the word and vector scores, each scaled to 0 to 1: words from zero, vectors from the lowest of the ranking.
 * The weight was chosen on the Cranfield collection: in a prototype, every weight from 0.4 to 0.7 was better than both
 * rankings, as is this one through the API.
 */
export function combineScores(
  text: readonly Ranked[],
  vectors: readonly (readonly Ranked[])[],
  { textDepth, vectorWeight: share = vectorWeight }: { textDepth: number; vectorWeight?: number },
): Ranked[] {
  const lists = [
    { hits: text, weight: 1 - share, min: text.length < textDepth ? 0 : (text.at(-1)?.score ?? 0) },
    ...vectors.map((hits) => ({ hits, weight: share, min: hits.at(-1)?.score ?? 0 })),
  ];
  const scores = new Map<string, { hit: Ranked; score: number }>();
  for (const { hits, weight, min } of lists) {
    const span = (hits[0]?.score ?? 0) - min;
    for (const hit of hits) {
      const key = JSON.stringify([hit.id, hit.index]);
      const fused = scores.get(key) ?? { hit, score: 0 };
      fused.score += weight * (span > 0 ? (hit.score - min) / span : 1);
      scores.set(key, fused);
    }
  }
  return sortScores(scores);
}

/** Combines all rankings; a record at the top of only one ranks below a record high in several. */
export function fuseRankings(rankings: readonly (readonly Ranked[])[]): Ranked[] {
  const scores = new Map<string, { hit: Ranked; score: number }>();
  for (const ranking of rankings) {
    for (const [rank, hit] of ranking.entries()) {
      const key = JSON.stringify([hit.id, hit.index]);
      const fused = scores.get(key) ?? { hit, score: 0 };
      fused.score += 1 / (fusionConstant + rank + 1);
      scores.set(key, fused);
    }
  }
  return sortScores(scores);
}

/** Equal scores by id, so that pages of one search do not overlap. */
function sortScores(scores: ReadonlyMap<string, { hit: Ranked; score: number }>): Ranked[] {
  return [...scores]
    .toSorted(([oneKey, one], [otherKey, other]) => other.score - one.score || (oneKey < otherKey ? -1 : 1))
    .map(([, { hit }]) => hit);
}
