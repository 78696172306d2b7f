import { type Static, Type } from '@sinclair/typebox';
import type { OperatorDefinition } from '../../model/flow/operator';

export const config = Type.Object(
  {
    threshold: Type.Optional(
      Type.Number({
        minimum: 0.3,
        maximum: 1,
        default: 0.8,
        description: 'How alike two texts are at least: the share of their runs of words that both have.',
      }),
    ),
    shingle_words: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 20,
        default: 5,
        description: 'Words of a run. Fewer find more, and more by chance.',
      }),
    ),
    num_permutations: Type.Optional(
      Type.Integer({
        minimum: 16,
        maximum: 1_024,
        default: 128,
        description: 'Places of a MinHash signature. More find candidates more surely and take more time.',
      }),
    ),
    action: Type.Optional(
      Type.Union(
        (['remove', 'mark'] as const).map((one) => Type.Literal(one)),
        {
          default: 'remove',
          description: 'remove: keep the first of similar texts; mark: keep all and name the first.',
        },
      ),
    ),
    across_access_lists: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'For `remove`: also compare documents with different access lists; then readers of a removed one may not be able to read the remaining one.',
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
      description: 'With `mark`: the id of the earlier row that the text is most like; empty where it is like none.',
      indexed: true,
    },
    near_duplicate_similarity: {
      type: 'double',
      description: 'With `mark`: the similarity to that row, from threshold to 1; empty where there is none.',
      indexed: true,
    },
  },
  config,
  summary: 'Finds texts that are nearly the same as an earlier one of the run, and removes or marks them.',
} as const satisfies OperatorDefinition;
