import { type Static, Type } from '@sinclair/typebox';
import type { OperatorDefinition, OperatorProblem } from '../../model/flow/operator';
import { mandatoryColumns } from '../../model/flow/row';
import { isObject } from '../../model/json';
import { createProblem } from '../problem';
import { criteriaOperators } from '../rows/criteria';
import { createDropProblem, listCriteriaProblems } from '../sql_filter/problems';

const Branch = Type.Object(
  {
    criteria_list: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 10_000 }), { minItems: 1, maxItems: 1_000 }),
    ),
    criteria_json: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    logical_operator: Type.Optional(Type.String({ pattern: '^\\s*([aA][nN][dD]|[oO][rR])\\s*$' })),
    features_to_drop: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    link_name: Type.Optional(Type.String()),
  },
  { additionalProperties: true },
);
export type Branch = Static<typeof Branch>;

export const config = Type.Object(
  {
    branches: Type.Record(Type.String(), Branch, {
      description: `By name, the rows of each branch: \`criteria_list\` (SQL conditions, joined by \`logical_operator\`, AND or OR) or \`criteria_json\` as in sql_filter (operators: ${criteriaOperators.join(', ')}). Without criteria a branch takes every row. \`features_to_drop\` removes columns from its rows; \`link_name\` is for people.`,
    }),
    timeout: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 3_600,
        default: 60,
        description: 'Seconds that the conditions may take for one part.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type BranchingConfig = Static<typeof config>;

export const branching = {
  name: 'branching',
  label: 'Branching',
  category: 'Functional',
  scope: 'row',
  queue: 'cpu',
  needs: ['sql'],
  reads: ['id'],
  writes: [],
  withholdsText: true,
  config,
  summary: 'Routes rows to branches by conditions.',
  branches: (input) => Object.keys(getBranches(input)),
  validate,
} as const satisfies OperatorDefinition;

function getBranches(input: Record<string, unknown>): Record<string, unknown> {
  const { branches } = input;
  return isObject(branches) ? branches : {};
}

function validate(input: Record<string, unknown>, columns: ReadonlySet<string>): OperatorProblem[] {
  const branches = Object.entries(getBranches(input));
  if (branches.length === 0)
    return [createProblem('There is no branch; expected an object with at least one, keyed by its name.', '/branches')];
  return branches.flatMap(([name, branch]) => findBranchProblems(name, branch, columns));
}

function findBranchProblems(name: string, branch: unknown, columns: ReadonlySet<string>): OperatorProblem[] {
  const pointer = `/branches/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const problems: OperatorProblem[] = [];
  if (!/^[^\s.]+$/.test(name))
    problems.push(
      createProblem(
        `The branch name '${name}' is empty or contains a blank or a dot; other operators refer to it as OPERATOR.BRANCH.`,
        pointer,
      ),
    );
  if (!isObject(branch)) return problems;
  if (branch['criteria_list'] !== undefined && branch['criteria_json'] !== undefined)
    problems.push(
      createProblem(`The branch '${name}' has criteria_list and criteria_json; expected one of them.`, pointer),
    );
  const drops = Array.isArray(branch['features_to_drop']) ? branch['features_to_drop'] : [];
  const mandatory = mandatoryColumns.filter((column) => drops.includes(column));
  if (mandatory.length > 0) problems.push(createDropProblem(mandatory, `${pointer}/features_to_drop`));
  for (const problem of listCriteriaProblems(branch, columns))
    problems.push({ ...problem, pointer: `${pointer}${problem.pointer ?? ''}` });
  return problems;
}
