import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';

/** Rows that an operator of a run wrote. */
export const StepRowPage = closedObject('StepRowPage', {
  job_run_id: Type.String(),
  operator: Type.String(),
  columns: Type.Array(Type.String(), { description: 'The columns of `rows`, in their order.' }),
  rows: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  limit: Type.Integer({ minimum: 1 }),
  offset: Type.Integer({ minimum: 0 }),
  has_more: Type.Boolean({
    description:
      'The next page begins at `offset` plus the number of rows. A page may contain fewer rows than `limit`.',
  }),
});
export type StepRowPage = Static<typeof StepRowPage>;
