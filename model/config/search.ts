import type { Setting } from './setting';

/** The search index. */
export const searchSettings = {
  SEARCH_HOST: { kind: 'text', default: '127.0.0.1', text: 'Host name of OpenSearch.' },
  SEARCH_PORT: { kind: 'port', default: '9200', text: 'Port of OpenSearch.' },
  SEARCH_USE_SSL: { kind: 'boolean', default: 'false', text: 'Use HTTPS for OpenSearch.' },
  SEARCH_VERIFY_CERTS: { kind: 'boolean', default: 'true', text: 'Verify the certificate of OpenSearch.' },
  SEARCH_USERNAME: { kind: 'text', text: 'User name for OpenSearch.' },
  SEARCH_PASSWORD: { kind: 'text', secret: true, text: 'Password for OpenSearch.' },
  SEARCH_DEFAULT_INDEX: {
    kind: 'text',
    default: 'documents',
    text: 'Read alias that every index created by vectordb joins.',
  },
  SEARCH_TIMEOUT: {
    kind: 'integer',
    default: '30',
    minimum: 1,
    text: 'Timeout in seconds per attempt of a bulk write.',
  },
  SEARCH_MAX_RETRIES: { kind: 'integer', default: '3', minimum: 0, text: 'Retries of a bulk write.' },
  SEARCH_CONCURRENCY: {
    kind: 'integer',
    default: '128',
    minimum: 1,
    text: 'The most searches that an api process sends to OpenSearch at a time; fewer while they are slow. Others wait in turns by user, or are refused with SEARCH_BUSY if the wait would be too long.',
  },
  DOCLOOM_SEARCH_POSTGRES: {
    kind: 'text',
    secret: true,
    text: 'PostgreSQL whose tables, written by vectordb with the provider pgvector, searches find with `"store": "pgvector"`: postgres://user:password@host:5432/database, with ?sslmode=require or verify-full for TLS. A role that may only read is enough.',
  },
  DOCLOOM_SEARCH_EMBEDDERS: {
    kind: 'list',
    default: '',
    text: 'Model servers that searches by vectors may send queries to, besides LOCALMODEL_HOST and HOSTEDMODEL_API_BASE_URL: host and port, or an address. Private ones must be in DOCLOOM_ALLOWED_HOSTS too. Indexes of other embedders are left out of such searches with a warning.',
  },
} as const satisfies Record<string, Setting>;
