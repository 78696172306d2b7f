import type { Setting } from './setting';

/** Uploads into document libraries. */
export const documentSetSettings = {
  DOCLOOM_UPLOAD_MAX_MB: {
    kind: 'integer',
    default: '500',
    minimum: 1,
    text: 'Maximum size in MB of a file that is uploaded into a document library.',
  },
  DOCLOOM_UPLOAD_USER_MB: {
    kind: 'integer',
    default: '20000',
    minimum: 1,
    text: 'Maximum size in MB of all files in the document libraries of a user, unfinished uploads included.',
  },
  DOCLOOM_UPLOAD_LIBRARY_FILES: {
    kind: 'integer',
    default: '10000',
    minimum: 1,
    text: 'Maximum number of files in a document library, unfinished uploads included.',
  },
  DOCLOOM_UPLOAD_HOURS: {
    kind: 'integer',
    default: '24',
    minimum: 1,
    text: 'Hours after its last part when an unfinished upload is removed.',
  },
} as const satisfies Record<string, Setting>;
