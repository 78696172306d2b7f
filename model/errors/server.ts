import type { ErrorEntry } from './entry';

/** Servers and services that Docloom depends on, and its own configuration. */
export const serverErrors = {
  INVALID_CONFIGURATION: { status: 500, scope: 'run', text: 'The configuration is invalid.' },
  EXTERNAL_SERVICE_ERROR: { status: 502, retry: 'few', scope: 'run', text: 'An external service failed.' },
  HTTP_ERROR: { status: 502, retry: 'few', scope: 'run', text: 'An HTTP request failed.' },
  CONNECTION_ERROR: { status: 503, retry: 'outage', scope: 'run', text: 'A network connection failed.' },
  INVALID_RESPONSE: { status: 502, retry: 'few', scope: 'run', text: 'A service sent an invalid response.' },
  DATABASE_UNAVAILABLE: { status: 503, retry: 'outage', scope: 'run', text: 'The database cannot be reached.' },
  WORKFLOW_ENGINE_UNAVAILABLE: { status: 503, retry: 'outage', scope: 'request', text: 'Temporal cannot be reached.' },
  STORAGE_ERROR: { status: 503, retry: 'outage', scope: 'run', text: 'The object store failed, or its disk is full.' },
  EMBEDDED_SERVER_FAILED: {
    status: 500,
    scope: 'run',
    text: 'An embedded server could not be downloaded, built or started.',
  },
  INSTALLATION_MISMATCH: {
    status: 503,
    scope: 'run',
    text: 'The database, the store and the index do not belong to the same installation.',
  },
  ALREADY_RUNNING: { status: 409, scope: 'request', text: 'Docloom is already running in this data folder.' },
  BACKUP_INVALID: {
    status: 400,
    scope: 'request',
    text: 'The backup is damaged, incomplete, from a newer version, or encrypted with another key.',
  },
} as const satisfies Record<string, ErrorEntry>;
