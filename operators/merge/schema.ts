import { type Static, Type } from '@sinclair/typebox';
import type { OperatorDefinition, OperatorProblem } from '../../model/flow/operator';
import { literals } from '../../model/literals';
import { createProblem } from '../problem';

const mergeTypes = ['rows', 'columns'] as const;
const columnOptions = ['inner_join', 'full_outer'] as const;
const onDuplicate = ['fail', 'first'] as const;

export const config = Type.Object(
  {
    merge_type: literals(mergeTypes, {
      description: 'rows concatenates the rows of all inputs; columns joins rows with the same `id`.',
    }),
    column_option: Type.Optional(
      literals(columnOptions, {
        description: 'With columns: inner_join keeps the rows that occur in every input; full_outer keeps all rows.',
      }),
    ),
    on_duplicate: Type.Optional(
      literals(onDuplicate, {
        default: 'fail',
        description:
          'With rows: what happens if two inputs contain the same row. fail: the document fails. first: the row of the first input is kept.',
      }),
    ),
    features_to_drop: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), { description: 'Columns to remove from the merged rows.' }),
    ),
    input_links: Type.Optional(
      Type.Array(Type.Unknown(), {
        description: 'Written by graphical editors. The actual inputs are the operators that the flow connects.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type MergeConfig = Static<typeof config>;

export const merge = {
  name: 'merge',
  label: 'Merge',
  category: 'Functional',
  scope: 'row',
  queue: 'cpu',
  needs: [],
  reads: ['id'],
  writes: [],
  // When two inputs disagree about a column, the later column is numbered.
  addsAny: ({ merge_type: type }) => type === 'columns',
  config,
  summary: 'Merges the rows of several operators or branches, by rows or by columns.',
  validate,
  drops: ['features_to_drop'],
  place: {
    minInputs: {
      count: 2,
      messageCode: 'MERGE_INPUT_LINKS_INSUFFICIENT',
      message: (operator, inputs) =>
        `'${operator}' must be connected to at least two operators; it is connected to ${inputs.length}.`,
    },
  },
} as const satisfies OperatorDefinition;

function validate(input: Record<string, unknown>): OperatorProblem[] {
  const { merge_type: type, column_option: option } = input;
  const expectedTypes = `expected one of ${mergeTypes.join(', ')}`;
  if (type === undefined)
    return [createProblem(`merge_type is missing; ${expectedTypes}.`, '/merge_type', 'MERGE_TYPE_NOT_PROVIDED')];
  if (!mergeTypes.some((mergeType) => mergeType === type)) {
    const message = `merge_type is ${JSON.stringify(type)}; ${expectedTypes}.`;
    return [createProblem(message, '/merge_type', 'INVALID_MERGE_TYPE')];
  }
  const expectedOptions = `expected one of ${columnOptions.join(', ')}`;
  if (type === 'columns' && option === undefined) {
    const message = `column_option is missing; ${expectedOptions}.`;
    return [createProblem(message, '/column_option', 'MERGE_COLUMN_OPTION_NOT_PROVIDED')];
  }
  if (option !== undefined && !columnOptions.some((choice) => choice === option)) {
    const message = `column_option is ${JSON.stringify(option)}; ${expectedOptions}.`;
    return [createProblem(message, '/column_option', 'MERGE_INVALID_COLUMN_OPTION')];
  }
  return [];
}
