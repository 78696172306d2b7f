import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';

const batches = Type.Integer({ minimum: 1, maximum: 64, description: 'Batches that run at the same time.' });

/** How a run in progress starts its batches. */
export const JobRunControls = closedObject('JobRunControls', {
  job_run_id: Type.String(),
  is_paused: Type.Boolean(),
  max_concurrent_batches: batches,
});
export type JobRunControls = Static<typeof JobRunControls>;

/** Request body that changes how many batches run at the same time. */
export const JobRunConcurrency = closedObject('JobRunConcurrency', { max_concurrent_batches: batches });
export type JobRunConcurrency = Static<typeof JobRunConcurrency>;
