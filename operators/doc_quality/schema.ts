import { type Static, Type } from '@sinclair/typebox';
import type { ColumnFacts } from '../../model/flow/columns';
import type { OperatorDefinition, OperatorProblem } from '../../model/flow/operator';

export const config = Type.Object(
  {
    text_lang: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 16,
        default: 'en',
        description: 'The language of `bad_words`; accepted for compatibility.',
      }),
    ),
    doc_content_column: Type.Optional(
      Type.String({ minLength: 1, default: 'content', description: 'The column to assess.' }),
    ),
    bad_words: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: 10_000,
        default: [],
        description: 'Words and phrases that should not occur; case-insensitive.',
      }),
    ),
    bad_word_filepath: Type.Optional(
      Type.String({
        description: 'Accepted for compatibility but ignored, since operators read no files. Use `bad_words`.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type DocQualityConfig = Static<typeof config>;

const defineRatio = (description: string): ColumnFacts => ({ type: 'double', description, indexed: true });

const columns = {
  docq_total_words: { type: 'int64', description: 'Number of words, separated by white space.', indexed: true },
  docq_mean_word_len: defineRatio('Mean number of characters per word.'),
  docq_symbol_to_word_ratio: defineRatio('Number signs and ellipses per word.'),
  docq_sentence_count: {
    type: 'int64',
    description: 'Number of sentences, ending with . ! ? or 。; at least one if there is text.',
    indexed: true,
  },
  docq_lorem_ipsum_ratio: defineRatio('Occurrences of "lorem ipsum" per character.'),
  docq_curly_bracket_ratio: defineRatio('Curly brackets per character.'),
  docq_contain_bad_word: {
    type: 'boolean',
    description: 'Whether one of `bad_words` occurs as a word.',
    indexed: true,
  },
  docq_bullet_point_ratio: defineRatio('Share of the lines that begin with a bullet.'),
  docq_ellipsis_line_ratio: defineRatio('Share of the lines that end in an ellipsis.'),
  docq_alphabet_word_ratio: defineRatio('Share of the words that contain a letter.'),
  docq_contain_common_en_words: {
    type: 'boolean',
    description: 'Whether at least two of the, be, to, of, and, that, have, with occur.',
    indexed: true,
  },
} as const satisfies Record<string, ColumnFacts>;

export const docQuality = {
  name: 'doc_quality',
  label: 'Document quality',
  category: 'Quality',
  scope: 'row',
  queue: 'cpu',
  needs: [],
  reads: ['content'],
  writes: Object.keys(columns),
  named: { reads: ['doc_content_column'] },
  columns,
  config,
  summary: 'Adds counts and ratios that help to find low-quality texts.',
  validate: (input): OperatorProblem[] =>
    input['bad_word_filepath'] === undefined
      ? []
      : [
          {
            severity: 'warning',
            messageCode: 'SETTING_WITHOUT_EFFECT',
            message: 'bad_word_filepath is not read; write the words into bad_words.',
            pointer: '/bad_word_filepath',
          },
        ],
} as const satisfies OperatorDefinition;
