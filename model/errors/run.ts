import type { ErrorEntry } from './entry';

/** Runs, and the tables that they write. */
export const runErrors = {
  JOB_RUN_NOT_FOUND: { status: 404, scope: 'request', text: 'The job run does not exist.' },
  JOB_RUN_INVALID_STATE: { status: 409, scope: 'request', text: 'The job run is in a state that does not allow this.' },
  JOB_RUN_NOT_FINISHED: { status: 425, scope: 'request', text: 'The job run is not finished yet; try again later.' },
  JOB_RUN_BUSY: { status: 409, retry: 'outage', scope: 'run', text: 'Another run of the same job is not finished.' },
  TABLE_NOT_FOUND: { status: 410, scope: 'run', text: 'A table or file is no longer available.' },
} as const satisfies Record<string, ErrorEntry>;
