import type { Setting } from './setting';

/** Flows: their files, stored secrets, and custom operators. */
export const flowSettings = {
  PROJECT_REPOSITORY_BASE_DIR: {
    kind: 'text',
    text: 'Folder in which projects and flows are also kept as JSON files, written on every change and read at startup.',
  },
  DOCLOOM_CUSTOM_OPERATORS: {
    kind: 'list',
    default: '',
    aliases: ['DOCPIPE_CUSTOM_OPERATORS'],
    text: 'Folders with custom operators, one per TypeScript or JavaScript file; read when the api and the worker start.',
  },
  DOCLOOM_CUSTOM_OPERATOR_SECONDS: {
    kind: 'number',
    default: '300',
    minimum: 0.1,
    text: 'Seconds that a custom operator may take for one part.',
  },
  DOCLOOM_CUSTOM_OPERATOR_MEMORY_MB: {
    kind: 'integer',
    default: '256',
    minimum: 16,
    text: 'Heap limit of the process in which a custom operator runs, in MB.',
  },
  DOCLOOM_CONNECTION_KEYS: {
    kind: 'list',
    default: '',
    secret: true,
    text: 'Keys (32 bytes in base64 each) that encrypt stored secrets in MongoDB: the first encrypts, all of them decrypt. The same for every api and worker. Default: a generated key in the file connection-keys of DOCLOOM_DATA.',
  },
} as const satisfies Record<string, Setting>;
