import { type Static, Type } from '@sinclair/typebox';
import type { OperatorDefinition, OperatorProblem, OperatorQuery } from '../../model/flow/operator';
import { mandatoryColumns } from '../../model/flow/row';
import { createProblem } from '../problem';
import { findCondition } from '../rows/condition';
import { criteriaOperators } from '../rows/criteria';
import { needsAllRows } from './all-rows';
import { createDropProblem, listCriteriaProblems } from './problems';
import { listDroppedColumns, findQueryProblem } from './select-list';

export const config = Type.Object(
  {
    filter_criteria: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100_000,
        description: `A SELECT over the table \`input\`. Its result replaces the rows and must keep ${mandatoryColumns.join(', ')}. Unless it treats each row by itself, it runs over all rows of the run.`,
      }),
    ),
    criteria_list: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 10_000 }), {
        minItems: 1,
        maxItems: 1000,
        description: 'SQL conditions; rows that meet them are kept.',
      }),
    ),
    logical_operator: Type.Optional(
      Type.String({
        pattern: '^\\s*([aA][nN][dD]|[oO][rR])\\s*$',
        default: 'AND',
        description: 'Joins `criteria_list`: AND or OR.',
      }),
    ),
    criteria_json: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: `A criterion {variable, operator, value} or a group {logical_operator, criteria_list}. Operators: ${criteriaOperators.join(', ')}.`,
      }),
    ),
    features_to_drop: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), { description: 'Columns to remove after the filter.' }),
    ),
    timeout: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 3600,
        default: 60,
        description: 'Timeout in seconds of the query.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type SqlFilterConfig = Static<typeof config>;

export const sqlFilter = {
  name: 'sql_filter',
  label: 'SQL filter',
  category: 'Quality',
  scope: 'row',
  needsAllRows: ({ filter_criteria: query }) => typeof query === 'string' && needsAllRows(query),
  queue: 'cpu',
  needs: ['sql'],
  reads: ['id'],
  writes: [],
  withholdsText: true,
  queries: listQueries,
  addsAny: ({ filter_criteria: query }) => query !== undefined,
  config,
  summary: 'Keeps the rows that an SQL query or a list of criteria selects.',
  validate,
} as const satisfies OperatorDefinition;

/** Converts criteria to conditions. `validate` reports criteria that cannot be parsed. */
function listQueries(value: Record<string, unknown>): OperatorQuery[] {
  const { filter_criteria: sql, criteria_list: list, criteria_json: json, logical_operator: join } = value;
  if (typeof sql === 'string') return [{ pointer: '/filter_criteria', sql, keeps: mandatoryColumns }];
  const condition = findCondition({
    ...(Array.isArray(list) ? { criteria_list: list.map(String) } : {}),
    ...(typeof json === 'object' && json !== null ? { criteria_json: json as Record<string, unknown> } : {}),
    ...(typeof join === 'string' ? { logical_operator: join } : {}),
  });
  const pointer = Array.isArray(list) ? '/criteria_list' : '/criteria_json';
  return condition === undefined ? [] : [{ pointer, sql: `SELECT id FROM input WHERE ${condition}`, keeps: [] }];
}

/** The ways to say which rows stay; a configuration uses one of them. */
const forms = ['filter_criteria', 'criteria_list', 'criteria_json'] as const;

function validate(input: Record<string, unknown>, columns: ReadonlySet<string>): OperatorProblem[] {
  const used = forms.filter((form) => input[form] !== undefined);
  const drops = Array.isArray(input['features_to_drop']) ? input['features_to_drop'] : [];
  const problems = drops
    .filter((name) => mandatoryColumns.some((column) => column === name))
    .map((name) => createDropProblem([String(name)], '/features_to_drop'));
  if (used.length > 1)
    problems.push(createProblem(`${used.join(' and ')} are given; expected one of ${forms.join(', ')}.`, ''));
  if (used.length === 0 && drops.length === 0)
    problems.push(createProblem(`There is nothing to filter by; expected one of ${forms.join(', ')}.`, ''));
  if (typeof input['filter_criteria'] === 'string') problems.push(...findQueryProblems(input['filter_criteria']));
  return [...problems, ...listCriteriaProblems(input, columns)];
}

function findQueryProblems(sql: string): OperatorProblem[] {
  const problem = findQueryProblem(sql);
  if (problem)
    return [createProblem(`filter_criteria is not a SELECT over the table input: ${problem}.`, '/filter_criteria')];
  const dropped = listDroppedColumns(sql);
  return dropped.length > 0 ? [createDropProblem(dropped, '/filter_criteria')] : [];
}
