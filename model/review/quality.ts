import { computeConfidence, type PageScores } from '../conversion/task/confidence';
import { countNouns } from '../count-nouns';

/** Content of one kind that the file contains and the text does not. */
export interface LeftOut {
  /** In the singular: `hidden sheet`, `note`, `embedded object`, … */
  kind: string;
  count: number;
  words: number;
}

/** The confidence of a conversion in its own result. */
export interface ConversionQuality {
  /** Mean of the scores of all pages, from 0 to 1; null where the reader has no scores, as for Markdown. */
  confidence: number | null;
  /** Pages by their confidence, the lowest first. */
  pages: { page: number; confidence: number }[];
  /** Numbers of the pages that could not be read, or only in part. */
  unread: number[];
  left_out: LeftOut[];
  /** Problems of text recognition, such as a language without data. */
  recognition: string[];
}

/** Why a person should look at a converted document. */
export const doubtCodes = ['low_confidence', 'pages_unread', 'content_left_out', 'recognition'] as const;
export type DoubtCode = (typeof doubtCodes)[number];
/** One reason to look at a document. */
export interface Doubt {
  code: DoubtCode;
  message: string;
  /** Numbers of the first hundred pages concerned, the most doubtful first. */
  pages?: number[];
}

/** The default of `review_below`. */
export const defaultReviewBelow = 0.7;

/** A doubt, which is stored, lists no more pages. */
const maxPages = 100;
const maxTexts = 20;
const maxMessageCharacters = 500;
/** Content that a document may lose without raising a doubt: a page number, a word on a button. */
const fewWords = 20;

/** The facts about a conversion from which doubts are derived. */
export function computeQuality({
  scores,
  unread,
  coverage,
  recognition,
}: {
  scores: readonly PageScores[];
  unread: readonly number[];
  coverage: readonly (LeftOut & { in_json: boolean })[];
  recognition: readonly string[];
}): ConversionQuality {
  return {
    confidence: computeConfidence(scores).mean_score,
    pages: scores
      .flatMap((score) => {
        const { mean_score: confidence } = computeConfidence([score]);
        return score.page === undefined || confidence === null ? [] : [{ page: score.page, confidence }];
      })
      .toSorted((item, other) => item.confidence - other.confidence || item.page - other.page),
    unread: [...new Set(unread)],
    left_out: coverage
      .filter(({ in_json: inJson }) => !inJson)
      .map(({ kind, count, words }) => ({ kind, count, words }))
      .slice(0, maxTexts),
    recognition: [...new Set(recognition)].slice(0, maxTexts).map((text) => text.slice(0, maxMessageCharacters)),
  };
}

/** Reasons to look at the document; none when `reviewBelow` is 0. */
export function findDoubts(quality: ConversionQuality, reviewBelow: number = defaultReviewBelow): Doubt[] {
  if (reviewBelow <= 0) return [];
  const unsure = quality.pages.filter(({ confidence }) => confidence < reviewBelow);
  const lost = quality.left_out.filter(({ kind, words }) => words > fewWords || kind === 'damaged part');
  const doubts: (Doubt | false)[] = [
    unsure[0] !== undefined && {
      code: 'low_confidence',
      message: describeUnsure(unsure.length, unsure[0], reviewBelow),
      pages: unsure.slice(0, maxPages).map(({ page }) => page),
    },
    quality.unread.length > 0 && {
      code: 'pages_unread',
      message: `${countNouns(quality.unread.length, 'page')} could not be read, or only in part.`,
      pages: quality.unread.slice(0, maxPages),
    },
    lost.length > 0 && {
      code: 'content_left_out',
      message: `Not in the text: ${lost.map(({ kind, count, words }) => `${count} × ${kind} (${countNouns(words, 'word')})`).join(', ')}.`,
    },
    quality.recognition.length > 0 && { code: 'recognition', message: quality.recognition.join(' ') },
  ];
  return doubts.filter((doubt) => doubt !== false);
}

/** The threshold is written as it is, and the confidence is rounded down, so that it is below the threshold in the message too. */
function describeUnsure(count: number, lowest: { page: number; confidence: number }, reviewBelow: number): string {
  const limit = `${toPercent(reviewBelow)} %`;
  const confidence = `${Math.floor(toPercent(lowest.confidence))} %`;
  return `${countNouns(count, 'page')} with a confidence below ${limit}; the lowest is page ${lowest.page} with ${confidence}.`;
}

/** Decimals of a percentage; further ones are noise of the multiplication: 0.29 * 100 is 28.999999999999996. */
const percentDecimals = 6;

function toPercent(share: number): number {
  return Number((share * 100).toFixed(percentDecimals));
}
