import type { ErrorEntry } from './entry';

/** The search index, its documents, saved searches, the review queue and removals. */
export const searchErrors = {
  SEARCH_CONNECTION_FAILED: {
    status: 503,
    retry: 'outage',
    scope: 'run',
    text: 'The search index cannot be reached.',
    lower: 'opensearch_connection_failed',
  },
  SEARCH_BUSY: {
    status: 503,
    scope: 'request',
    text: 'Too many searches are waiting. Repeat the request after the seconds in Retry-After.',
  },
  INDEX_NOT_OWNED: {
    status: 403,
    scope: 'run',
    text: 'The index, collection or alias belongs to another user, who has not granted you write access.',
  },
  SEARCH_INDEX_ERROR: {
    status: 500,
    scope: 'run',
    text: 'An index operation failed.',
    lower: 'opensearch_index_error',
  },
  DOCUMENT_NOT_FOUND: {
    status: 404,
    scope: 'request',
    text: 'The document does not exist, or you may not read it.',
    lower: 'not_found',
  },
  DOCUMENT_FORM_NOT_FOUND: {
    status: 404,
    scope: 'request',
    text: 'The document is not stored in this form, or only the owner of its run may open it.',
  },
  FAILED_DOCUMENT_NOT_FOUND: {
    status: 404,
    scope: 'request',
    text: 'The failed document does not exist, or it belongs to another user.',
  },
  REVIEW_NOT_FOUND: {
    status: 404,
    scope: 'request',
    text: 'The document is not in the review queue, or it belongs to another user.',
  },
  REMOVAL_NOT_FOUND: { status: 404, scope: 'request', text: 'The removal does not exist, or you did not request it.' },
  REMOVAL_INVALID_STATE: {
    status: 409,
    scope: 'request',
    text: 'The removal is in a state that does not allow this.',
  },
  INDEX_NOT_FOUND: {
    status: 404,
    scope: 'request',
    text: 'The index does not exist, or you neither own it nor may write to it.',
  },
  SAVED_SEARCH_NOT_FOUND: {
    status: 404,
    scope: 'request',
    text: 'The saved search does not exist, or it is not shared with you.',
  },
  JUDGED_QUERY_NOT_FOUND: { status: 404, scope: 'request', text: 'You have no such judged query.' },
} as const satisfies Record<string, ErrorEntry>;
