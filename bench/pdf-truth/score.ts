import type { DoclingDocument, TableItem } from '../../document/model';
import { toText } from '../../document/write/text';
import { type Truth, type TruthBlock, type TruthCell, splitWords, listTruthWords } from './truth';

/** Each from 0 to 1; absent where the document has none of it. */
export interface Scores {
  /** Words of the body that reach the text output. */
  words: number;
  /** Share of the words that are in the right order. */
  order: number;
  headings?: number;
  tables?: number;
  items?: number;
  /** Running headers and footers that are furniture; body text marked as furniture lowers the score. */
  furniture?: number;
  /** Numbers with decimals, as they are written. */
  amounts?: number;
  /** Tokens of TeX of each formula, in order. */
  formulas?: number;
}

/** Compares the extracted with the expected text. */
export function scoreDocument(whole: DoclingDocument, truth: Truth): Scores {
  const formulas = whole.texts.flatMap(({ label, text }) => (label === 'formula' ? [text] : []));
  const document = omitFormulas(whole);
  const expectedWords = listTruthWords(truth);
  const foundWords = splitWords(toText(document).replaceAll('<!-- image -->', ''));
  const texts = document.texts.filter(({ content_layer: layer }) => layer === 'body');
  const listTexts = (labels: readonly string[]) =>
    texts.filter(({ label }) => labels.includes(label)).map(({ text }) => text);
  const listTruthTexts = (kind: 'heading' | 'item') =>
    truth.blocks.flatMap((block) => (block.kind === kind ? [block.text] : []));
  const tables = truth.blocks.flatMap((block) =>
    block.kind === 'table' ? listRelations(listTruthCells(block.rows)) : [],
  );
  const foundTables = document.tables.flatMap((table) => listRelations(listTableCells(table)));
  const furniture = document.texts.filter(({ content_layer: layer }) => layer === 'furniture').map(({ text }) => text);
  return {
    words: countShared(expectedWords, foundWords) / Math.max(1, expectedWords.length),
    order: measureCommonLength(expectedWords, foundWords) / Math.max(1, expectedWords.length),
    ...scoreTexts('headings', listTruthTexts('heading'), listTexts(['section_header', 'title'])),
    ...scoreTexts('tables', tables, foundTables),
    ...scoreTexts(
      'items',
      listTruthTexts('item'),
      listTexts(['list_item', 'checkbox_selected', 'checkbox_unselected']),
    ),
    ...scoreTexts('furniture', truth.furniture.flatMap(splitWords), furniture.flatMap(splitWords)),
    ...scoreFormula(
      truth.blocks.flatMap((block) => (block.kind === 'formula' ? [block.tex] : [])),
      formulas,
    ),
    ...scoreTexts('amounts', listAmounts(truth.blocks.map(getBlockText).join('\n')), listAmounts(toText(document))),
  };
}

/** The document with empty formulas, because TeX does not consist of words. */
function omitFormulas(document: DoclingDocument): DoclingDocument {
  const texts = document.texts.map((item) => (item.label === 'formula' ? { ...item, text: '', orig: '' } : item));
  return { ...document, texts };
}

/** The share of each formula's TeX in the best matching formula of the output; missing formulas count as 0. */
function scoreFormula(wanted: readonly string[], found: readonly string[]): Partial<Scores> {
  if (wanted.length + found.length === 0) return {};
  const best = wanted.map((tex) => {
    const tokens = listTokens(tex);
    const values = found.map(
      (other) => (2 * measureCommonLength(tokens, listTokens(other))) / (tokens.length + listTokens(other).length),
    );
    return Math.max(0, ...values);
  });
  return { formulas: best.reduce((total, value) => total + value, 0) / Math.max(wanted.length, found.length) };
}

function listTokens(tex: string): string[] {
  return tex.match(/\\[a-zA-Z]+|\\.|\S/g) ?? [];
}

function getBlockText(block: TruthBlock): string {
  if (block.kind === 'formula') return '';
  return block.kind === 'table' ? block.rows.flatMap((cells) => cells.map(({ text }) => text)).join('\n') : block.text;
}

function listAmounts(text: string): string[] {
  return text.match(/\d[\d.,]*[.,]\d{2}(?!\d)/g) ?? [];
}

/** The F1 score of two lists of texts; nothing if both are empty. */
function scoreTexts(name: keyof Scores, wanted: readonly string[], got: readonly string[]): Partial<Scores> {
  if (wanted.length + got.length === 0) return {};
  // Amounts also differ by their separators.
  const write = (text: string) => (name === 'amounts' ? text : splitWords(text).join(' '));
  const [a, b] = [wanted.map(write), got.map(write)];
  return { [name]: (2 * countShared(a, b)) / (a.length + b.length) };
}

/** How many members both lists contain, counting repetitions. */
function countShared(a: readonly string[], b: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const value of a) counts.set(value, (counts.get(value) ?? 0) + 1);
  let found = 0;
  for (const value of b) {
    const left = counts.get(value) ?? 0;
    if (left > 0) found += 1;
    counts.set(value, left - 1);
  }
  return found;
}

/** The length of the longest common subsequence. */
function measureCommonLength(a: readonly string[], b: readonly string[]): number {
  let above = new Uint32Array(b.length + 1);
  for (const word of a) {
    const row = new Uint32Array(b.length + 1);
    for (let index = 0; index < b.length; index += 1)
      row[index + 1] =
        b[index] === word ? (above[index] as number) + 1 : Math.max(above[index + 1] as number, row[index] as number);
    above = row;
  }
  return above[b.length] as number;
}

interface Placed {
  text: string;
  row: number;
  rowEnd: number;
  column: number;
  columnEnd: number;
}

function listTruthCells(rows: readonly (readonly TruthCell[])[]): Placed[] {
  const taken = new Set<string>();
  return rows.flatMap((cells, row) => {
    let column = 0;
    return cells.map(({ text, columns = 1, rows: high = 1 }) => {
      while (taken.has(`${row}/${column}`)) column += 1;
      const cell = { text, row, rowEnd: row + high, column, columnEnd: column + columns };
      for (let r = row; r < cell.rowEnd; r += 1)
        for (let c = column; c < cell.columnEnd; c += 1) taken.add(`${r}/${c}`);
      return cell;
    });
  });
}

function listTableCells({ data }: TableItem): Placed[] {
  return data.table_cells.map((cell) => ({
    text: cell.text,
    row: cell.start_row_offset_idx,
    rowEnd: cell.end_row_offset_idx,
    column: cell.start_col_offset_idx,
    columnEnd: cell.end_col_offset_idx,
  }));
}

/** Pairs of each cell that has text and the next such cells to its right and below it. */
function listRelations(cells: readonly Placed[]): string[] {
  const filled = cells.filter(({ text }) => splitWords(text).length > 0);
  const at = new Map<string, Placed>();
  for (const cell of filled)
    for (let r = cell.row; r < cell.rowEnd; r += 1)
      for (let c = cell.column; c < cell.columnEnd; c += 1) at.set(`${r}/${c}`, cell);
  const [rows, columns] = [Math.max(0, ...cells.map((c) => c.rowEnd)), Math.max(0, ...cells.map((c) => c.columnEnd))];
  return filled.flatMap((cell) => {
    const right = new Set<Placed>();
    const below = new Set<Placed>();
    for (let r = cell.row; r < cell.rowEnd; r += 1) {
      let c = cell.columnEnd;
      while (c < columns && !at.has(`${r}/${c}`)) c += 1;
      const next = at.get(`${r}/${c}`);
      if (next) right.add(next);
    }
    for (let c = cell.column; c < cell.columnEnd; c += 1) {
      let r = cell.rowEnd;
      while (r < rows && !at.has(`${r}/${c}`)) r += 1;
      const next = at.get(`${r}/${c}`);
      if (next) below.add(next);
    }
    return [
      ...[...right].map(({ text }) => `${cell.text} beside ${text}`),
      ...[...below].map(({ text }) => `${cell.text} above ${text}`),
    ];
  });
}
