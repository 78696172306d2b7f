import type { Setting } from './setting';

/** Settings of sources: what flows and requests may read, and which private hosts they may reach. */
export const sourceSettings = {
  DOCLOOM_INGEST_PRINCIPALS: {
    kind: 'list',
    default: '',
    text: 'Users and groups whose runs may ingest documents that they may not read: user:NAME, group:NAME, or a name that is either. Default: the members of DOCLOOM_ADMIN_GROUPS. Set it for api and worker.',
  },
  DOCLOOM_SOURCE_ROOTS: {
    kind: 'list',
    default: '',
    text: 'Folders that flows may read. None by default; `docloom up` and `run` add the current folder.',
  },
  DOCLOOM_HIDDEN_FILES: {
    kind: 'boolean',
    default: 'false',
    text: 'Runs that act for administrators may read files and folders whose names start with a dot, such as .git, below the source roots. The data and cache folders stay closed in any case.',
  },
  DOCLOOM_ALLOWED_HOSTS: {
    kind: 'list',
    default: '',
    text: 'Private hosts that flows and requests may use (model servers, sources, targets): names, addresses and networks, each with a port, such as `models.internal:8000`, `127.0.0.1:11434` or `10.0.0.0/8:443`; without a port, all ports. Public hosts need no entry. The MongoDB, Temporal, OpenSearch, LDAP, PostgreSQL and S3 servers of these settings are never reached, whatever is listed.',
  },
} as const satisfies Record<string, Setting>;
