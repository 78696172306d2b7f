import type { ErrorEntry } from './entry';

/** Flows, projects, schedules and webhooks. */
export const flowErrors = {
  FLOW_VALIDATION_FAILED: { status: 400, scope: 'run', text: 'The flow configuration is invalid.' },
  FLOW_EXECUTION_FAILED: { status: 500, scope: 'run', text: 'The pipeline execution failed.' },
  RUN_TIME_LIMIT_EXCEEDED: {
    status: 504,
    scope: 'run',
    text: 'The run took longer than `time_limit_minutes`; documents that were done stay done.',
  },
  PREFECT_FLOW_TASK_FAILED: {
    status: 500,
    scope: 'run',
    text: 'An activity failed after its retries.',
    lower: 'prefect_flow_failed',
  },
  FLOW_VERSION_NOT_FOUND: {
    status: 404,
    scope: 'request',
    text: 'The flow has no such version, or the version is no longer stored.',
  },
  FLOW_NOT_FOUND: { status: 404, scope: 'request', text: 'The flow does not exist.' },
  FLOW_ALREADY_EXISTS: { status: 409, scope: 'request', text: 'A flow with the same name exists.' },
  FLOW_INVALID_DATA: { status: 400, scope: 'request', text: 'The flow is malformed or lacks fields.' },
  FLOW_STORAGE_ERROR: {
    status: 500,
    retry: 'few',
    scope: 'request',
    text: 'A flow or project could not be stored as a file.',
  },
  FLOW_IN_USE: { status: 409, scope: 'request', text: 'The flow has a run that is not finished.' },
  PROJECT_NOT_FOUND: { status: 404, scope: 'request', text: 'The project does not exist.' },
  PROJECT_ALREADY_EXISTS: { status: 409, scope: 'request', text: 'A project with the same name exists.' },
  PROJECT_INVALID_DATA: { status: 400, scope: 'request', text: 'The project is malformed or lacks fields.' },
  SCHEDULE_NOT_FOUND: { status: 404, scope: 'request', text: 'The flow has no such schedule.' },
  WEBHOOK_NOT_FOUND: { status: 404, scope: 'request', text: 'The webhook does not exist.' },
  WEBHOOK_NOT_DELIVERED: {
    status: 502,
    retry: 'few',
    scope: 'request',
    text: 'The receiver of a webhook did not accept a message.',
  },
} as const satisfies Record<string, ErrorEntry>;
