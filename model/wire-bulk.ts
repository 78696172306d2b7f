import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from './closed-object';
import { count } from './wire-parts';

/** The most items that one bulk request may name. */
export const maxInBulk = 100;

/** The ids of a bulk request. */
export const bulkIds = Type.Array(Type.String({ format: 'uuid' }), {
  minItems: 1,
  maxItems: maxInBulk,
  uniqueItems: true,
});

/** The outcome of each item of a bulk request. */
export const BulkReply = closedObject('BulkReply', {
  results: Type.Array(
    Type.Object({
      id: Type.String(),
      outcome: Type.Union([Type.Literal('done'), Type.Literal('refused')]),
      code: Type.Optional(Type.String({ description: 'Why the item was rejected.' })),
      message: Type.Optional(Type.String()),
      job_run_id: Type.Optional(Type.String({ description: 'The new run, where the action starts one.' })),
    }),
    { description: 'One per item, in the order of the request.' },
  ),
  done: count,
  refused: count,
});
export type BulkReply = Static<typeof BulkReply>;
