import { type Static, Type } from '@sinclair/typebox';
import { SearchRequestBody } from './wire';

const { filters, index, flow, project, document_set, graph, store, rerank } = SearchRequestBody.properties;

/** A question to documents. */
export const AskBody = Type.Object(
  {
    question: Type.String({ minLength: 1, maxLength: 2_000, pattern: '\\S' }),
    mode: Type.Optional(
      Type.Union([Type.Literal('text'), Type.Literal('hybrid'), Type.Literal('graph')], {
        default: 'hybrid',
        description: 'How passages are found.',
      }),
    ),
    passages: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 20,
        default: 8,
        description: 'Maximum number of records that the model receives.',
      }),
    ),
    filters,
    index,
    flow,
    project,
    document_set,
    graph,
    store,
    rerank,
  },
  { $id: 'AskRequest', additionalProperties: false },
);
export type AskBody = Static<typeof AskBody>;

const Citation = Type.Object({
  id: Type.String({ description: 'The record.' }),
  document_id: Type.Optional(Type.String()),
  title: Type.String(),
  pages: Type.Array(Type.Number()),
  boxes: Type.Array(Type.Object({ page: Type.Number(), bbox: Type.Array(Type.Number()) })),
});

/** The data of an event `sentence`. */
export const AnswerSentence = Type.Object(
  { text: Type.String({ description: 'Plain text.' }), citations: Type.Array(Citation, { minItems: 1 }) },
  { $id: 'AnswerSentence' },
);
export type AnswerSentence = Static<typeof AnswerSentence>;

/** The data of the event `end`. */
export const AnswerEndEvent = Type.Object(
  {
    answered: Type.Boolean({ description: 'False if the documents that you may read do not contain the answer.' }),
    passages: Type.Integer({ minimum: 0, description: 'Number of records that the model received.' }),
    dropped: Type.Integer({
      minimum: 0,
      description: 'Sentences of the model left out because no cited record says so.',
    }),
    truncated: Type.Boolean({ description: 'The model stopped at its limit.' }),
    warnings: Type.Optional(
      Type.Array(Type.String(), { description: 'What the search for records left out, and why.' }),
    ),
    usage: Type.Object({
      requests: Type.Number(),
      input_tokens: Type.Number(),
      output_tokens: Type.Number(),
      cost: Type.Number(),
    }),
  },
  { $id: 'AnswerEnd' },
);
export type AnswerEndEvent = Static<typeof AnswerEndEvent>;
