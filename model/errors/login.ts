import type { ErrorEntry } from './entry';

/** Logins, API keys and service accounts, and the rights of a caller. */
export const loginErrors = {
  API_KEY_NOT_FOUND: { status: 404, scope: 'request', text: 'The API key does not exist.' },
  SESSION_NOT_FOUND: { status: 404, scope: 'request', text: 'The session does not exist, or it has ended.' },
  SERVICE_ACCOUNT_NOT_FOUND: { status: 404, scope: 'request', text: 'The service account does not exist.' },
  SERVICE_ACCOUNT_ALREADY_EXISTS: {
    status: 409,
    scope: 'request',
    text: 'A service account with the same name exists.',
  },
  UNAUTHORIZED: { status: 401, scope: 'request', text: 'A valid token is required.' },
  FORBIDDEN: { status: 403, scope: 'request', text: 'You may not do this.' },
} as const satisfies Record<string, ErrorEntry>;
