import type { Confidence, PageConfidence } from './result';

/** Confidence of the readers in a page, from 0 to 1. Scores that do not apply are absent. */
export interface PageScores {
  /** Page number, from 1. */
  page?: number;
  /** Text stored in the file. */
  parse?: number;
  /** Regions found by the layout model. */
  layout?: number;
  /** Rows, columns and cells found by the table model. */
  table?: number;
  /** Words recognized in the page image. */
  ocr?: number;
}

/** The quantile of the pages that is the text score of a document. */
const textQuantile = 0.1;
/** The quantile of the scores of a page that is its low score. */
const lowQuantile = 0.05;
/** The confidence of further pages is not stored, which bounds the record of a result. */
const maxPages = 1_000;
const unspecified: PageConfidence = {
  parse_score: null,
  layout_score: null,
  table_score: null,
  ocr_score: null,
  mean_score: null,
  low_score: null,
  mean_grade: 'unspecified',
  low_grade: 'unspecified',
};
/** The confidence of a document whose pages are not known. */
export const unspecifiedConfidence: Confidence = { ...unspecified, pages: {} };

/**
 * Computes the confidence of a document from its pages. Scores are means, except for the text score, which is the quantile of
 * the worst tenth. Mean and low score are the means of the pages.
 */
export function computeConfidence(pages: readonly PageScores[]): Confidence {
  const named = pages
    .slice(0, maxPages)
    .flatMap((page) => (page.page === undefined ? [] : [{ ...page, page: page.page }]));
  return {
    ...scorePages(pages),
    pages: Object.fromEntries(named.map((page) => [String(page.page), scorePages([page])])),
  };
}

function scorePages(pages: readonly PageScores[]): PageConfidence {
  const scores = pages.map(({ parse, layout, table, ocr }) => omitNull([ocr, table, layout, parse]));
  const listScores = (name: Exclude<keyof PageScores, 'page'>) => omitNull(pages.map((page) => page[name]));
  const means = omitNull(scores.map(computeMean));
  if (means.length === 0) return unspecified;
  const meanScore = computeMean(means);
  const lowScore = computeMean(omitNull(scores.map((values) => computeQuantile(values, lowQuantile))));
  return {
    parse_score: computeQuantile(listScores('parse'), textQuantile),
    layout_score: computeMean(listScores('layout')),
    table_score: computeMean(listScores('table')),
    ocr_score: computeMean(listScores('ocr')),
    mean_score: meanScore,
    low_score: lowScore,
    mean_grade: computeGrade(meanScore),
    low_grade: computeGrade(lowScore),
  };
}

function omitNull(values: readonly (number | null | undefined)[]): number[] {
  return values.filter((value): value is number => typeof value === 'number' && !Number.isNaN(value));
}

function computeMean(values: readonly number[]): number | null {
  return values.length > 0 ? roundScore(values.reduce((sum, value) => sum + value, 0) / values.length) : null;
}

/** The quantile for that share, with linear interpolation between two values. */
function computeQuantile(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)] as number, sorted[Math.ceil(place)] as number];
  return roundScore(below + (above - below) * (place - Math.floor(place)));
}

/** Removes floating-point noise from sums. */
function roundScore(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

function computeGrade(score: number | null): Confidence['mean_grade'] {
  if (score === null) return 'unspecified';
  if (score < 0.5) return 'poor';
  if (score < 0.8) return 'fair';
  return score < 0.9 ? 'good' : 'excellent';
}
