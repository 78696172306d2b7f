import type { Setting } from './setting';

/** The HTTP API, and the command line as its client. */
export const apiSettings = {
  DOCLOOM_HOST: {
    kind: 'text',
    default: '127.0.0.1',
    aliases: ['UVICORN_HOST'],
    text: 'Address the api listens on.',
  },
  DOCLOOM_OPEN_SERVICE: {
    kind: 'boolean',
    default: 'false',
    text: 'Allow an api that other machines can reach to convert documents without a key or a token.',
  },
  DOCLOOM_PORT: { kind: 'port', default: '8080', aliases: ['UVICORN_PORT'], text: 'Port of the api.' },
  DOCLOOM_PUBLIC_URL: {
    kind: 'text',
    text: 'Base URL under which clients reach the api; used in links. If it begins with https:, cookies are bound to TLS and to this host, and responses have Strict-Transport-Security. Default: taken from the request.',
  },
  DOCLOOM_HOST_NAMES: {
    kind: 'list',
    default: '',
    text: 'Names by which clients reach the api (its Host header), besides IP addresses, localhost and the hosts of DOCLOOM_PUBLIC_URL and OAUTH2_REDIRECT_URI; `*` for all. Other names get 421, which protects browsers from DNS rebinding; /health and /ready answer to all.',
  },
  CORS_ORIGINS: {
    kind: 'list',
    default: 'http://localhost:3000',
    aliases: ['DOCLING_SERVE_CORS_ORIGINS'],
    text: 'Origins that may call the api from a browser, WebSockets included; `*` for all.',
  },
  DOCLOOM_ERROR_CODE_CASE: {
    kind: 'text',
    default: 'upper',
    oneOf: ['upper', 'lower'],
    text: 'Spelling of error codes.',
  },
  DOCLOOM_TRUSTED_PROXIES: {
    kind: 'list',
    default: '',
    text: 'Addresses and networks of reverse proxies whose X-Forwarded-For header is trusted.',
  },
  DOCLOOM_SERVER: { kind: 'text', text: 'Command line: API of another machine, as with --server.' },
  DOCLOOM_TOKEN: { kind: 'text', secret: true, text: 'Command line: token for that API instead of a login.' },
} as const satisfies Record<string, Setting>;
