import type { StoredFormula } from '../../compound/xls/formula';
import { createFormulaCells } from '../../compound/xls/formula-cells';
import type { FormulaLinks } from '../../compound/xls/links';
import { sharedToken } from '../../compound/xls/sheet-formulas';
import type { FormulaBudget } from '../xlsx/formulas';
import { type Grid, toCellKey } from '../xlsx/grid';
import { type BinaryRecord, brt } from './records';

/** Reads the formulas of one sheet of a binary workbook. */
export interface BinaryFormulas {
  /** Takes a record of the sheet; others than formulas are ignored. */
  add(record: BinaryRecord, row: number): void;
  /** Gives the cells of the sheet their formulas. */
  putInto(grid: Grid): void;
}

/** Bytes of column and style, which precede the value of a cell, and of the options that follow it. */
const [cellBytes, optionBytes] = [8, 2];
/** Bytes of the range in front of a formula of several cells; that of an array also has a byte of options. */
const [rangeBytes, arrayBytes] = [16, 17];

/** Creates a reader of the formulas of one sheet. Formulas that cannot be read are counted in the budget. */
export function createBinaryFormulas(links: FormulaLinks, budget: FormulaBudget): BinaryFormulas {
  const cells = createFormulaCells(links, budget);
  return {
    add({ type, data }, row) {
      if (type === brt.sharedFormula || type === brt.arrayFormula) {
        const isArray = type === brt.arrayFormula;
        const formula = cutFormula(data, isArray ? arrayBytes : rangeBytes);
        if (formula) cells.share(formula, isArray);
        return;
      }
      const valueBytes = measureValue({ type, data });
      if (valueBytes === undefined || data.length < cellBytes) return;
      const formula = cutFormula(data, cellBytes + valueBytes + optionBytes);
      if (formula) cells.add({ row, column: data.readUInt32LE(0), formula, owner: findOwner(formula) });
    },
    putInto: (grid) => cells.putInto(grid),
  };
}

/** Bytes of the cached value of a formula; undefined for other records. */
function measureValue({ type, data }: BinaryRecord): number | undefined {
  if (type === brt.formulaNumber) return 8;
  if (type === brt.formulaBool || type === brt.formulaError) return 1;
  if (type !== brt.formulaText || data.length < cellBytes + 4) return undefined;
  return 4 + 2 * data.readUInt32LE(cellBytes);
}

/** The tokens follow their length; then come the constants of arrays after theirs (MS-XLSB 2.5.98.1). */
function cutFormula(data: Buffer, at: number): StoredFormula | undefined {
  const start = at + 4;
  if (start > data.length) return undefined;
  const end = start + data.readUInt32LE(at);
  if (end > data.length) return undefined;
  return { tokens: data.subarray(start, end), constants: data.subarray(end + 4), isWide: true };
}

/** The cell with the shared formula: its row is in the token, its column after all tokens (MS-XLSB 2.5.98.38). */
function findOwner({ tokens, constants }: StoredFormula): number | undefined {
  if (tokens[0] !== sharedToken || tokens.length < 5 || constants.length < 4) return undefined;
  return toCellKey(tokens.readUInt32LE(1), constants.readUInt32LE(0));
}
