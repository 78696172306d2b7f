import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { pageSchema } from '../wire-parts';

/** The name of an index: never a pattern, a list or a path. */
export const IndexName = Type.String({ pattern: '^[a-z0-9][a-z0-9_.-]{0,254}$' });

/** An index of the configured search server, as shown to its owner and writers. */
export const IndexReply = closedObject('Index', {
  name: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
  owner: Type.String({ description: 'The first user who wrote to the index; empty if unknown.' }),
  writers: Type.Array(Type.String()),
  is_searched: Type.Boolean({
    description: 'False for an index that is waiting to take over an alias, and for one that was replaced.',
  }),
  records: Type.Integer({ minimum: 0, description: 'Records that you may read.' }),
  dimension: Type.Optional(Type.Integer({ description: 'Dimensions of the vectors. Absent if the index has none.' })),
  embedder: Type.Optional(Type.String({ description: 'What made its vectors, as far as it is known.' })),
});
export type IndexReply = Static<typeof IndexReply>;

export const IndexPage = pageSchema(IndexReply, 'IndexPage');
export type IndexPage = Static<typeof IndexPage>;

export const IndexPatch = Type.Object(
  {
    description: Type.Optional(
      Type.Union([Type.String({ maxLength: 2_000 }), Type.Null()], { description: 'null clears.' }),
    ),
  },
  { $id: 'IndexPatch', additionalProperties: false, minProperties: 1 },
);
export type IndexPatch = Static<typeof IndexPatch>;
