import { type Static, Type } from '@sinclair/typebox';
import { literals } from '../literals';
import { pairDeciders, pairReasons, pairStates } from './pairs';
import { GraphNode } from './wire-facts';

/** The decision about a pair. */
export const GraphPairState = literals(pairStates, {
  description: '`open`: a person should decide; `same`: shown as one node; `different`: two things.',
});

/** Two nodes that may mean the same thing, as the documents that the reader may read describe them. */
export const GraphPair = Type.Object(
  {
    nodes: Type.Array(GraphNode, { minItems: 2, maxItems: 2 }),
    state: GraphPairState,
    decided_by: literals(pairDeciders, {
      description:
        'Decisions of a person count for all readers; those of a model for readers of the documents that it was shown.',
    }),
    decided_at: Type.Union([Type.String(), Type.Null()], { description: 'When the model or a person decided.' }),
    score: Type.Number({ description: 'How certain the rules are, from 0 to 1, by what you may read.' }),
    reasons: Type.Array(Type.Object({ code: literals(pairReasons), property: Type.Optional(Type.String()) })),
  },
  { $id: 'GraphPair' },
);
export type GraphPair = Static<typeof GraphPair>;

/** A page of pairs. */
export const GraphPairs = Type.Object(
  {
    pairs: Type.Array(GraphPair),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'The value of `after` for the next page, which may be empty; null on the last.',
    }),
  },
  { $id: 'GraphPairs' },
);
export type GraphPairs = Static<typeof GraphPairs>;

/** Request body: decisions of a person about pairs. */
export const GraphDecisions = Type.Object(
  {
    decisions: Type.Array(
      Type.Object(
        {
          nodes: Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
            minItems: 2,
            maxItems: 2,
            description: 'Ids of two nodes of one class, each by its own id. They need not have been proposed.',
          }),
          state: GraphPairState,
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 100 },
    ),
  },
  { additionalProperties: false, $id: 'GraphDecisions' },
);
export type GraphDecisions = Static<typeof GraphDecisions>;

/** How many pairs were decided. */
export const GraphDecided = Type.Object({ decided: Type.Integer() }, { $id: 'GraphDecided' });
export type GraphDecided = Static<typeof GraphDecided>;
