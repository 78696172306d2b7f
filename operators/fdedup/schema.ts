import { type Static, Type } from '@sinclair/typebox';
import type { OperatorDefinition } from '../../model/flow/operator';
import { literals } from '../../model/literals';

export const config = Type.Object(
  {
    threshold: Type.Optional(
      Type.Number({
        minimum: 0.3,
        maximum: 1,
        default: 0.8,
        description:
          'Minimum similarity of near-duplicates: the share of word sequences that two texts have in common.',
      }),
    ),
    shingle_words: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 20,
        default: 5,
        description: 'Number of words in a sequence. Shorter sequences find more matches, including accidental ones.',
      }),
    ),
    num_permutations: Type.Optional(
      Type.Integer({
        minimum: 16,
        maximum: 1_024,
        default: 128,
        description: 'Length of the MinHash signatures. Longer signatures miss fewer candidates and take more time.',
      }),
    ),
    action: Type.Optional(
      literals(['remove', 'mark'], {
        default: 'remove',
        description:
          'remove: keep only the first of several similar texts; mark: keep all and record the id of the first.',
      }),
    ),
    across_access_lists: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'For `remove`: also compare documents with different access lists. Readers of a removed document may then lack access to the one that stays.',
      }),
    ),
    doc_column: Type.Optional(
      Type.String({ minLength: 1, default: 'content', description: 'The column whose text is compared.' }),
    ),
  },
  { additionalProperties: true },
);
export type FdedupConfig = Static<typeof config>;

export const fdedup = {
  name: 'fdedup',
  label: 'Near-duplicates',
  category: 'Quality',
  scope: 'table',
  queue: 'cpu',
  needs: [],
  reads: ['content'],
  writes: ['near_duplicate_of', 'near_duplicate_similarity'],
  named: { reads: ['doc_column'] },
  columns: {
    near_duplicate_of: {
      type: 'string',
      description: 'With `mark`: the id of the most similar earlier row; empty if there is none.',
      indexed: true,
    },
    near_duplicate_similarity: {
      type: 'double',
      description: 'With `mark`: the similarity to that row, from `threshold` to 1; empty if there is none.',
      indexed: true,
    },
  },
  config,
  summary: 'Finds near-duplicates of earlier texts in the same run, and removes or marks them.',
} as const satisfies OperatorDefinition;
