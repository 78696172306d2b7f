import type { Setting } from './setting';

/** The database, folders and buckets, and how long data is kept. */
export const storageSettings = {
  MONGODB_URL: {
    kind: 'text',
    default: 'mongodb://127.0.0.1:27017/docloom',
    secret: true,
    // Passwords stand before `@` or in the parameters.
    harmless: /^mongodb(?:\+srv)?:\/\/[^@?]*$/,
    text: 'MongoDB connection string with the database name.',
  },
  DOCLOOM_DATA: { kind: 'text', default: '.docloom', text: 'Folder for all persistent data.' },
  DOCLOOM_CACHE: { kind: 'text', text: 'Folder for downloaded and built servers. Default: ~/.cache/docloom.' },
  DOCLOOM_STORAGE: {
    kind: 'text',
    default: 'folder',
    oneOf: ['folder', 's3'],
    text: 'Where tables and files are stored.',
  },
  DOCLOOM_S3_ENDPOINT: { kind: 'text', text: 'URL of the S3 server.' },
  DOCLOOM_S3_REGION: { kind: 'text', default: 'us-east-1', text: 'Region of the S3 server.' },
  DOCLOOM_S3_BUCKET: { kind: 'text', default: 'docloom', text: 'Bucket of tables and files.' },
  DOCLOOM_S3_PREFIX: { kind: 'text', default: '', text: 'Prefix of all keys in the bucket.' },
  DOCLOOM_S3_ACCESS_KEY: { kind: 'text', text: 'Access key.' },
  DOCLOOM_S3_SECRET_KEY: { kind: 'text', secret: true, text: 'Secret key.' },
  DOCLOOM_TABLE_RETENTION_DAYS: {
    kind: 'integer',
    default: '7',
    minimum: 1,
    text: 'Days after which the tables of a finished run are removed, with the converted documents of a job whose ledger is empty; the record of the run stays. Graphs of `POST /api/v1/graphs` are removed after the same time.',
  },
  DOCLOOM_KEEP_ORIGINALS_MB: {
    kind: 'integer',
    default: '64',
    minimum: 0,
    text: 'Flows keep the original of each document up to this size in MiB, so that its readers can open it. 0 keeps none.',
  },
  DOCLOOM_EXPORT_ROOTS: {
    kind: 'list',
    default: '',
    text: 'Folders on the worker that flows may export files to; none by default. No flow may read them.',
  },
  DOCLOOM_EXPORT_PRINCIPALS: {
    kind: 'list',
    default: '',
    text: 'Users and groups whose runs may export into DOCLOOM_EXPORT_ROOTS: user:NAME, group:NAME, or a name that is either. Default: the members of DOCLOOM_ADMIN_GROUPS.',
  },
  DOCLOOM_AUDIT_DAYS: {
    kind: 'integer',
    default: '365',
    minimum: 1,
    text: 'Days after which entries of the audit log are removed.',
  },
} as const satisfies Record<string, Setting>;
