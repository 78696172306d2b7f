import type { Config } from '../../model/config';

/** The settings of provider logins. */
export type OidcConfig = Pick<
  Config,
  | 'OAUTH2_ENABLED'
  | 'OAUTH2_PROVIDER'
  | 'OAUTH2_CLIENT_ID'
  | 'OAUTH2_CLIENT_SECRET'
  | 'OAUTH2_REDIRECT_URI'
  | 'OAUTH2_SCOPE'
  | 'OAUTH2_AZURE_TENANT_ID'
  | 'OAUTH2_DISCOVERY_URL'
  | 'OAUTH2_AUTHORIZATION_ENDPOINT'
  | 'OAUTH2_TOKEN_ENDPOINT'
  | 'OAUTH2_USERINFO_ENDPOINT'
  | 'OAUTH2_JWKS_URI'
  | 'OIDC_ISSUER'
  | 'OIDC_AUDIENCE'
  | 'DOCLOOM_OAUTH2_CLIENT_AUTH'
  | 'DOCLOOM_OAUTH2_USERNAME_CLAIM'
  | 'DOCLOOM_OAUTH2_GROUPS_CLAIM'
  | 'DOCLOOM_OAUTH2_ALLOWED_DOMAINS'
>;

/** A kind of provider, as used in URLs and lists. */
export type ProviderName = 'google' | 'azure' | 'generic';

/** Configuration of the provider, known without contacting it. */
export interface ProviderSettings {
  name: ProviderName;
  displayName: string;
  issuer: URL;
  /** Undefined when the endpoints are configured manually. */
  discoveryUrl?: URL;
  /** Metadata members that override those of the discovery document. */
  given: Record<string, string>;
  clientId: string;
  /** Undefined for a public client. */
  clientSecret?: string;
  clientAuth: string;
  redirectUri: URL;
  scope: string;
  audience?: string;
  /** The user name is the first of these claims that is present. */
  usernameClaims: readonly string[];
  groupsClaim: string;
  allowedDomains: readonly string[];
}

/** The configured provider, or the problem with its settings. */
export type ConfiguredProvider = { provider: ProviderSettings } | { problem: string };

const wellKnown = '/.well-known/openid-configuration';

/** Accepts `microsoft` as an alias of `azure`. */
export function findCanonicalProvider(name: string): ProviderName | undefined {
  if (name === 'microsoft') return 'azure';
  return name === 'google' || name === 'azure' || name === 'generic' ? name : undefined;
}

/** Reads the provider's settings without contacting it. */
export function readConfiguredProvider(config: OidcConfig): ConfiguredProvider {
  const name = findCanonicalProvider(config.OAUTH2_PROVIDER) ?? 'generic';
  const place = { google: buildGooglePlace, azure: buildAzurePlace, generic: readGenericPlace }[name](config);
  const missing = [
    ...(config.OAUTH2_CLIENT_ID ? [] : ['OAUTH2_CLIENT_ID']),
    ...(config.OAUTH2_CLIENT_SECRET || name === 'generic' ? [] : ['OAUTH2_CLIENT_SECRET']),
    ...(config.OAUTH2_REDIRECT_URI ? [] : ['OAUTH2_REDIRECT_URI']),
    ...place.missing,
  ];
  if (missing.length > 0) return { problem: `not set: ${missing.join(', ')}` };
  const broken = listBrokenAddresses({ ...place.addresses, OAUTH2_REDIRECT_URI: config.OAUTH2_REDIRECT_URI });
  if (broken.length > 0) return { problem: `no https or http address: ${broken.join(', ')}` };
  const redirectUri = new URL(config.OAUTH2_REDIRECT_URI ?? '');
  if (redirectUri.search || redirectUri.hash) return { problem: 'OAUTH2_REDIRECT_URI has a query or a fragment' };
  if (!config.OAUTH2_SCOPE.split(/\s+/).includes('openid')) return { problem: 'OAUTH2_SCOPE lacks openid' };
  return {
    provider: {
      name,
      displayName: place.displayName,
      issuer: new URL(place.issuer),
      discoveryUrl: place.discoveryUrl === undefined ? undefined : new URL(place.discoveryUrl),
      given: place.given,
      clientId: config.OAUTH2_CLIENT_ID ?? '',
      clientSecret: config.OAUTH2_CLIENT_SECRET,
      clientAuth: config.DOCLOOM_OAUTH2_CLIENT_AUTH,
      redirectUri,
      scope: config.OAUTH2_SCOPE,
      audience: config.OIDC_AUDIENCE,
      usernameClaims: config.DOCLOOM_OAUTH2_USERNAME_CLAIM
        ? [config.DOCLOOM_OAUTH2_USERNAME_CLAIM]
        : place.usernameClaims,
      groupsClaim: config.DOCLOOM_OAUTH2_GROUPS_CLAIM,
      allowedDomains: config.DOCLOOM_OAUTH2_ALLOWED_DOMAINS,
    },
  };
}

interface Place {
  displayName: string;
  issuer: string;
  discoveryUrl?: string;
  given: Record<string, string>;
  usernameClaims: readonly string[];
  missing: string[];
  /** Values that must be URLs, by the name of their setting. */
  addresses: Record<string, string | undefined>;
}

function buildGooglePlace(): Place {
  return buildVendorPlace('Google', 'https://accounts.google.com', ['email']);
}

function buildAzurePlace({ OAUTH2_AZURE_TENANT_ID: tenant }: OidcConfig): Place {
  const issuer = `https://login.microsoftonline.com/${encodeURIComponent(tenant ?? '')}/v2.0`;
  const place = buildVendorPlace('Microsoft', issuer, ['preferred_username']);
  return tenant ? place : { ...place, missing: ['OAUTH2_AZURE_TENANT_ID'] };
}

function buildVendorPlace(displayName: string, issuer: string, usernameClaims: readonly string[]): Place {
  return {
    displayName,
    issuer,
    discoveryUrl: `${issuer}${wellKnown}`,
    given: {},
    usernameClaims,
    missing: [],
    addresses: {},
  };
}

function readGenericPlace(config: OidcConfig): Place {
  const discoveryUrl = config.OAUTH2_DISCOVERY_URL;
  const needed = {
    OIDC_ISSUER: config.OIDC_ISSUER,
    OAUTH2_AUTHORIZATION_ENDPOINT: config.OAUTH2_AUTHORIZATION_ENDPOINT,
    OAUTH2_TOKEN_ENDPOINT: config.OAUTH2_TOKEN_ENDPOINT,
    OAUTH2_JWKS_URI: config.OAUTH2_JWKS_URI,
  };
  const absent = Object.entries(needed).flatMap(([name, value]) => (value ? [] : [name]));
  // The discovery address alone would do.
  const isUnset = absent.length === Object.keys(needed).length;
  const missing = isUnset ? ['OAUTH2_DISCOVERY_URL'] : absent;
  const given = Object.entries({
    issuer: discoveryUrl ? undefined : config.OIDC_ISSUER,
    authorization_endpoint: config.OAUTH2_AUTHORIZATION_ENDPOINT,
    token_endpoint: config.OAUTH2_TOKEN_ENDPOINT,
    userinfo_endpoint: config.OAUTH2_USERINFO_ENDPOINT,
    jwks_uri: config.OAUTH2_JWKS_URI,
  }).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  return {
    displayName: 'Single sign-on',
    issuer: config.OIDC_ISSUER ?? discoveryUrl?.replace(/\/\.well-known\/.*$/, '') ?? '',
    discoveryUrl,
    given: Object.fromEntries(given),
    usernameClaims: ['preferred_username', 'email', 'sub'],
    missing: discoveryUrl ? [] : missing,
    addresses: {
      ...needed,
      OAUTH2_DISCOVERY_URL: discoveryUrl,
      OAUTH2_USERINFO_ENDPOINT: config.OAUTH2_USERINFO_ENDPOINT,
    },
  };
}

function listBrokenAddresses(addresses: Record<string, string | undefined>): string[] {
  return Object.entries(addresses).flatMap(([name, value]) =>
    value === undefined || /^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : '') ? [] : [name],
  );
}
