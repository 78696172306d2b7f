import { type Static, Type } from '@sinclair/typebox';
import type { OperatorDefinition, OperatorProblem } from '../../model/flow/operator';
import { literals } from '../../model/literals';

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
  const createProblem = (messageCode: string, message: string, pointer: string): OperatorProblem => ({
    severity: 'error',
    messageCode,
    message,
    pointer,
  });
  const { merge_type: type, column_option: option } = input;
  if (type === undefined)
    return [
      createProblem(
        'MERGE_TYPE_NOT_PROVIDED',
        `merge_type is missing; expected one of ${mergeTypes.join(', ')}.`,
        '/merge_type',
      ),
    ];
  if (!mergeTypes.some((mergeType) => mergeType === type))
    return [
      createProblem(
        'INVALID_MERGE_TYPE',
        `merge_type is ${JSON.stringify(type)}; expected one of ${mergeTypes.join(', ')}.`,
        '/merge_type',
      ),
    ];
  if (type === 'columns' && option === undefined)
    return [
      createProblem(
        'MERGE_COLUMN_OPTION_NOT_PROVIDED',
        `column_option is missing; expected one of ${columnOptions.join(', ')}.`,
        '/column_option',
      ),
    ];
  if (option !== undefined && !columnOptions.some((choice) => choice === option))
    return [
      createProblem(
        'MERGE_INVALID_COLUMN_OPTION',
        `column_option is ${JSON.stringify(option)}; expected one of ${columnOptions.join(', ')}.`,
        '/column_option',
      ),
    ];
  return [];
}
