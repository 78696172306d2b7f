import { type Static, Type } from '@sinclair/typebox';

/** The state of a document in a corpus graph. */
export const GraphDocumentState = Type.Union([Type.Literal('done'), Type.Literal('empty'), Type.Literal('failed')], {
  description: '`empty`: nothing in the document matches the template; `failed`: the next update reads it again.',
});

/** A document of a graph of a corpus. */
export const GraphDocument = Type.Object(
  {
    document_id: Type.String(),
    name: Type.String(),
    state: GraphDocumentState,
    error: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()]),
  },
  { $id: 'GraphDocument' },
);
export type GraphDocument = Static<typeof GraphDocument>;

/** A page of documents. */
export const GraphDocuments = Type.Object(
  {
    documents: Type.Array(GraphDocument),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'The value of `after` for the next page, which may be empty; null on the last.',
    }),
  },
  { $id: 'GraphDocuments' },
);
export type GraphDocuments = Static<typeof GraphDocuments>;
