/** The expected content of a generated page, in reading order. */
export type TruthBlock =
  | { kind: 'heading'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'item'; text: string; depth: number }
  | { kind: 'formula'; tex: string }
  | { kind: 'table'; rows: TruthCell[][] };

/** A cell of a table; spans count from 1. */
export interface TruthCell {
  text: string;
  columns?: number;
  rows?: number;
}

/** A generated document. `furniture` holds the texts of running heads and feet, once for each page. */
export interface Truth {
  /** The kind of page, for the table of scores. */
  kind: string;
  blocks: TruthBlock[];
  furniture: string[];
}

/** The words of the body in reading order; cells row by row. */
export function listTruthWords({ blocks }: Truth): string[] {
  return blocks.flatMap((block) => {
    // Formulas are scored separately.
    if (block.kind === 'formula') return [];
    return block.kind === 'table' ? block.rows.flat().flatMap(({ text }) => splitWords(text)) : splitWords(block.text);
  });
}

/** Sequences of letters and digits, in lower case; each sign of Chinese and Japanese alone, as they have no spaces. */
export function splitWords(text: string): string[] {
  return text.toLowerCase().normalize('NFKC').match(wordPattern) ?? [];
}

const unspaced = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}';
const wordPattern = new RegExp(`[${unspaced}]|(?:(?![${unspaced}])[\\p{L}\\p{N}])+`, 'gu');
