import { type Static, Type } from '@sinclair/typebox';
import type { OperatorDefinition } from '../../model/flow/operator';
import { literals } from '../../model/literals';
import { profanityLanguages } from './words';

const defineWords = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }), {
      maxItems: 10_000,
      default: [],
      description,
    }),
  );

export const config = Type.Object(
  {
    languages: Type.Optional(
      Type.Array(literals(profanityLanguages), {
        uniqueItems: true,
        default: [...profanityLanguages],
        description:
          'Word lists to use; with an empty list, only `words` count. A row with `lang_name` is checked against the list of its language only.',
      }),
    ),
    words: defineWords('Additional words and phrases; a star at the start or end of a word matches any letters.'),
    allowed_words: defineWords('Words that never count.'),
    action: Type.Optional(
      literals(['detect', 'mask', 'remove'], {
        default: 'detect',
        description:
          'detect: count; mask: each character becomes masking_character; remove: rows with at least `max_count` are skipped.',
      }),
    ),
    masking_character: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2, default: '*', description: 'For `mask`.' }),
    ),
    max_count: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        default: 1,
        description: 'For `remove`: rows with at least this many matches are removed.',
      }),
    ),
    doc_column: Type.Optional(Type.String({ minLength: 1, default: 'content', description: 'Column to search.' })),
  },
  { additionalProperties: true },
);
export type ProfanityConfig = Static<typeof config>;

export const profanity = {
  name: 'profanity',
  label: 'Profanity',
  category: 'Quality',
  scope: 'row',
  queue: 'cpu',
  needs: [],
  reads: ['content'],
  writes: ['profanity_count', 'profanity_ratio', 'profanity_terms'],
  named: { reads: ['doc_column'] },
  columns: {
    profanity_count: { type: 'int64', description: 'Number of matches.', indexed: true },
    profanity_ratio: { type: 'double', description: 'Matches per word of the text.', indexed: true },
    profanity_terms: { type: 'list', description: 'Distinct list entries found in the text.', indexed: false },
  },
  masksText: true,
  withholdsText: true,
  config,
  summary: 'Counts swear words by language, and masks them or removes rows with too many.',
} as const satisfies OperatorDefinition;
