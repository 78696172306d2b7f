import { type Static, Type } from '@sinclair/typebox';
import type { OperatorDefinition } from '../../model/flow/operator';
import { modelMembers, findModelProblems, defineOutputColumn } from '../rows/model-settings';

export const config = Type.Object(
  {
    ...modelMembers,
    max_words: Type.Optional(
      Type.Integer({
        minimum: 10,
        maximum: 2_000,
        default: 100,
        description: 'Approximate maximum length of a summary, in words.',
      }),
    ),
    language: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 60,
        description: 'Language of the summary, such as German. Default: the language of the text.',
      }),
    ),
    instructions: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4_000,
        description: 'Additional instructions, such as which topics to emphasize.',
      }),
    ),
    output_column: defineOutputColumn('summary'),
  },
  { additionalProperties: true },
);
export type SummaryConfig = Static<typeof config>;

export const summary = {
  name: 'summary',
  label: 'Summary',
  category: 'Functional',
  scope: 'row',
  queue: 'io',
  needs: ['llm'],
  reads: ['content'],
  writes: ['summary'],
  named: { reads: ['doc_column'], writes: ['output_column'] },
  columns: {
    summary: {
      type: 'string',
      description: 'The summary; empty for a row without text.',
      indexed: true,
      quotesText: true,
    },
  },
  config,
  summary: 'Summarizes each text with a language model.',
  validate: findModelProblems,
} as const satisfies OperatorDefinition;
