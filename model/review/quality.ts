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
  /** Numbers of the pages concerned, the most doubtful first. */
  pages?: number[];
}

/** The default of `review_below`. */
export const defaultReviewBelow = 0.7;

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
  const { mean_score: confidence, pages } = computeConfidence(scores);
  return {
    confidence,
    pages: Object.entries(pages)
      .flatMap(([page, { mean_score: mean }]) => (mean === null ? [] : [{ page: Number(page), confidence: mean }]))
      .toSorted((item, other) => item.confidence - other.confidence || item.page - other.page)
      .slice(0, maxPages),
    unread: [...new Set(unread)].slice(0, maxPages),
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
      message: `${countNouns(unsure.length, 'page')} with a confidence below ${formatPercent(reviewBelow)}; the lowest is page ${unsure[0].page} with ${formatPercent(unsure[0].confidence)}.`,
      pages: unsure.map(({ page }) => page),
    },
    quality.unread.length > 0 && {
      code: 'pages_unread',
      message: `${countNouns(quality.unread.length, 'page')} could not be read, or only in part.`,
      pages: quality.unread,
    },
    lost.length > 0 && {
      code: 'content_left_out',
      message: `Not in the text: ${lost.map(({ kind, count, words }) => `${count} × ${kind} (${countNouns(words, 'word')})`).join(', ')}.`,
    },
    quality.recognition.length > 0 && { code: 'recognition', message: quality.recognition.join(' ') },
  ];
  return doubts.filter((doubt) => doubt !== false);
}

function formatPercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
