import type { ErrorEntry } from './entry';

/** Documents that cannot be read, and tasks of the conversion service. */
export const conversionErrors = {
  FORMAT_UNSUPPORTED: { status: 415, scope: 'document', text: 'The format of the document is not supported.' },
  DOCUMENT_CORRUPT: { status: 422, scope: 'document', text: 'The document is damaged.' },
  TEXT_UNREADABLE: {
    status: 422,
    scope: 'document',
    text: 'The text in the images cannot be read: it is in a language other than those requested, or its quality is too poor.',
  },
  DOCUMENT_ENCRYPTED: { status: 422, scope: 'document', text: 'The document is protected by a password.' },
  DOCUMENT_TOO_LARGE: { status: 413, scope: 'document', text: 'The document expands beyond the limits.' },
  DOCUMENT_EMPTY: { status: 422, scope: 'document', text: 'The document is empty.' },
  CONVERSION_TIMEOUT: { status: 504, scope: 'document', text: 'The conversion took longer than its time limit.' },
  CONVERSION_FAILED: { status: 500, scope: 'document', text: 'The conversion failed.' },
  CONVERSION_TASK_NOT_FOUND: {
    status: 404,
    scope: 'request',
    text: 'The conversion task does not exist, belongs to another tenant or has expired.',
  },
  CONVERSION_RESULT_NOT_READY: {
    status: 404,
    scope: 'request',
    text: 'The conversion task has no result: it is not finished, or it failed.',
  },
  CONVERSION_TARGET_FAILED: {
    status: 502,
    scope: 'request',
    text: 'The result of a conversion could not be written to its target.',
  },
} as const satisfies Record<string, ErrorEntry>;
