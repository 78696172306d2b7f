import { getDocumentId, type Row } from '../../model/flow/row';
import { type OperatorCall, type PartRef, buildPartName } from '../../model/run/run';
import type { OperatorInput } from '../../operators/operator';
import type { TableKey, TablesStore } from '../../services/table/tables';

/** The rows of all inputs, in order. When an id occurs more than once, the first row wins. */
export async function readInputs(tables: TablesStore, runId: string, inputs: readonly PartRef[]): Promise<Row[]> {
  return mergeInputs(await readEachInput(tables, runId, inputs));
}

/** The rows of each input, under its name. */
export async function readEachInput(
  tables: TablesStore,
  runId: string,
  inputs: readonly PartRef[],
): Promise<OperatorInput[]> {
  const read: OperatorInput[] = [];
  for (const input of inputs) read.push({ name: input.operator, rows: await readPart(tables, runId, input) });
  return read;
}

/** The rows of all inputs, in order. When an id occurs more than once, the first row wins. */
export function mergeInputs(inputs: readonly OperatorInput[]): Row[] {
  const [only] = inputs;
  if (only && inputs.length === 1) return [...only.rows];
  const first = new Map<string, Row>();
  for (const { rows } of inputs) for (const row of rows) if (!first.has(row.id)) first.set(row.id, row);
  return [...first.values()];
}

/**
 * Number of rows in the largest input, without reading them; of documents when inputs are sliced by document. Returns the
 * maximum, not the sum: with several one-row tables the sum would never drop to one, and a piece would be halved forever.
 */
export async function countInputs(tables: TablesStore, runId: string, inputs: readonly PartRef[]): Promise<number> {
  let rows = 0;
  for (const { operator, part, slice, by } of inputs) {
    const key = { runId, operator: by ?? operator, part };
    if (!(await tables.exists(key))) continue;
    const [from, to] = computeRange(await tables.count(key), slice);
    rows = Math.max(rows, to - from);
  }
  return rows;
}

async function readPart(tables: TablesStore, runId: string, { operator, part, slice, by }: PartRef): Promise<Row[]> {
  if (!slice) return readWhole(tables, { runId, operator, part }, by);
  const key = { runId, operator: by ?? operator, part };
  const [from, to] = computeRange(await tables.count(key), slice);
  if (by === undefined || by === operator) return from === to ? [] : tables.read(key, { from, to });
  const documents = await tables.read(key);
  const slicedIds = new Set(documents.slice(from, to).map(({ id }) => id));
  const sourceIds = new Set(documents.map(({ id }) => id));
  const rows = await readWhole(tables, { runId, operator, part }, by);
  // Rows that belong to no document of the source go with the first slice.
  const belongsToSlice = (id: string) => slicedIds.has(id) || (slice.index === 0 && !sourceIds.has(id));
  return rows.filter((row) => belongsToSlice(getDocumentId(row)));
}

/**
 * Reads a table, assembled from its pieces when its part was halved before the operator wrote it. Returns no rows when
 * no document of the part got this far: in that case only the table of the source (`by`) exists.
 */
async function readWhole(tables: TablesStore, key: TableKey, by: string | undefined): Promise<Row[]> {
  if (by === undefined || (await tables.exists(key))) return tables.read(key);
  const pieces = listPieces(await tables.listParts(key.runId, key.operator), key.part);
  if (pieces.length === 0) return (await tables.exists({ ...key, operator: by })) ? [] : tables.read(key);
  const rows: Row[] = [];
  for (const part of pieces) rows.push(...(await tables.read({ ...key, part })));
  return rows;
}

/**
 * The stored tables that make up a part: the part itself, or the pieces that it was halved into. A piece that was halved further
 * is listed as a whole, without its own pieces.
 */
export function listPieces(stored: readonly string[], part: string): string[] {
  if (stored.includes(part)) return [part];
  const pieces: string[] = [];
  for (const name of stored.filter((candidate) => candidate.startsWith(`${part}-`)).toSorted())
    if (!pieces.some((piece) => name.startsWith(`${piece}-`))) pieces.push(name);
  return pieces;
}

/** The row range of one of `of` slices. Slices differ by at most one row and never overlap. */
export function computeRange(rows: number, slice: PartRef['slice']): [number, number] {
  if (!slice) return [0, rows];
  return [Math.floor((rows * slice.index) / slice.of), Math.floor((rows * (slice.index + 1)) / slice.of)];
}

/** One part of the input of an operator that works on the whole table. */
export interface TablePart {
  part: string;
  rows: Row[];
}

/**
 * Yields the input of an operator that works on the whole table, part by part in the order of the sources. Holds one part in
 * memory at a time.
 */
export async function* readTable(tables: TablesStore, call: OperatorCall): AsyncGenerator<TablePart> {
  const names = call.table?.inputs ?? [];
  const stored = new Map<string, string[]>();
  for (const operator of names) stored.set(operator, await tables.listParts(call.runId, operator));
  for (const { prefix, parts } of call.table?.sources ?? []) {
    for (let index = 0; index < parts; index += 1) {
      const part = buildPartName(index, prefix);
      const inputs = names
        .filter((operator) => listPieces(stored.get(operator) ?? [], part).length > 0)
        .map((operator) => ({ operator, part }));
      if (inputs.length > 0) yield { part, rows: await readInputs(tables, call.runId, inputs) };
    }
  }
}
