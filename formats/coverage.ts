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

/** Called for content that a reader omits, with its kind and, if known, its text. */
export type RecordOmission = (kind: string, text?: string) => void;

/** Content with more words than this causes a warning. */
const fewWords = 5;

/** Collects content that a reader omits. */
export function createCoverage(): { recordOmission: RecordOmission; of: (document: DoclingDocument) => Coverage[] } {
  const left = new Map<string, Coverage>();
  return {
    recordOmission(kind, text = '') {
      add(left, { kind, count: 1, words: countWords(text), in_json: false });
    },
    of: (document) => [...onOtherLayers(document), ...left.values()],
  };
}

function add(to: Map<string, Coverage>, { kind, count, words, in_json }: Coverage): void {
  const known = to.get(kind);
  if (known === undefined) to.set(kind, { kind, count, words, in_json });
  else {
    known.count += count;
    known.words += words;
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
function onOtherLayers({ texts, tables, groups }: DoclingDocument): Coverage[] {
  const coverages = new Map<string, Coverage>();
  const sheets = groups.filter(
    ({ content_layer: layer, name, label }) =>
      layer === 'invisible' && (label === 'sheet' || (label === 'section' && name.startsWith('sheet: '))),
  );
  if (sheets.length > 0) add(coverages, { kind: 'hidden sheet', count: sheets.length, words: 0, in_json: true });
  for (const { content_layer: layer, text } of texts) {
    if (layer === 'body' || text === '') continue;
    const isOfSheet = layer === 'invisible' && sheets.length > 0;
    const kind = isOfSheet ? 'hidden sheet' : kindsOfTexts[layer];
    add(coverages, { kind, count: isOfSheet ? 0 : 1, words: countWords(text), in_json: true });
  }
  for (const { content_layer: layer, data } of tables) {
    if (layer === 'body') continue;
    const words = data.table_cells.reduce((sum, { text }) => sum + countWords(text), 0);
    const isOfSheet = layer === 'invisible' && sheets.length > 0;
    const kind = isOfSheet ? 'hidden sheet' : kindsOfTexts[layer];
    add(coverages, { kind, count: isOfSheet ? 0 : 1, words, in_json: true });
  }
  return [...coverages.values()];
}

/**
 * Returns one sentence for content that only the JSON contains, and one for content that no output contains. Short texts are
 * not mentioned.
 */
export function coverageWarnings(coverage: readonly Coverage[]): string[] {
  const sentences: [inJson: boolean, begin: string, end: string][] = [
    [true, 'Markdown, HTML and text leave out ', ', which the JSON has.'],
    [false, 'Left out: ', '.'],
  ];
  return sentences.flatMap(([inJson, begin, end]) => {
    // Headers and footers repeat on each page, and too many documents have them.
    const coverages = coverage.filter(
      ({ in_json, words, kind }) => in_json === inJson && words > fewWords && kind !== 'header or footer',
    );
    if (coverages.length === 0) return [];
    const parts = coverages.map(
      ({ kind, count, words }) => `${count} ${count === 1 ? kind : pluralOf(kind)} (${words} words)`,
    );
    return [`${begin}${parts.join(', ')}${end}`];
  });
}

function pluralOf(kind: string): string {
  return kind === 'header or footer' ? 'headers or footers' : `${kind}s`;
}
