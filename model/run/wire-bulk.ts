import type { Static } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { literals } from '../literals';
import { bulkIds } from '../wire-bulk';

const actions = ['cancel', 'pause', 'resume', 'rerun', 'retry', 'delete'] as const;

/** Request body that does the same to several runs. */
export const JobRunsBulk = closedObject('JobRunsBulk', { action: literals(actions), job_run_ids: bulkIds });
export type JobRunsBulk = Static<typeof JobRunsBulk>;
