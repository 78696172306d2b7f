import { type FormulaBudget, spendOn } from '../../ooxml/xlsx/formulas';
import { type Grid, putCell, toCellKey } from '../../ooxml/xlsx/grid';
import { type StoredFormula, writeFormula } from './formula';
import type { FormulaLinks } from './links';
import { biff, type BiffRecord } from './records';

/** Reads the formulas of one sheet of Excel 97 to 2003. */
export interface SheetFormulas {
  /** Takes a record of the sheet; others than formulas are ignored. */
  add(record: BiffRecord): void;
  /** Gives the cells of the sheet their formulas. */
  putInto(grid: Grid): void;
}

interface FormulaCell {
  key: number;
  row: number;
  column: number;
  formula: StoredFormula;
}

/** A formula that consists of this token belongs to the cell that the token names (MS-XLS 2.5.198.58). */
const sharedToken = 0x01;

/** Creates a reader of the formulas of one sheet. Formulas that cannot be read are counted in the budget. */
export function createSheetFormulas(links: FormulaLinks, budget: FormulaBudget): SheetFormulas {
  const cells: FormulaCell[] = [];
  /** Formulas of several cells, by the cell whose formula precedes their record. */
  const shared = new Map<number, StoredFormula & { isArray: boolean }>();
  return {
    add({ type, parts }) {
      const data = parts[0]!;
      if (type === biff.formula && data.length >= 22) {
        const [row, column] = [data.readUInt16LE(0), data.readUInt16LE(2)];
        cells.push({ key: toCellKey(row, column), row, column, formula: cutFormula(parts, 20) });
      } else if ((type === biff.sharedFormula && data.length >= 10) || (type === biff.array && data.length >= 14)) {
        const before = cells.at(-1);
        const isArray = type === biff.array;
        if (before) shared.set(before.key, { ...cutFormula(parts, isArray ? 12 : 8), isArray });
      }
    },
    putInto(grid) {
      /** Shared formulas that failed for one cell. Many cells may refer to a long one, and a failure costs no budget. */
      const unreadable = new Set<StoredFormula>();
      for (const cell of cells) {
        const { tokens } = cell.formula;
        const isShared = tokens[0] === sharedToken && tokens.length >= 5;
        const owner = isShared ? shared.get(toCellKey(tokens.readUInt16LE(1), tokens.readUInt16LE(3))) : undefined;
        const formula = owner ?? cell.formula;
        const isRead = budget.left > 0 && !unreadable.has(formula);
        const written = isRead ? writeFormula(formula, cell, links) : undefined;
        if (written === undefined) {
          if (owner) unreadable.add(owner);
          budget.unread += 1;
          continue;
        }
        const shown = spendOn(budget, owner?.isArray ? `{=${written}}` : `=${written}`);
        if (shown !== undefined) putCell(grid, cell.key, { text: grid.cells.get(cell.key) ?? '', formula: shown });
      }
    },
  };
}

/** The tokens follow their length; constants of arrays follow the tokens. */
function cutFormula(parts: readonly Buffer[], lengthAt: number): StoredFormula {
  const data = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  const start = lengthAt + 2;
  const end = start + data.readUInt16LE(lengthAt);
  return { tokens: data.subarray(start, end), constants: data.subarray(end) };
}
