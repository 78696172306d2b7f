import { normalizeAccessList } from '../../model/access-list';
import { countNouns } from '../../model/count-nouns';
import { AppError } from '../../model/errors';
import { getDocumentId, mandatoryColumns, type Row, type RowSkip } from '../../model/flow/row';
import { withCombinedAccess } from '../../model/run/combined-access';
import type { OperatorContext, OperatorResult } from '../operator';
import { findCondition, selectMentionedColumns } from '../rows/condition';
import { identifyingColumns, trackedColumns, omitColumns } from '../rows/drop-columns';
import type { SqlFilterConfig } from './schema';

type Context = OperatorContext<'sql'>;

/** Keeps the rows selected by the query or the criteria. If the query fails, the operator fails: no row passes unfiltered. */
export async function run(rows: readonly Row[], config: SqlFilterConfig, context: Context): Promise<OperatorResult> {
  const { rows: keptRows, combined } =
    rows.length === 0 ? { rows: [], combined: 0 } : await filter(rows, config, context);
  const result = omitColumns(keptRows, config.features_to_drop);
  const before = mapDocumentNames(rows);
  const after = mapDocumentNames(keptRows);
  const skipped: RowSkip[] = [...before]
    .filter(([id]) => !after.has(id))
    .map(([id, name]) => ({ id, name, reason: 'Left out by the SQL filter' }));
  return {
    rows: result,
    skipped,
    metrics: {
      docs_before_filter: before.size,
      docs_after_filter: after.size,
      ...(combined === 0 ? {} : { combined_rows: combined }),
    },
    warnings:
      combined === 0
        ? []
        : [
            `The query combines documents with different access lists; ${countNouns(combined, 'row')} can be read only by users who may read all of them.`,
          ],
  };
}

/** Names by document id: a document whose chunks are filtered is skipped only when none of them remains. */
function mapDocumentNames(rows: readonly Row[]): Map<string, string> {
  return new Map(rows.map((row) => [getDocumentId(row), row.name]));
}

async function filter(
  rows: readonly Row[],
  config: SqlFilterConfig,
  context: Context,
): Promise<{ rows: Row[]; combined: number }> {
  const select = (input: readonly Row[], sql: string) =>
    context.services.sql.select(input, sql, {
      timeoutMs: (config.timeout ?? 60) * 1000,
      signal: context.signal,
      declared: context.declared?.(),
    });
  const { filter_criteria: query } = config;
  if (query !== undefined) {
    const apply = async (input: readonly Row[]) => checkRows(input, await select(input, query));
    return withCombinedAccess(rows, await apply(rows), (input) =>
      apply(input).catch((error: unknown) => {
        context.signal.throwIfAborted();
        // A result that these rows cannot produce alone must depend on other rows.
        if (error instanceof AppError && error.code === 'SQL_FILTER_ERROR') return [];
        throw error;
      }),
    );
  }
  const condition = findCondition(config);
  if (condition === undefined) return { rows: [...rows], combined: 0 };
  const sql = `SELECT id FROM input WHERE ${condition}`;
  const ids = new Set((await select(selectMentionedColumns(rows, condition), sql)).map(({ id }) => id));
  return { rows: rows.filter(({ id }) => ids.has(id)), combined: 0 };
}

/** Validates the result of a user's query: only input rows, each once, with all mandatory columns. */
function checkRows(rows: readonly Row[], result: readonly Row[]): Row[] {
  const input = new Map(rows.map((row) => [row.id, row]));
  const names = new Map([...rows.flatMap(Object.keys), ...mandatoryColumns].map((name) => [name.toLowerCase(), name]));
  const seen = new Set<string>();
  return result.map((value) => {
    const row = restoreSpelling(value, names);
    const origin = typeof row.id === 'string' ? input.get(row.id) : undefined;
    if (!origin)
      throw createRefusal(row.id === undefined ? 'lacks the column id' : 'holds an id that is not in the input');
    if (seen.has(origin.id)) throw createRefusal(`holds the id ${JSON.stringify(origin.id)} more than once`);
    seen.add(origin.id);
    const lost = mandatoryColumns.find(
      (column) => row[column] === undefined && origin[column] !== undefined && origin[column] !== null,
    );
    if (lost) throw createRefusal(`lacks the column ${lost}`);
    const restored = trackedColumns
      .filter((column) => row[column] === undefined && origin[column] !== undefined)
      .map((column) => [column, origin[column]]);
    return { ...row, ...Object.fromEntries(restored), ...keepFixedColumns(row, origin) } as Row;
  });
}

/** Columns that a query cannot change, and the access list: a query may remove readers but not add any. */
function keepFixedColumns(row: Partial<Row>, origin: Row): Partial<Row> {
  // A column that the row lacked stays away: a query would otherwise give the row the place of another document.
  const unchanged = identifyingColumns
    .filter((column) => column in origin || column in row)
    .map((column) => [column, origin[column] ?? null]);
  const list = normalizeAccessList(origin);
  const granting = (['allowed_users', 'allowed_principals'] as const).map((column) => {
    const requested: unknown = row[column] ?? origin[column];
    const kept = list[column]?.filter((name) => Array.isArray(requested) && requested.includes(name));
    return [column, kept] as const;
  });
  const restricting = (['denied_principals', 'required_lists'] as const).map(
    (column) => [column, list[column]] as const,
  );
  const access = [...granting, ...restricting].filter(
    ([column, names]) => names !== undefined && (origin[column] ?? row[column]) !== undefined,
  );
  return { ...Object.fromEntries(unchanged), ...Object.fromEntries(access) };
}

/** DuckDB treats `ID` and `id` as the same name; the flow does not. */
function restoreSpelling(row: Row, names: ReadonlyMap<string, string>): Partial<Row> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const spelledName = names.get(name.toLowerCase()) ?? name;
      return [spelledName in row ? name : spelledName, value];
    }),
  );
}

function createRefusal(fault: string): AppError {
  return new AppError(
    'SQL_FILTER_ERROR',
    `The result of filter_criteria ${fault}; every row must keep ${mandatoryColumns.join(', ')} of a row of the table input.`,
  );
}
