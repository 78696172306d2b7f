import type { ErrorEntry } from './entry';

/** Sources of documents. */
export const sourceErrors = {
  SOURCE_NOT_FOUND: { status: 400, scope: 'run', text: 'A path of the source does not exist.' },
  SOURCE_NOT_ALLOWED: { status: 403, scope: 'run', text: 'A path of the source is outside the allowed roots.' },
  SOURCE_SIGN_IN_FAILED: {
    status: 403,
    scope: 'run',
    text: 'The server of the source does not accept the user name, password or keys.',
  },
  SOURCE_UNREADABLE: { status: 500, scope: 'document', text: 'A file of the source cannot be read.' },
  SOURCE_GONE: { status: 404, scope: 'document', text: 'A document of the source was deleted after it was listed.' },
  SOURCE_TOO_LARGE: { status: 413, scope: 'document', text: 'A file is larger than the limit.' },
  ACCESS_LIST_INVALID: { status: 422, scope: 'document', text: 'The access list beside a file is invalid.' },
  SOURCE_RIGHTS_UNKNOWN: {
    status: 422,
    scope: 'run',
    text: 'The rights of a source cannot be read, or no identity map covers it.',
  },
  IDENTITY_MAP_NOT_FOUND: { status: 404, scope: 'request', text: 'The identity map does not exist.' },
  SOURCE_FETCH_FAILED: { status: 502, scope: 'document', text: 'A source could not be downloaded.' },
} as const satisfies Record<string, ErrorEntry>;
