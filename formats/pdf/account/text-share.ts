import type { DoclingDocument, Provenance } from '../../../document/model';
import { isIncomplete, type PageShare } from '../../coverage';
import type { ReadOptions } from '../../format';
import type { ReadPage } from '../text/upright';
import { addLetters, type PageText, lettersPerWord } from './page-text';

/** Warnings name no more pages than this. */
const maxNamed = 20;

/**
 * Records for each page how much of its text the document contains, and what is left out: hidden text, text beside the visible
 * part of the page, words with characters that the fonts do not name, and text that is missing for no known reason.
 */
export function accountForText(
  document: DoclingDocument,
  pages: readonly ReadPage[],
  { recordOmission, recordShare, warn }: Pick<ReadOptions, 'recordOmission' | 'recordShare' | 'warn'>,
): void {
  const read = pages.map(({ page: { pageNo }, text }) => ({ pageNo, text }));
  for (const { hidden, outside, unreadable, unnamed = 0 } of read.map(({ text }) => text)) {
    if (hidden !== '') recordOmission?.('hidden text', hidden);
    if (outside !== '') recordOmission?.('text outside the page', outside);
    if (unreadable + unnamed > 0) recordOmission?.('unreadable text', { words: unreadable + unnamed });
  }
  const inDoubt = read.filter(({ text }) => (text.unnamed ?? 0) > 0);
  if (inDoubt.length > 0) warn?.(describeUnnamed(inDoubt));
  const shares = listShares(document, read);
  for (const share of shares) recordShare?.(share);
  const incomplete = shares.filter(isIncomplete);
  for (const { letters, found } of incomplete)
    recordOmission?.('missing text', { words: Math.ceil((letters - found) / lettersPerWord) });
  if (incomplete.length > 0) warn?.(describeMissing(incomplete));
}

function describeUnnamed(pages: readonly { pageNo: number; text: PageText }[]): string {
  const count = pages.reduce((sum, { text }) => sum + (text.unnamed ?? 0), 0);
  const numbers = pages.slice(0, maxNamed).map(({ pageNo }) => pageNo);
  const more = pages.length > maxNamed ? ` and ${pages.length - maxNamed} further pages` : '';
  const words = count === 1 ? '1 word has' : `${count} words have`;
  return `${words} characters that the file does not name, shown as \ufffd: page ${numbers.join(', ')}${more}.`;
}

function describeMissing(shares: readonly PageShare[]): string {
  const named = shares
    .slice(0, maxNamed)
    .map(
      ({ page, letters, found }) => `page ${page} (${Math.floor((100 * found) / letters)} % of its letters were read)`,
    );
  const more = shares.length > maxNamed ? ` and ${shares.length - maxNamed} further pages` : '';
  return `Text is missing: ${named.join(', ')}${more}.`;
}

type Counts = Map<string, number>;

/** Compares each page with the items that the document has of it; pages without letters are omitted. */
export function listShares(
  document: DoclingDocument,
  pages: readonly { pageNo: number; text: PageText }[],
): PageShare[] {
  const items = new Map<number, Counts>(pages.map(({ pageNo }) => [pageNo, new Map<string, number>()]));
  const spare = countItems(document, items);
  return pages.flatMap(({ pageNo, text: { letters } }) => {
    const item = items.get(pageNo) as Counts;
    let [total, foundLetters] = [0, 0];
    for (const [letter, count] of letters) {
      const inItems = Math.min(count, item.get(letter) ?? 0);
      // A table that continues on further pages: each page takes the letters that it lacks.
      const matchedCount = Math.min(count - inItems, spare.get(pageNo)?.get(letter) ?? 0);
      if (matchedCount > 0) spare.get(pageNo)?.set(letter, (spare.get(pageNo)?.get(letter) ?? 0) - matchedCount);
      total += count;
      foundLetters += inItems + matchedCount;
    }
    return total === 0 ? [] : [{ page: pageNo, letters: total, found: foundLetters }];
  });
}

/** Adds the letters of items to their pages. Returns those of tables on several pages, which these pages share. */
function countItems({ texts, tables }: DoclingDocument, pages: ReadonlyMap<number, Counts>): Map<number, Counts> {
  const add = (pageNo: number | undefined, text: string) => {
    const counts = pageNo === undefined ? undefined : pages.get(pageNo);
    if (counts) addLetters(counts, text);
  };
  for (const { text, orig, prov, content_layer: layer } of texts) {
    // Comments lie on the page, but are not printed on it.
    if (layer === 'notes') continue;
    const [first, ...others] = prov;
    // `orig` has the signs of a formula and the marker of a list item.
    if (others.length === 0 || !hasSpans(prov)) add(first?.page_no, orig);
    else for (const { page_no: pageNo, charspan } of prov) add(pageNo, text.slice(...charspan));
  }
  const spare = new Map<number, Counts>();
  for (const { prov, data } of tables) {
    const numbers = [...new Set(prov.map(({ page_no: pageNo }) => pageNo))];
    const shared: Counts = new Map();
    for (const { text } of data.table_cells)
      if (numbers.length > 1) addLetters(shared, text);
      else add(numbers[0], text);
    if (numbers.length > 1) for (const pageNo of numbers) spare.set(pageNo, merge(spare.get(pageNo), shared));
  }
  return spare;
}

/** The letters of both, for a page on which one table ends and another begins. */
function merge(before: Counts | undefined, more: Counts): Counts {
  if (!before || before === more) return more;
  for (const [letter, count] of before) more.set(letter, (more.get(letter) ?? 0) + count);
  return more;
}

/** True if every position states which part of the text it contains. */
function hasSpans(prov: readonly Provenance[]): boolean {
  return prov.every(({ charspan: [from = 0, to = 0] }) => to > from);
}
