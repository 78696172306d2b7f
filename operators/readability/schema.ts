import { type Static, Type } from '@sinclair/typebox';
import type { ColumnFacts } from '../../model/flow/columns';
import type { OperatorDefinition } from '../../model/flow/operator';
import { literals } from '../../model/literals';
import { readabilityLanguages } from './measure';

export const config = Type.Object(
  {
    language: Type.Optional(
      literals(readabilityLanguages, {
        description: 'The language of all texts. Default: `lang_name` of the row, else English.',
      }),
    ),
    doc_column: Type.Optional(Type.String({ minLength: 1, default: 'content', description: 'The column to measure.' })),
  },
  { additionalProperties: true },
);
export type ReadabilityConfig = Static<typeof config>;

const defineGrade = (description: string): ColumnFacts => ({ type: 'double', description, indexed: true });
const columns = {
  read_words: { type: 'int64', description: 'Number of words.', indexed: true },
  read_sentences: { type: 'int64', description: 'Number of sentences.', indexed: true },
  read_flesch_ease: defineGrade('Reading ease, about 0 (hard) to 100 (easy), with the formula of the language.'),
  read_flesch_kincaid_grade: defineGrade('English: the US school grade by Flesch and Kincaid.'),
  read_gunning_fog: defineGrade('English: years of schooling by Gunning.'),
  read_smog: defineGrade('English: years of schooling by McLaughlin.'),
  read_coleman_liau: defineGrade('English: the US school grade by Coleman and Liau, from letters.'),
  read_ari: defineGrade('English: the US school grade of the automated readability index.'),
  read_lix: defineGrade('Läsbarhetsindex, for any language: below 30 very easy, above 60 very hard.'),
  read_gulpease: defineGrade('Italian: Gulpease, 0 (hard) to 100 (easy).'),
} as const satisfies Record<string, ColumnFacts>;

export const readability = {
  name: 'readability',
  label: 'Readability',
  category: 'Quality',
  scope: 'row',
  queue: 'cpu',
  needs: [],
  reads: ['content'],
  writes: Object.keys(columns),
  named: { reads: ['doc_column'] },
  columns,
  config,
  summary: 'Measures how hard each text is to read: Flesch, Kincaid, Fog, SMOG, LIX and others.',
} as const satisfies OperatorDefinition;
