import type { XmlHandlers } from '../../xml/xml';
import type { CellFormats } from './cell-format';
import { unescapeControls } from './shared-strings';

/** Maximum number of columns of a sheet (ECMA-376 part 1, 18.3.1.73). */
export const columnLimit = 16_384;
/** Maximum number of rows of a sheet. */
export const rowLimit = 1_048_576;

/** The value of a cell that is not text. */
export type CellValue = number | string | boolean;

/** A cell as the sheet shows it, its value if the text is less precise, and its formula if it was asked for. */
export interface ShownCell {
  text: string;
  value?: CellValue | undefined;
  formula?: string | undefined;
}

/** Data that the texts of cells depend on. */
export interface CellTexts {
  strings: readonly string[];
  formats: CellFormats;
}

/** Reads the formulas of the cells of a worksheet. Cells that share a formula get it with their own references. */
export interface FormulaScanner extends Required<XmlHandlers> {
  /** The formula of the cell that ends, as Excel shows it; undefined if it has none. */
  take(place: { row: number; column: number }): string | undefined;
}

/** What a scan of a worksheet reads besides the texts of cells. */
export interface ScanOptions {
  /** Absent: formulas are not read. */
  formulas?: FormulaScanner | undefined;
  /** Called for each formula whose result the file does not have, so that its cell is empty. */
  onUncomputed?: (() => void) | undefined;
}

/**
 * Returns handlers that report the cells of worksheets in file order, even if a sheet is scanned in several parts. Rows and
 * columns start at 0; cells outside the grid are skipped.
 */
export function createCellScanner(
  texts: CellTexts,
  onCell: (row: number, column: number, cell: ShownCell) => void,
  { formulas, onUncomputed }: ScanOptions = {},
): Required<XmlHandlers> {
  let [row, column] = [-1, -1];
  let [type, style]: (string | undefined)[] = [];
  let text = '';
  let [hasText, hasFormula, isCollecting] = [false, false, false];
  /** Depth within phonetic guides, whose text does not belong to the cell. */
  let phoneticDepth = 0;
  return {
    open(name, attributes) {
      formulas?.open(name, attributes);
      switch (name) {
        case 'x:row':
          row = attributes['r'] === undefined ? row + 1 : Number(attributes['r']) - 1;
          column = -1;
          break;
        case 'x:c': {
          const place = attributes['r'] === undefined ? undefined : parseCell(attributes['r']);
          column = place?.column ?? column + 1;
          row = place?.row ?? row;
          ({ t: type, s: style } = attributes);
          text = '';
          [hasText, hasFormula] = [false, false];
          break;
        }
        case 'x:f':
          hasFormula = true;
          break;
        case 'x:v':
        case 'x:t':
          isCollecting = phoneticDepth === 0;
          hasText ||= isCollecting;
          break;
        case 'x:rPh':
          phoneticDepth += 1;
          break;
        default:
      }
    },
    text(piece) {
      formulas?.text(piece);
      if (isCollecting) text += piece;
    },
    close(name) {
      formulas?.close(name);
      if (name === 'x:v' || name === 'x:t') isCollecting = false;
      else if (name === 'x:rPh') phoneticDepth -= 1;
      else if (name === 'x:c') {
        const formula = formulas?.take({ row, column });
        if (hasFormula && !hasText) onUncomputed?.();
        if (!hasText && formula === undefined) return;
        const shown = readShownCell(texts, { raw: text, type, style });
        if (isInGrid(row, column)) onCell(row, column, formula === undefined ? shown : { ...shown, formula });
      }
    },
  };
}

function isInGrid(row: number, column: number): boolean {
  return row >= 0 && row < rowLimit && column >= 0 && column < columnLimit;
}

/** Returns an empty text for an empty cell, such as a formula with an empty result. */
function readShownCell(
  { strings, formats }: CellTexts,
  { raw, type, style }: { raw: string; type: string | undefined; style: string | undefined },
): ShownCell {
  if (type === 's') return { text: formats.text(strings[Number(raw)] ?? '', style) };
  if (type === 'inlineStr' || type === 'str') return { text: formats.text(unescapeControls(raw), style) };
  const trimmed = raw.trim();
  if (type === 'b') return trimmed === '' ? { text: '' } : formatTruth(trimmed === '1' || trimmed === 'true');
  if (type === 'e') return { text: raw };
  if (type === 'd') return { text: raw.replace('T', ' ').replace(/Z$/, '') };
  const value = Number(trimmed);
  if (trimmed === '' || !Number.isFinite(value)) return { text: trimmed };
  return formats.number(value, style);
}

/** Formats a boolean as spreadsheets show it. */
export function formatTruth(value: boolean): { text: string; value: boolean } {
  return { text: value ? 'TRUE' : 'FALSE', value };
}

/** Parses `B7` or `$B$7`; undefined for any other text. */
export function parseCell(reference: string): { row: number; column: number } | undefined {
  const match = /^\$?([A-Za-z]{1,3})\$?(\d{1,7})$/.exec(reference);
  if (match === null) return undefined;
  let column = 0;
  for (const letter of match[1]!.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return { row: Number(match[2]) - 1, column: column - 1 };
}
