import { Type } from '@sinclair/typebox';

/** The member that turns a start into a sample run. */
export const sampleChoice = Type.Optional(
  Type.Object(
    {
      documents: Type.Integer({
        minimum: 1,
        maximum: 100,
        description: 'How many documents to take, divided among the sources of the flow.',
      }),
    },
    {
      additionalProperties: false,
      description:
        'Tries the flow on its first documents, unchanged ones included: no index, set or ledger is written; the rows of each step can be looked at.',
    },
  ),
);

/** The member that marks a sample run. */
export const sample = Type.Optional(
  Type.Object(
    { documents: Type.Integer({ minimum: 1 }) },
    { description: 'Set if the run only tries the flow on some documents.' },
  ),
);
