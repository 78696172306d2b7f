import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import type { User } from '../../model/access';
import type { Config } from '../../model/config';
import { AppError } from '../../model/errors';
import type { Oidc } from './oidc';
import { readConfiguredProvider, type OidcConfig } from './oidc-settings';
import { createUser } from './oidc-user';

/** Agents that log in at the provider themselves and send its access tokens. */
export interface AgentLogins {
  /** The address that names this installation; only tokens with this audience are accepted. */
  resource: string;
  scopes: readonly string[];
  /** Where agents log in. */
  issuer(): Promise<string>;
  /**
   * The user of an access token. UNAUTHORIZED unless the provider signed it for this installation and it is valid now; FORBIDDEN
   * for a domain that may not log in.
   */
  verify(token: string): Promise<User>;
}

/** Signatures that only the provider can make; with a shared secret, its other clients could make tokens. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
/** Claims that only ID tokens have. An ID token is meant for its client, not for this service. */
const idTokenClaims = ['nonce', 'at_hash', 'c_hash'];
const clockToleranceSeconds = 5;
const timeoutMs = 5_000;

type AgentConfig = OidcConfig & Pick<Config, 'DOCLOOM_OAUTH2_RESOURCE'>;

/** Undefined unless logins at a provider and DOCLOOM_OAUTH2_RESOURCE are configured. */
export function createAgentLogins(config: AgentConfig, oidc: Pick<Oidc, 'readMetadata'>): AgentLogins | undefined {
  const resource = config.DOCLOOM_OAUTH2_RESOURCE;
  const configured = readConfiguredProvider(config);
  if (resource === undefined || !config.OAUTH2_ENABLED || 'problem' in configured) return undefined;
  const { provider } = configured;
  let keys: { address: string; set: ReturnType<typeof createRemoteJWKSet> } | undefined;
  /** Caches the keys and requests new ones when a token names an unknown key, at most twice a minute. */
  const getKeys = (address: string) => {
    if (keys?.address !== address)
      keys = { address, set: createRemoteJWKSet(parseKeysAddress(address), { timeoutDuration: timeoutMs }) };
    return keys.set;
  };
  return {
    resource,
    scopes: provider.scope.split(/\s+/),
    issuer: async () => readText(await oidc.readMetadata(), 'issuer'),
    async verify(token) {
      const metadata = await oidc.readMetadata();
      const options = {
        issuer: readText(metadata, 'issuer'),
        audience: resource,
        algorithms,
        clockTolerance: clockToleranceSeconds,
        requiredClaims: ['exp', 'sub'],
      };
      const set = getKeys(readText(metadata, 'jwks_uri'));
      const { payload, protectedHeader } = await jwtVerify(token, set, options).catch(refuse);
      requireAccessToken(payload, protectedHeader.typ);
      return createUser(payload, { ...provider, audience: undefined });
    },
  };
}

function readText(metadata: Record<string, unknown>, name: string): string {
  const value = metadata[name];
  if (typeof value === 'string') return value;
  throw new AppError('EXTERNAL_SERVICE_ERROR', `The metadata of the login provider lack ${name}.`);
}

function parseKeysAddress(address: string): URL {
  const url = new URL(address);
  if (url.protocol === 'https:' || /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(url.hostname)) return url;
  throw new AppError('EXTERNAL_SERVICE_ERROR', `The keys of the login provider are at ${address}, which is not https.`);
}

function requireAccessToken(claims: JWTPayload, type: string | undefined): void {
  const isTyped = type === undefined || /^(application\/)?(at\+)?jwt$/i.test(type);
  if (!isTyped || idTokenClaims.some((claim) => claim in claims))
    throw new AppError('UNAUTHORIZED', 'The token is not an access token.');
}

function refuse(error: unknown): never {
  if (error instanceof AppError) throw error;
  const isUnreachable = !(error instanceof errors.JOSEError) || error instanceof errors.JWKSTimeout;
  if (isUnreachable)
    throw new AppError('EXTERNAL_SERVICE_ERROR', 'The keys of the login provider cannot be fetched.', {}, error);
  if (error instanceof errors.JWTExpired) throw new AppError('UNAUTHORIZED', 'The token has expired.', {}, error);
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud')
    throw new AppError('UNAUTHORIZED', 'The token was issued for another service.', {}, error);
  throw new AppError('UNAUTHORIZED', 'Invalid authentication credentials.', {}, error);
}
