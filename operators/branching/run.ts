import { getDocumentId, type Row, type RowSkip } from '../../model/flow/row';
import type { OperatorContext, OperatorResult } from '../operator';
import { findCondition, selectMentionedColumns } from '../rows/condition';
import { omitColumns } from '../rows/drop-columns';
import type { BranchingConfig } from './schema';

type Context = OperatorContext<'sql'>;

/** Each branch receives the rows that match its criteria. A row may go to several branches; a document without any is skipped. */
export async function run(rows: readonly Row[], config: BranchingConfig, context: Context): Promise<OperatorResult> {
  const takenIds = await listTakenIds(rows, config, context);
  const branches: Record<string, Row[]> = {};
  const metrics: Record<string, number> = {};
  for (const [index, [name, branch]] of Object.entries(config.branches).entries()) {
    const branchRows = rows.filter(({ id }) => takenIds[index]?.has(id));
    branches[name] = omitColumns(branchRows, branch.features_to_drop);
    metrics[`branch_${name}`] = branchRows.length;
  }
  const keptRows = rows.filter(({ id }) => takenIds.some((ids) => ids.has(id)));
  const keptDocumentIds = new Set(keptRows.map(getDocumentId));
  const skipped = new Map<string, RowSkip>();
  for (const row of rows) {
    const id = getDocumentId(row);
    if (!keptDocumentIds.has(id)) skipped.set(id, { id, name: row.name, reason: 'No branch takes it' });
  }
  return { rows: keptRows, branches, skipped: [...skipped.values()], metrics };
}

/** The ids of the rows per branch, in the order of the branches. One query evaluates all conditions; NULL does not match. */
async function listTakenIds(
  rows: readonly Row[],
  config: BranchingConfig,
  { services, signal, declared }: Context,
): Promise<Set<string>[]> {
  const conditions = Object.values(config.branches).map((branch) => findCondition(branch));
  const conditioned = conditions.flatMap((condition, index) => (condition === undefined ? [] : [{ condition, index }]));
  const everything = new Set(rows.map(({ id }) => id));
  if (rows.length === 0 || conditioned.length === 0) return conditions.map(() => everything);
  const terms = conditioned.map(({ condition, index }) => `COALESCE((${condition}), FALSE) AS branch_${index}`);
  // Not `*`, which would load large columns that no condition uses.
  const input = selectMentionedColumns(rows, conditioned.map(({ condition }) => condition).join(' '));
  const answers = await services.sql.select(input, `SELECT id, ${terms.join(', ')} FROM input`, {
    timeoutMs: (config.timeout ?? 60) * 1_000,
    signal,
    declared: declared?.(),
  });
  return conditions.map((condition, index) =>
    condition === undefined
      ? everything
      : new Set(answers.filter((answer) => answer[`branch_${index}`] === true).map(({ id }) => id)),
  );
}
