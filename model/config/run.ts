import type { Setting } from './setting';

/** Runs of flows, and where their statistics and results are stored. */
export const runSettings = {
  DOCLOOM_WAIT_HOURS: {
    kind: 'number',
    default: '24',
    minimum: 0,
    text: 'Hours for which an operator waits for an unavailable server before the run ends with that reason.',
  },
  PIPE_STORAGE_BACKEND: {
    kind: 'text',
    default: 'mongodb',
    oneOf: ['mongodb', 'filesystem', 'postgres'],
    text: 'Where the statistics, failed documents and results of runs are stored; run records are always in MongoDB.',
  },
  PIPE_JOB_STATS_BASE_DIR: {
    kind: 'text',
    text: 'Folder of the filesystem backend, shared by all apis and workers. Default: job-stats in DOCLOOM_DATA.',
  },
  PIPE_POSTGRES_HOST: { kind: 'text', default: '127.0.0.1', text: 'Host of PostgreSQL.' },
  PIPE_POSTGRES_PORT: { kind: 'port', default: '5432', text: 'Port of PostgreSQL.' },
  PIPE_POSTGRES_DB: { kind: 'text', default: 'docloom', text: 'PostgreSQL database; the tables are created in it.' },
  PIPE_POSTGRES_USER: { kind: 'text', default: 'docloom', text: 'User of PostgreSQL.' },
  PIPE_POSTGRES_PASSWORD: { kind: 'text', secret: true, text: 'Password of PIPE_POSTGRES_USER.' },
  PIPE_POSTGRES_USE_SSL: {
    kind: 'boolean',
    default: 'false',
    text: 'Use TLS for PostgreSQL; its certificate is verified.',
  },
  PIPE_FRAMEWORK_TYPE: { kind: 'text', default: 'temporal', oneOf: ['temporal'], text: 'Accepted for compatibility.' },
} as const satisfies Record<string, Setting>;
