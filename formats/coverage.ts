import type { ContentLayer, DoclingDocument } from '../document/model';

/** Items of a kind that a file holds and Markdown, HTML and text do not. */
export interface Coverage {
  /** In the singular: `hidden sheet`, `note`, `header or footer`, `embedded object`, `macro`, `attachment`, … */
  kind: string;
  count: number;
  words: number;
  /** On a layer of the document, which the JSON and DocTags have; false: in no output at all. */
  in_json: boolean;
}

/** Told of what a reader leaves out: its kind, and its text where it is known. */
export type LeaveOut = (kind: string, text?: string) => void;

/** Texts of more words than this are worth a warning. */
const fewWords = 5;

/** Gathers what a reader leaves out. */
export function createCoverage(): { leaveOut: LeaveOut; of: (document: DoclingDocument) => Coverage[] } {
  const left = new Map<string, Coverage>();
  return {
    leaveOut(kind, text = '') {
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

/** What stands on layers that Markdown, HTML and text leave out. */
function onOtherLayers({ texts, tables, groups }: DoclingDocument): Coverage[] {
  const found = new Map<string, Coverage>();
  const sheets = groups.filter(
    ({ content_layer: layer, name, label }) =>
      layer === 'invisible' && (label === 'sheet' || (label === 'section' && name.startsWith('sheet: '))),
  );
  if (sheets.length > 0) add(found, { kind: 'hidden sheet', count: sheets.length, words: 0, in_json: true });
  for (const { content_layer: layer, text } of texts) {
    if (layer === 'body' || text === '') continue;
    const isOfSheet = layer === 'invisible' && sheets.length > 0;
    const kind = isOfSheet ? 'hidden sheet' : kindsOfTexts[layer];
    add(found, { kind, count: isOfSheet ? 0 : 1, words: countWords(text), in_json: true });
  }
  for (const { content_layer: layer, data } of tables) {
    if (layer === 'body') continue;
    const words = data.table_cells.reduce((sum, { text }) => sum + countWords(text), 0);
    const isOfSheet = layer === 'invisible' && sheets.length > 0;
    const kind = isOfSheet ? 'hidden sheet' : kindsOfTexts[layer];
    add(found, { kind, count: isOfSheet ? 0 : 1, words, in_json: true });
  }
  return [...found.values()];
}

/** One sentence each for what only the JSON has and for what nothing has, where it is text of more than a few words. */
export function coverageWarnings(coverage: readonly Coverage[]): string[] {
  const sentences: [inJson: boolean, begin: string, end: string][] = [
    [true, 'Markdown, HTML and text leave out ', ', which the JSON has.'],
    [false, 'Left out: ', '.'],
  ];
  return sentences.flatMap(([inJson, begin, end]) => {
    // Headers and footers repeat what a page is; every second document has some.
    const told = coverage.filter(
      ({ in_json, words, kind }) => in_json === inJson && words > fewWords && kind !== 'header or footer',
    );
    if (told.length === 0) return [];
    const parts = told.map(
      ({ kind, count, words }) => `${count} ${count === 1 ? kind : pluralOf(kind)} (${words} words)`,
    );
    return [`${begin}${parts.join(', ')}${end}`];
  });
}

function pluralOf(kind: string): string {
  return kind === 'header or footer' ? 'headers or footers' : `${kind}s`;
}
