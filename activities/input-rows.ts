import type { Row } from '../model/row';
import { type OperatorCall, type PartRef, partName } from '../model/run';
import type { TablesStore } from '../services/ports';

/** The rows of all inputs, one after the other; of rows with the same id the first is kept. */
export async function readInputs(tables: TablesStore, runId: string, inputs: readonly PartRef[]): Promise<Row[]> {
  const rows: Row[] = [];
  const seen = new Set<string>();
  for (const input of inputs) {
    for (const row of await readPart(tables, runId, input)) {
      if (inputs.length > 1 && seen.has(row.id)) continue;
      seen.add(row.id);
      rows.push(row);
    }
  }
  return rows;
}

/**
 * How many rows the largest of the inputs holds, without reading them. Not their sum: slices of several tables that hold one
 * row each would never add up to one, and a piece would be halved without end.
 */
export async function countInputs(tables: TablesStore, runId: string, inputs: readonly PartRef[]): Promise<number> {
  let rows = 0;
  for (const { operator, part, slice } of inputs) {
    const key = { runId, operator, part };
    if (!(await tables.exists(key))) continue;
    const [from, to] = rangeOf(await tables.count(key), slice);
    rows = Math.max(rows, to - from);
  }
  return rows;
}

async function readPart(tables: TablesStore, runId: string, { operator, part, slice }: PartRef): Promise<Row[]> {
  const key = { runId, operator, part };
  if (!slice) return tables.read(key);
  const [from, to] = rangeOf(await tables.count(key), slice);
  return from === to ? [] : tables.read(key, { from, to });
}

/** The row range of one of `of` slices; slices differ by at most one row and never overlap. */
export function rangeOf(rows: number, slice: PartRef['slice']): [number, number] {
  if (!slice) return [0, rows];
  return [Math.floor((rows * slice.index) / slice.of), Math.floor((rows * (slice.index + 1)) / slice.of)];
}

/** All rows that an operator over the whole table reads, by the part they came from. */
export async function readTable(tables: TablesStore, call: OperatorCall): Promise<{ part: string; rows: Row[] }[]> {
  const result: { part: string; rows: Row[] }[] = [];
  for (const { prefix, parts } of call.table?.sources ?? []) {
    for (let index = 0; index < parts; index += 1) {
      const part = partName(index, prefix);
      const inputs: PartRef[] = [];
      for (const operator of call.table?.inputs ?? []) {
        if (await tables.exists({ runId: call.runId, operator, part })) inputs.push({ operator, part });
      }
      if (inputs.length > 0) result.push({ part, rows: await readInputs(tables, call.runId, inputs) });
    }
  }
  return result;
}
