import { type Static, Type } from '@sinclair/typebox';
import { graphStates } from '../graph/graph-build';
import { literals } from '../literals';
import { count } from '../wire-parts';

/** What flows and graphs found in a document, as far as the reader may see it. */
export const DocumentFacts = Type.Object(
  {
    document_id: Type.String(),
    sets: Type.Array(
      Type.Object({
        set_id: Type.String(),
        name: Type.String(),
        owner: Type.String(),
        total_rows: count,
        rows: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
          description: 'The first 20 rows of the document, without vectors.',
        }),
      }),
      { description: 'The first 20 document sets with rows of the document.' },
    ),
    graphs: Type.Array(
      Type.Object({
        graph_id: Type.String(),
        name: Type.Union([Type.String(), Type.Null()], { description: 'Of a graph of a corpus, else null.' }),
        template: Type.String({ description: 'Name of the root of the template.' }),
        state: literals(graphStates),
        created_at: Type.String(),
      }),
      {
        description:
          'The newest 20 graphs of the document, and of corpora that contain it: yours and those shared with you.',
      },
    ),
  },
  { $id: 'DocumentFacts' },
);
export type DocumentFacts = Static<typeof DocumentFacts>;
