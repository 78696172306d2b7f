import type { ErrorEntry } from './entry';

/** HTTP requests in general. */
export const requestErrors = {
  VALIDATION_ERROR: { status: 400, scope: 'request', text: 'The request is invalid.' },
  HOST_NOT_ALLOWED: {
    status: 421,
    scope: 'request',
    text: 'The server does not answer to the name in the header Host (DOCLOOM_HOST_NAMES).',
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    scope: 'request',
    text: 'Pages of this origin may not open a WebSocket (CORS_ORIGINS).',
  },
  NOT_FOUND: { status: 404, scope: 'request', text: 'No resource exists at this address.' },
  METHOD_NOT_ALLOWED: { status: 405, scope: 'request', text: 'The method is not allowed here.' },
  CONFLICT: { status: 409, scope: 'request', text: 'The request conflicts with the state of the resource.' },
  PRECONDITION_FAILED: {
    status: 412,
    scope: 'request',
    text: 'The resource has changed since it was read: If-Match does not match its current ETag.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, scope: 'request', text: 'The request body is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, scope: 'request', text: 'The media type of the body is not supported.' },
  TOO_MANY_REQUESTS: { status: 429, scope: 'request', text: 'Too many requests.' },
  SERVICE_UNAVAILABLE: { status: 503, scope: 'request', text: 'The service is not available.' },
  INTERNAL_ERROR: { status: 500, retry: 'few', scope: 'document', text: 'An unexpected error occurred.' },
} as const satisfies Record<string, ErrorEntry>;
