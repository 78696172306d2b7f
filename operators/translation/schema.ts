import { type Static, Type } from '@sinclair/typebox';
import type { OperatorDefinition } from '../../model/flow/operator';
import { modelMembers, findModelProblems, defineOutputColumn } from '../rows/model-settings';

export const config = Type.Object(
  {
    ...modelMembers,
    target_language: Type.String({
      minLength: 2,
      maxLength: 60,
      description: 'The language to translate into: a name such as German, or a code such as de.',
    }),
    glossary: Type.Optional(
      Type.Record(Type.String({ minLength: 1, maxLength: 200 }), Type.String({ maxLength: 200 }), {
        maxProperties: 500,
        description: 'Fixed translations of terms, such as {"tide gauge": "Pegel"}.',
      }),
    ),
    output_column: defineOutputColumn('translation'),
  },
  { additionalProperties: true },
);
export type TranslationConfig = Static<typeof config>;

export const translation = {
  name: 'translation',
  label: 'Translation',
  category: 'Functional',
  scope: 'row',
  queue: 'io',
  needs: ['llm'],
  reads: ['content'],
  writes: ['translation'],
  named: { reads: ['doc_column'], writes: ['output_column'] },
  columns: {
    translation: {
      type: 'string',
      description: 'The translation; empty for a row without text.',
      indexed: true,
      quotesText: true,
    },
  },
  config,
  summary: 'Translates each text with a language model.',
  validate: findModelProblems,
} as const satisfies OperatorDefinition;
