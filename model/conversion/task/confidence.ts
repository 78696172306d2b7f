import { type Confidence, type PageConfidence, unspecifiedConfidence } from './result';

/** How sure the readers were of a page, from 0 to 1; absent where there was nothing to be sure of. */
export interface PageScores {
  /** Its number, counted from 1. */
  page?: number;
  /** Of the text that the file holds. */
  parse?: number;
  /** Of the regions that a model of layout saw. */
  layout?: number;
  /** Of the rows, columns and cells that a model of tables saw. */
  table?: number;
  /** Of the words that were read in its image. */
  ocr?: number;
}

/** The text of a document is as good as that of its worst pages: this share of them. */
const worstPages = 0.1;
const low = 0.05;
/** A result of more pages than these would be too large for its record. */
const mostPages = 1_000;
const { pages: _none, ...unspecified } = unspecifiedConfidence;

/**
 * The confidence of a document by that of its pages: scores are means, that of the text is the quantile of the worst tenth.
 * Mean and low score are means of those of the pages.
 */
export function confidenceOf(pages: readonly PageScores[]): Confidence {
  const named = pages
    .slice(0, mostPages)
    .flatMap((page) => (page.page === undefined ? [] : [{ ...page, page: page.page }]));
  return { ...overall(pages), pages: Object.fromEntries(named.map((page) => [String(page.page), overall([page])])) };
}

function overall(pages: readonly PageScores[]): PageConfidence {
  const scores = pages.map(({ parse, layout, table, ocr }) => present([ocr, table, layout, parse]));
  const all = (name: Exclude<keyof PageScores, 'page'>) => present(pages.map((page) => page[name]));
  const means = present(scores.map(mean));
  if (means.length === 0) return unspecified;
  const [meanScore, lowScore] = [mean(means), mean(present(scores.map((values) => quantile(values, low))))];
  return {
    parse_score: quantile(all('parse'), worstPages),
    layout_score: mean(all('layout')),
    table_score: mean(all('table')),
    ocr_score: mean(all('ocr')),
    mean_score: meanScore,
    low_score: lowScore,
    mean_grade: gradeOf(meanScore),
    low_grade: gradeOf(lowScore),
  };
}

function present(values: readonly (number | null | undefined)[]): number[] {
  return values.filter((value): value is number => typeof value === 'number' && !Number.isNaN(value));
}

function mean(values: readonly number[]): number | null {
  return values.length > 0 ? rounded(values.reduce((sum, value) => sum + value, 0) / values.length) : null;
}

/** The value below which that share lies, between two values in proportion. */
function quantile(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)] as number, sorted[Math.ceil(place)] as number];
  return rounded(below + (above - below) * (place - Math.floor(place)));
}

/** Sums of floating point numbers end in digits that mean nothing. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

function gradeOf(score: number | null): Confidence['mean_grade'] {
  if (score === null) return 'unspecified';
  if (score < 0.5) return 'poor';
  if (score < 0.8) return 'fair';
  return score < 0.9 ? 'good' : 'excellent';
}
