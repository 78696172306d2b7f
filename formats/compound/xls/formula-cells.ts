import { type FormulaBudget, spendOn } from '../../ooxml/xlsx/formulas';
import { type Grid, putCell, toCellKey } from '../../ooxml/xlsx/grid';
import { type StoredFormula, writeFormula } from './formula';
import type { FormulaLinks } from './links';

interface FormulaCell {
  row: number;
  column: number;
  formula: StoredFormula;
  /** The key of the cell whose formula applies instead of the own one. */
  owner: number | undefined;
}

/** Collects the formulas of a sheet, of which several cells may share one. */
export interface FormulaCells {
  add(cell: FormulaCell): void;
  /** Takes a formula that the cell added last shares with others. */
  share(formula: StoredFormula, isArray: boolean): void;
  /** Gives the cells of the sheet their formulas. */
  putInto(grid: Grid): void;
}

/** Takes the bytes of a shared formula from the budget; false if they are more than what is left. */
function spendBytes(budget: FormulaBudget, { tokens, constants }: StoredFormula): boolean {
  const bytes = tokens.length + constants.length;
  if (bytes > budget.bytesLeft) return false;
  budget.bytesLeft -= bytes;
  return true;
}

/** Creates a collector for one sheet. Formulas that cannot be read are counted in the budget. */
export function createFormulaCells(links: FormulaLinks, budget: FormulaBudget): FormulaCells {
  const cells: FormulaCell[] = [];
  const shared = new Map<number, StoredFormula & { isArray: boolean }>();
  /** Shared formulas that failed for one cell. Many cells may refer to a long one, and a failure costs no budget. */
  const unreadable = new Set<StoredFormula>();
  const putFormula = (grid: Grid, cell: FormulaCell) => {
    const owner = cell.owner === undefined ? undefined : shared.get(cell.owner);
    const formula = owner ?? cell.formula;
    const isRead = budget.left > 0 && !unreadable.has(formula) && (!owner || spendBytes(budget, owner));
    const written = isRead ? writeFormula(formula, cell, links) : undefined;
    if (written === undefined) {
      if (owner) unreadable.add(owner);
      budget.unread += 1;
      return;
    }
    const shown = spendOn(budget, owner?.isArray ? `{=${written}}` : `=${written}`);
    const key = toCellKey(cell.row, cell.column);
    if (shown !== undefined) putCell(grid, key, { text: grid.cells.get(key) ?? '', formula: shown });
  };
  return {
    add: (cell) => void cells.push(cell),
    share(formula, isArray) {
      const before = cells.at(-1);
      if (before) shared.set(toCellKey(before.row, before.column), { ...formula, isArray });
    },
    putInto(grid) {
      for (const cell of cells) putFormula(grid, cell);
    },
  };
}
