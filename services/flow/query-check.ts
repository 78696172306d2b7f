import { AppError } from '../../model/errors';
import { locate, type FlowAlert } from '../../model/flow/alert';
import { commonColumns } from '../../model/flow/columns';
import { buildEffectiveConfig } from '../../model/flow/config';
import type { FlowDefinition } from '../../model/flow/flow';
import { anyColumn, findAvailableColumns } from '../../model/flow/flow-columns';
import { readGraph } from '../../model/flow/graph';
import type { OperatorDefinition, OperatorQuery } from '../../model/flow/operator';
import { type ColumnKind, standardKinds } from '../table/row-columns';
import type { SqlRunner } from '../table/sql';

/** Checks the SQL queries of a flow against the columns available to them, with the engine that will run them. */
export interface QueryCheck {
  /** Problems in the queries of operators that are not in `skip`. */
  findProblems(flow: FlowDefinition, skip: ReadonlySet<string>, signal: AbortSignal): Promise<FlowAlert[]>;
}

const bindTimeoutMs = 10_000;
const kinds: Readonly<Record<string, ColumnKind>> = {
  string: 'VARCHAR',
  timestamp: 'VARCHAR',
  int32: 'BIGINT',
  int64: 'BIGINT',
  double: 'DOUBLE',
  boolean: 'BOOLEAN',
};

/** The engine runs in a child process without files, network or environment. The first check starts it. */
export function createQueryCheck(deps: {
  sql: Pick<SqlRunner, 'listResultColumns'>;
  operators: readonly OperatorDefinition[];
}): QueryCheck {
  return {
    async findProblems(flow, skip, signal) {
      const definitionsByName = new Map(deps.operators.map((definition) => [definition.name, definition]));
      const problems: FlowAlert[] = [];
      let columns: Map<string, Set<string>> | undefined;
      for (const [index, operator] of flow.flow.entries()) {
        const definition = definitionsByName.get(operator.type);
        if (!definition?.queries || skip.has(operator.name)) continue;
        columns ??= findAvailableColumns(flow, readGraph(flow), definitionsByName);
        const input = buildInputColumns(columns.get(operator.name) ?? new Set(), deps.operators);
        for (const query of definition.queries(buildEffectiveConfig(flow, operator))) {
          const problem = await findProblem(query, input, deps.sql, signal);
          if (problem) problems.push({ ...problem, ...locate(operator, index, `/config${query.pointer}`) });
        }
      }
      return problems;
    },
  };
}

/** The known columns of a table. `unsure` lists columns whose type only the run determines. */
interface InputColumns {
  columns: [string, ColumnKind][];
  unsure: string[];
  isComplete: boolean;
}

function buildInputColumns(names: ReadonlySet<string>, operators: readonly OperatorDefinition[]): InputColumns {
  const facts = Object.assign({}, ...operators.map(({ columns }) => columns ?? {}), commonColumns);
  const others = [...names].filter((name) => name !== anyColumn && !Object.hasOwn(standardKinds, name));
  const getKind = (name: string) => kinds[(facts as typeof commonColumns)[name]?.type ?? ''];
  return {
    columns: [
      ...Object.entries(standardKinds),
      ...others.map((name): [string, ColumnKind] => [name, getKind(name) ?? 'JSON']),
    ],
    unsure: others.filter((name) => getKind(name) === undefined),
    isComplete: names.size > 0 && !names.has(anyColumn),
  };
}

type Problem = Pick<FlowAlert, 'message_code' | 'message'>;

async function findProblem(
  { sql, keeps }: OperatorQuery,
  input: InputColumns,
  engine: Pick<SqlRunner, 'listResultColumns'>,
  signal: AbortSignal,
): Promise<Problem | undefined> {
  try {
    const result = await engine.listResultColumns(input.columns, sql, { timeoutMs: bindTimeoutMs, signal });
    const names = new Set(result.map((name) => name.toLowerCase()));
    const dropped = keeps.filter((column) => !names.has(column));
    if (dropped.length === 0) return undefined;
    const message = `The query drops ${dropped.join(', ')}; its result must keep ${keeps.join(', ')}.`;
    return { message_code: 'DROPPING_MANDATORY_FEATURES', message };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError && error.code === 'SQL_FILTER_ERROR')
      return describeProblem(error.message, sql, input);
    throw error;
  }
}

/**
 * Reports missing columns and type errors only when the columns concerned are known. DuckDB errors can be distinguished only by
 * their text.
 */
function describeProblem(message: string, sql: string, { unsure, isComplete }: InputColumns): Problem | undefined {
  const [text = ''] = message.split(/\n\s*\n/);
  const isColumn =
    /Referenced column|Column "[^"]*" in (EXCLUDE|REPLACE|RENAME) list|does not have a column named|Could not find column/i;
  if (isColumn.test(text))
    return isComplete ? { message_code: 'SQL_FILTER_INVALID_COLUMN', message: toOneLine(text) } : undefined;
  const isUnsure =
    /(Binder|Conversion|Invalid Input) Error/.test(text) &&
    !/Referenced table/.test(text) &&
    (!isComplete || unsure.some((name) => sql.toLowerCase().includes(name.toLowerCase())));
  return isUnsure ? undefined : { message_code: 'OPERATOR_VALIDATION_FAILED', message: toOneLine(text) };
}

function toOneLine(text: string): string {
  return `${text.replaceAll(/\s*\n\s*/g, ' ')} The table is named input.`;
}
