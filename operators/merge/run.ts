import { accessColumns, normalizeAccessList, combineLists } from '../../model/access-list';
import { readGraph } from '../../model/flow/graph';
import { getDocumentId, type Row, type RowFailure, type RowSkip } from '../../model/flow/row';
import type { OperatorContext, OperatorInput, OperatorResult } from '../operator';
import { trackedColumns, omitColumns } from '../rows/drop-columns';
import type { MergeConfig } from './schema';

type Context = OperatorContext<never>;

/** Merges the rows of all inputs. Parts of a run stay separate, since a row never leaves the part of its document. */
export async function run(rows: readonly Row[], config: MergeConfig, context: Context): Promise<OperatorResult> {
  context.signal.throwIfAborted();
  const inputs = context.inputs ?? [{ name: '', rows }];
  const result = config.merge_type === 'columns' ? joinColumns(inputs, config, context) : joinRows(inputs, config);
  context.progress(rows.length, rows.length);
  return { ...result, rows: omitColumns(result.rows, config.features_to_drop) };
}

/** A document with the same row in two inputs fails as a whole: duplicated or missing chunks would be worse. */
function joinRows(inputs: readonly OperatorInput[], config: MergeConfig): OperatorResult {
  const firstById = new Map<string, { row: Row; input: string }>();
  const failed = new Map<string, RowFailure>();
  let duplicates = 0;
  for (const { name: input, rows } of inputs) {
    for (const row of rows) {
      const earlier = firstById.get(row.id);
      if (!earlier) {
        firstById.set(row.id, { row, input });
        continue;
      }
      duplicates += 1;
      if (config.on_duplicate === 'first') continue;
      const id = getDocumentId(row);
      if (!failed.has(id)) failed.set(id, createDuplicateFailure(row, id, [earlier.input, input]));
    }
  }
  const keptRows = [...firstById.values()].map(({ row }) => row).filter((row) => !failed.has(getDocumentId(row)));
  return { rows: keptRows, failed: [...failed.values()], metrics: { duplicate_rows: duplicates } };
}

function createDuplicateFailure(row: Row, id: string, [item, other]: [string, string]): RowFailure {
  const where = item === other ? `'${item}' returns it twice` : `'${item}' and '${other}' both return it`;
  const message = `The row ${row.id} cannot be merged: ${where}. Make the branches disjoint, merge by columns, or set on_duplicate to first.`;
  return { id, name: row.name, code: 'OPERATOR_EXECUTION_FAILED', message };
}

function joinColumns(inputs: readonly OperatorInput[], config: MergeConfig, context: Context): OperatorResult {
  const failed = new Map<string, RowFailure>();
  const byId = new Map<string, (Row | undefined)[]>();
  for (const [index, { name, rows }] of inputs.entries()) {
    for (const row of rows) {
      const sameRows = byId.get(row.id) ?? [];
      if (sameRows[index])
        failed.set(getDocumentId(row), createDuplicateFailure(row, getDocumentId(row), [name, name]));
      sameRows[index] = row;
      byId.set(row.id, sameRows);
    }
  }
  // `context.inputs` lacks inputs that the source of this part does not reach; its rows are missing in those, too.
  const inputCount = Math.max(inputs.length, readGraph(context.run.flow).inputs.get(context.operator)?.length ?? 0);
  const merged: Row[] = [];
  const lost: Row[] = [];
  for (const versions of byId.values()) {
    const present = versions.filter((row) => row !== undefined);
    const [row] = present;
    if (!row || failed.has(getDocumentId(row))) continue;
    if (config.column_option !== 'full_outer' && present.length < inputCount) lost.push(row);
    else merged.push(joinVersions(versions));
  }
  const mergedIds = new Set(merged.map(getDocumentId));
  const skipped = new Map<string, RowSkip>();
  for (const row of lost.filter((row) => !mergedIds.has(getDocumentId(row))))
    skipped.set(getDocumentId(row), {
      id: getDocumentId(row),
      name: row.name,
      reason: 'Not every input of the merge has it',
    });
  return { rows: merged, failed: [...failed.values()], skipped: [...skipped.values()] };
}

/** The columns of all versions. A column that differs gets the number of its input: `embeddings_2`. */
function joinVersions(versions: readonly (Row | undefined)[]): Row {
  const row: Record<string, unknown> = {};
  for (const [index, version] of versions.entries()) {
    for (const [name, value] of Object.entries(version ?? {})) {
      if (value === undefined || value === null) continue;
      if (row[name] === undefined || row[name] === null) row[name] = value;
      else if (!isSame(row[name], value) && !trackedColumns.some((column) => column === name))
        row[`${name}_${index + 1}`] = value;
    }
  }
  for (const column of accessColumns) delete row[column];
  return { ...row, ...mergeAccessLists(versions.filter((version) => version !== undefined)) } as Row;
}

/** The merged row is readable by those who may read every version. */
function mergeAccessLists([first = {}, ...others]: readonly Partial<Row>[]): Partial<Row> {
  const isListed = [first, ...others].some((version) => accessColumns.some((column) => version[column] !== undefined));
  return isListed ? (combineLists(normalizeAccessList(first), others.map(normalizeAccessList)) as Partial<Row>) : {};
}

function isSame(value: unknown, other: unknown): boolean {
  return value === other || (typeof value === 'object' && JSON.stringify(value) === JSON.stringify(other));
}
