import type { Message } from './message';
import { types } from './message-types';
import type { IwaObjects } from './objects';

/** A merged rectangle of cells. */
export interface Merge {
  row: number;
  column: number;
  rows: number;
  columns: number;
}

/** The node of a formula that is a reference to a rectangle. */
const rectangle = 67;

/**
 * Returns the merged rectangles of a table: references in formulas of the object that keeps them (since 2018), or packed
 * numbers in a list of regions (before).
 */
export function listMerges(model: Message, store: Message, objects: IwaObjects): Merge[] {
  const formulas = model.message(47)?.message(2)?.messages(3) ?? [];
  const references = formulas.flatMap((formula) => findRectangle(formula.message(2)?.message(1)?.messages(1)[0]) ?? []);
  if (references.length > 0) return references;
  const regions = objects.get(store.reference(13) ?? -1);
  if (regions?.type !== types.mergeRegions) return [];
  return regions.message.messages(1).flatMap((region) => {
    const [origin, size] = [region.message(1)?.fixed32(1), region.message(2)?.fixed32(1)];
    if (origin === undefined || size === undefined) return [];
    return { row: origin & 0xffff, column: origin >>> 16, rows: size & 0xffff, columns: size >>> 16 };
  });
}

function findRectangle(node: Message | undefined): Merge | undefined {
  if (node?.number(1) !== rectangle) return undefined;
  const tract = node.message(40);
  const [columns, rows] = [tract?.message(3), tract?.message(4)];
  const [column, row] = [columns?.number(1), rows?.number(1)];
  if (row === undefined || column === undefined) return undefined;
  const [lastRow, lastColumn] = [rows?.number(2) ?? row, columns?.number(2) ?? column];
  return { row, column, rows: lastRow - row + 1, columns: lastColumn - column + 1 };
}
