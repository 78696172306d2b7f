import type { ErrorEntry } from './entry';

/** Document sets, libraries and uploads. */
export const documentSetErrors = {
  DOCUMENT_SET_NOT_FOUND: {
    status: 404,
    scope: 'run',
    text: 'The document set does not exist, or you may not see it.',
  },
  DOCUMENT_SET_INVALID_DATA: { status: 400, scope: 'request', text: 'The document set is malformed or lacks fields.' },
  DOCUMENT_LIBRARY_NOT_FOUND: {
    status: 404,
    scope: 'request',
    text: 'The document library does not exist, or you may not see it.',
  },
  DOCUMENT_LIBRARY_ALREADY_EXISTS: {
    status: 409,
    scope: 'request',
    text: 'A document library with the same name exists.',
  },
  DOCUMENT_LIBRARY_INVALID_DATA: {
    status: 400,
    scope: 'request',
    text: 'The document library is malformed, or its sets cannot be changed in this way.',
  },
  LIBRARY_FILE_NOT_FOUND: { status: 404, scope: 'request', text: 'The library has no such file.' },
  LIBRARY_FILE_INVALID_NAME: { status: 400, scope: 'request', text: 'A file of a library cannot have this name.' },
  LIBRARY_FILE_ALREADY_EXISTS: {
    status: 409,
    scope: 'request',
    text: 'The library has a file whose name differs only in letter case or in the form of a character.',
  },
  LIBRARY_FULL: {
    status: 413,
    scope: 'request',
    text: 'The file is too large, or there is no room for it: a limit of uploads is reached.',
  },
  UPLOAD_NOT_FOUND: { status: 404, scope: 'request', text: 'The upload does not exist, or it has ended or expired.' },
  UPLOAD_INVALID: {
    status: 400,
    scope: 'request',
    text: 'The size or SHA-256 of the upload, or of one of its parts, differs from the announced one.',
  },
  UPLOAD_INCOMPLETE: { status: 409, scope: 'request', text: 'Parts of the upload are missing.' },
} as const satisfies Record<string, ErrorEntry>;
