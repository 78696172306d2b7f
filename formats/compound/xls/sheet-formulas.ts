import type { FormulaBudget } from '../../ooxml/xlsx/formulas';
import { type Grid, toCellKey } from '../../ooxml/xlsx/grid';
import type { StoredFormula } from './formula';
import { createFormulaCells } from './formula-cells';
import type { FormulaLinks } from './links';
import { biff, type BiffRecord } from './records';

/** Reads the formulas of one sheet of Excel 97 to 2003. */
export interface SheetFormulas {
  /** Takes a record of the sheet; others than formulas are ignored. */
  add(record: BiffRecord): void;
  /** Gives the cells of the sheet their formulas. */
  putInto(grid: Grid): void;
}

/** A formula that consists of this token belongs to the cell that the token names (MS-XLS 2.5.198.58). */
export const sharedToken = 0x01;

/** Creates a reader of the formulas of one sheet. Formulas that cannot be read are counted in the budget. */
export function createSheetFormulas(links: FormulaLinks, budget: FormulaBudget): SheetFormulas {
  const cells = createFormulaCells(links, budget);
  return {
    add({ type, parts }) {
      const data = parts[0]!;
      if (type === biff.formula && data.length >= 22) {
        const formula = cutFormula(parts, 20);
        const { tokens } = formula;
        const isShared = tokens[0] === sharedToken && tokens.length >= 5;
        const owner = isShared ? toCellKey(tokens.readUInt16LE(1), tokens.readUInt16LE(3)) : undefined;
        cells.add({ row: data.readUInt16LE(0), column: data.readUInt16LE(2), formula, owner });
      } else if (type === biff.sharedFormula && data.length >= 10) cells.share(cutFormula(parts, 8), false);
      else if (type === biff.array && data.length >= 14) cells.share(cutFormula(parts, 12), true);
    },
    putInto: (grid) => cells.putInto(grid),
  };
}

/** The tokens follow their length; constants of arrays follow the tokens. */
function cutFormula(parts: readonly Buffer[], lengthAt: number): StoredFormula {
  const data = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  const start = lengthAt + 2;
  const end = start + data.readUInt16LE(lengthAt);
  return { tokens: data.subarray(start, end), constants: data.subarray(end) };
}
