import { type Static, Type } from '@sinclair/typebox';
import { bulkIds } from '../wire-bulk';
import { literals } from '../literals';

const actions = ['cancel', 'pause', 'resume', 'rerun', 'retry', 'delete'] as const;

/** Request body that does the same to several runs. */
export const JobRunsBulk = Type.Object(
  { action: literals(actions), job_run_ids: bulkIds },
  { $id: 'JobRunsBulk', additionalProperties: false },
);
export type JobRunsBulk = Static<typeof JobRunsBulk>;
