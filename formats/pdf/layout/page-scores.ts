import type { PageScores } from '../../../model/conversion/task/confidence';
import { type PageText, lettersPerWord } from '../account/page-text';
import type { Line } from '../text/line';
import { isSure } from './regions';
import type { LaidPage } from './write';

/** The largest share of unreadable lines, and of unreadable words, in a page whose text scores 1. */
const worstShare = 0.1;
const control = /[^\P{Cc}\t\n\r]/u;
/** Private-use characters. One or two different ones are icons; more indicate an unreadable font. */
const privateUse = /[\ue000-\uf8ff\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}]/gu;

/** Confidence scores for a page, from 0 to 1. */
export function computeScores({ page: { page, lines, regions, text: pageText }, parts }: LaidPage): PageScores {
  const layout = findMean(regions?.filter(isSure).map(({ score }) => score) ?? []);
  const table = findMean(parts.flatMap((part) => (part.kind === 'table' ? (part.table.score ?? []) : [])));
  const isFromFile = page.ocrScore === undefined && lines.length > 0;
  const hasLostText = computeUnreadableShare(pageText) > worstShare;
  return {
    ...(isFromFile || hasLostText ? { parse: hasLostText ? 0 : computeTextScore(lines) } : {}),
    ...(page.ocrScore === undefined ? {} : { ocr: page.ocrScore }),
    ...(layout === undefined ? {} : { layout }),
    ...(table === undefined ? {} : { table }),
  };
}

function findMean(values: readonly number[]): number | undefined {
  return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : undefined;
}

/** The share of the words of a page whose characters neither the file nor recognition names; they are in no line. */
function computeUnreadableShare({ letters, unreadable }: PageText): number {
  const readLetters = [...letters.values()].reduce((sum, count) => sum + count, 0);
  return unreadable === 0 ? 0 : unreadable / (unreadable + readLetters / lettersPerWord);
}

/** 0 when more than a tenth of the lines contain meaningless characters, else 1. */
function computeTextScore(lines: readonly Line[]): number {
  const bad = lines.filter(({ text }) => !isReadable(text)).length;
  return bad > worstShare * lines.length ? 0 : 1;
}

function isReadable(text: string): boolean {
  if (text.includes('\ufffd') || control.test(text)) return false;
  const strange = text.match(privateUse);
  return !strange || (new Set(strange).size < 3 && strange.length < 0.2 * text.replace(/\s/g, '').length);
}
