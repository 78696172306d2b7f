import type { Setting } from './setting';

/** Tokens, the directory, and login with OAuth 2.0 and OpenID Connect. */
export const loginSettings = {
  JWT_SECRET_KEY: {
    kind: 'text',
    secret: true,
    only: 'api',
    text: 'Key that signs tokens; at least 32 characters, 8 of them different.',
  },
  JWT_AUDIENCE: {
    kind: 'text',
    default: 'docloom',
    text: 'Name of this installation in its tokens (`aud`); tokens for another name are rejected. Choose different names where installations share JWT_SECRET_KEY.',
  },
  JWT_PREVIOUS_SECRET_KEYS: {
    kind: 'list',
    default: '',
    secret: true,
    only: 'api',
    text: 'Previous values of JWT_SECRET_KEY whose tokens are still accepted.',
  },
  JWT_ACCESS_TOKEN_EXPIRE_MINUTES: { kind: 'integer', default: '30', minimum: 1, text: 'Lifetime of a token.' },
  LDAP_SERVER: { kind: 'text', text: 'URL of the directory, ldap:// or ldaps://.' },
  LDAP_BASE_DN: { kind: 'text', text: 'Base DN of user searches if LDAP_USER_DN is not set.' },
  LDAP_USER_DN: { kind: 'text', text: 'DN below which users are found.' },
  LDAP_BIND_DN: {
    kind: 'text',
    text: 'DN used for searching; without it, users bind directly as uid=<name>,<LDAP_USER_DN>.',
  },
  LDAP_BIND_PASSWORD: { kind: 'text', secret: true, only: 'api', text: 'Password of LDAP_BIND_DN.' },
  LDAP_USE_SSL: {
    kind: 'boolean',
    default: 'false',
    text: 'Use StartTLS with ldap:// addresses; certificates are verified.',
  },
  LDAP_USE_ACTIVE_DIRECTORY: { kind: 'boolean', default: 'false', text: 'Bind as user@LDAP_AD_DOMAIN.' },
  LDAP_NESTED_GROUPS: {
    kind: 'boolean',
    default: 'false',
    text: 'Members of a group within a group are members of the outer one too, at any depth: for access lists, and for the groups of administrators.',
  },
  LDAP_AD_DOMAIN: { kind: 'text', text: 'Domain of the Active Directory.' },
  OAUTH2_ENABLED: { kind: 'boolean', default: 'false', text: 'Enable logins with OAuth 2.0 and OpenID Connect.' },
  OAUTH2_PROVIDER: {
    kind: 'text',
    default: 'generic',
    oneOf: ['google', 'azure', 'microsoft', 'generic'],
    text: 'Login provider; microsoft is an alias of azure.',
  },
  OAUTH2_CLIENT_ID: { kind: 'text', text: 'Client id registered with the provider.' },
  OAUTH2_CLIENT_SECRET: {
    kind: 'text',
    secret: true,
    only: 'api',
    text: 'Client secret; not needed for a public client of a generic provider.',
  },
  OAUTH2_REDIRECT_URI: {
    kind: 'text',
    text: 'URL of /auth/oauth2/callback, exactly as registered with the provider.',
  },
  OAUTH2_SCOPE: { kind: 'text', default: 'openid profile email', text: 'Scopes requested from the provider.' },
  OAUTH2_AZURE_TENANT_ID: { kind: 'text', text: 'Tenant id; required for azure.' },
  OAUTH2_DISCOVERY_URL: { kind: 'text', text: 'URL of the discovery document of a generic provider.' },
  OAUTH2_AUTHORIZATION_ENDPOINT: {
    kind: 'text',
    text: 'Authorization endpoint of a generic provider; overrides its discovery document, as do the next three.',
  },
  OAUTH2_TOKEN_ENDPOINT: { kind: 'text', text: 'Token endpoint of a generic provider.' },
  OAUTH2_USERINFO_ENDPOINT: { kind: 'text', text: 'User info endpoint of a generic provider.' },
  OAUTH2_JWKS_URI: { kind: 'text', text: 'URL of the signing keys of a generic provider.' },
  OIDC_ISSUER: { kind: 'text', text: 'Issuer of a generic provider. Default: taken from OAUTH2_DISCOVERY_URL.' },
  OIDC_AUDIENCE: { kind: 'text', text: 'Audience that the ID token must contain in addition to OAUTH2_CLIENT_ID.' },
  OAUTH2_SESSION_EXPIRE_MINUTES: {
    kind: 'integer',
    default: '60',
    minimum: 1,
    text: 'Minutes that a login at the provider may take.',
  },
  DOCLOOM_OAUTH2_CLIENT_AUTH: {
    kind: 'text',
    default: 'basic',
    oneOf: ['basic', 'post'],
    text: 'How the client secret is sent to the token endpoint: in a header (basic) or in the body (post).',
  },
  DOCLOOM_OAUTH2_USERNAME_CLAIM: {
    kind: 'text',
    text: 'Claim used as the user name. Default: email for google; preferred_username for azure; otherwise the first of preferred_username, email and sub.',
  },
  DOCLOOM_OAUTH2_GROUPS_CLAIM: { kind: 'text', default: 'groups', text: 'Claim that lists the groups of a user.' },
  DOCLOOM_OAUTH2_ALLOWED_DOMAINS: {
    kind: 'list',
    default: '',
    text: 'Domains whose users may log in through the provider; all if empty.',
  },
  DOCLOOM_OAUTH2_RESOURCE: {
    kind: 'text',
    text: 'The address of `/mcp` as agents know it, such as https://docs.example.org/mcp. With it, agents log in at the provider themselves; only access tokens with this audience (`aud`) are accepted.',
  },
  DOCLOOM_ADMIN_GROUPS: { kind: 'list', default: '', text: 'Groups whose members manage all resources.' },
  DOCLOOM_GROUPS_CACHE_SECONDS: {
    kind: 'integer',
    default: '10',
    minimum: 0,
    text: 'Maximum seconds until a change of the groups of a user takes effect on the documents that the user may read.',
  },
  DOCLOOM_GROUPS_MAX_STALENESS_SECONDS: {
    kind: 'integer',
    default: '300',
    minimum: 0,
    text: 'How long the last known groups of a user count while the LDAP directory does not answer. After that, documents shared with groups are closed to the user, and so are documents that deny anybody.',
  },
} as const satisfies Record<string, Setting>;
