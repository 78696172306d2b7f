import type { ContentLayer, DoclingDocument } from '../document/model';

/** Content of one kind that a file contains but Markdown, HTML and text do not. */
export interface Coverage {
  /** In the singular: `hidden sheet`, `note`, `header or footer`, `embedded object`, `macro`, `attachment`, … */
  kind: string;
  count: number;
  words: number;
  /** True: on a layer of the document that JSON and DocTags include. False: in no output. */
  in_json: boolean;
}

/** The number of letters and digits of a page, and how many of them the items of the document contain. */
export interface PageShare {
  /** Starts at 1. */
  page: number;
  letters: number;
  found: number;
}

/** The share of the pages' text that the items of the document contain, from 0 to 1. */
export interface PageTextShare {
  share: number;
  /** Pages with missing text, in order. */
  incomplete: { page: number; share: number }[];
}

/** A loss up to the larger of the two is decoration, such as letters drawn as bullets. */
const toleratedLoss = { share: 0.02, letters: 25 };

/** True if text of the page is missing. */
export function isIncomplete({ letters, found }: PageShare): boolean {
  return letters - found > Math.max(toleratedLoss.letters, toleratedLoss.share * letters);
}

/** The share of all pages; undefined if no page has text, or the format has no such pages. */
export function computeTextShare(shares: readonly PageShare[]): PageTextShare | undefined {
  const letters = shares.reduce((sum, page) => sum + page.letters, 0);
  const foundLetters = shares.reduce((sum, page) => sum + page.found, 0);
  if (letters === 0) return undefined;
  const incomplete = shares
    .filter(isIncomplete)
    .map((page) => ({ page: page.page, share: roundDown(page.found / page.letters) }));
  return { share: roundDown(foundLetters / letters), incomplete };
}

/** Rounds down, so that only complete text has a share of 1. */
function roundDown(share: number): number {
  return Math.floor(share * 10_000) / 10_000;
}

/** Called for content that a reader omits, with its kind and, if known, its text or the number of its words. */
export type RecordOmission = (kind: string, text?: string | { words: number }) => void;

/** Content with at most this many words causes no warning. */
const maxWordsWithoutWarning = 5;
const kindsWithoutWarning: ReadonlySet<string> = new Set(['header or footer', 'missing text']);

/** Collects content that a reader omits; `listOmissions` adds what only the JSON of the document contains. */
export function createCoverage(): {
  recordOmission: RecordOmission;
  listOmissions: (document: DoclingDocument) => Coverage[];
} {
  const omitted = new Map<string, Coverage>();
  return {
    recordOmission(kind, text = '') {
      const words = typeof text === 'string' ? countWords(text) : text.words;
      add(omitted, { kind, count: 1, words, in_json: false });
    },
    listOmissions: (document) => [...listOtherLayers(document), ...omitted.values()],
  };
}

function add(coverages: Map<string, Coverage>, { kind, count, words, in_json }: Coverage): void {
  const earlier = coverages.get(kind);
  if (earlier === undefined) coverages.set(kind, { kind, count, words, in_json });
  else {
    earlier.count += count;
    earlier.words += words;
  }
}

function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}

const kindsOfTexts: Readonly<Record<Exclude<ContentLayer, 'body'>, string>> = {
  furniture: 'header or footer',
  background: 'background text',
  invisible: 'hidden text',
  notes: 'note',
};

/** Returns content on layers that Markdown, HTML and text omit. */
function listOtherLayers({ texts, tables, groups }: DoclingDocument): Coverage[] {
  const coverages = new Map<string, Coverage>();
  const sheets = groups.filter(
    ({ content_layer: layer, name, label }) =>
      layer === 'invisible' && (label === 'sheet' || (label === 'section' && name.startsWith('sheet: '))),
  );
  if (sheets.length > 0) add(coverages, { kind: 'hidden sheet', count: sheets.length, words: 0, in_json: true });
  const addItem = (layer: Exclude<ContentLayer, 'body'>, words: number) => {
    // Hidden content of a workbook belongs to its hidden sheets, which are counted above.
    const isOfSheet = layer === 'invisible' && sheets.length > 0;
    const kind = isOfSheet ? 'hidden sheet' : kindsOfTexts[layer];
    add(coverages, { kind, count: isOfSheet ? 0 : 1, words, in_json: true });
  };
  for (const { content_layer: layer, text } of texts)
    if (layer !== 'body' && text !== '') addItem(layer, countWords(text));
  for (const { content_layer: layer, data } of tables) {
    if (layer === 'body') continue;
    addItem(
      layer,
      data.table_cells.reduce((sum, { text }) => sum + countWords(text), 0),
    );
  }
  return [...coverages.values()];
}

/**
 * Returns one sentence for content that only the JSON contains, and one for content that no output contains. Short texts are
 * not mentioned.
 */
export function listCoverageWarnings(coverage: readonly Coverage[]): string[] {
  const sentences: [inJson: boolean, begin: string, end: string][] = [
    [true, 'Markdown, HTML and text leave out ', ', which the JSON has.'],
    [false, 'Left out: ', '.'],
  ];
  return sentences.flatMap(([inJson, begin, end]) => {
    // Headers and footers repeat on each page, and most documents have some. The reader names pages with missing text.
    const coverages = coverage.filter(
      ({ in_json, words, kind }) =>
        in_json === inJson && words > maxWordsWithoutWarning && !kindsWithoutWarning.has(kind),
    );
    if (coverages.length === 0) return [];
    const parts = coverages.map(
      ({ kind, count, words }) => `${count} ${count === 1 ? kind : getPlural(kind)} (${words} words)`,
    );
    return [`${begin}${parts.join(', ')}${end}`];
  });
}

function getPlural(kind: string): string {
  return kind === 'text outside the page' ? 'texts outside the page' : `${kind}s`;
}
