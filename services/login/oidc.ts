import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
} from 'openid-client';
import type { User } from '../../model/access';
import { AppError } from '../../model/errors';
import { createTimeLimit } from '../../model/time/time-limit';
import { createProviderError, createUnreachableError } from './oidc-errors';
import { findCanonicalProvider, readConfiguredProvider, type OidcConfig, type ProviderSettings } from './oidc-settings';
import { type Claims, createUser } from './oidc-user';

/** Secrets of one login: `state` identifies it, `nonce` is in its ID token, `codeVerifier` proves who started it. */
export interface LoginSecrets {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** Logins with an OpenID Connect provider. */
export interface Oidc {
  /** The configured providers; empty when disabled or incomplete. Makes no requests. */
  listProviders(): { name: string; display_name: string }[];
  /**
   * The name of the requested provider, or of the only one. Throws SERVICE_UNAVAILABLE when disabled, NOT_FOUND for an unknown
   * name.
   */
  resolve(name: string | undefined): string;
  /** The provider's metadata, with the overrides in the settings. */
  readMetadata(): Promise<Record<string, unknown>>;
  /** The URL where the browser logs in. */
  buildAuthorizeAddress(secrets: LoginSecrets): Promise<string>;
  /**
   * Exchanges the code in `search`, the query of the browser's return, and verifies the ID token. Throws UNAUTHORIZED when
   * rejected.
   */
  finish(search: string, secrets: LoginSecrets): Promise<User>;
}

const timeoutSeconds = 5;
/** How long metadata is cached. Keys are fetched with every login, so new and withdrawn keys apply at once. */
const metadataAgeMs = 10 * 60_000;

/** Logins with the configured provider. Endpoints without TLS are allowed only on the loopback interface. */
export function createOidc(config: OidcConfig, clock: () => Date): Oidc {
  return new OidcProvider(config, clock);
}

class OidcProvider implements Oidc {
  private readonly configured;
  private cached?: { document: Record<string, unknown>; readAt: number };
  constructor(
    private readonly config: OidcConfig,
    private readonly clock: () => Date,
  ) {
    this.configured = readConfiguredProvider(config);
  }

  listProviders() {
    return this.config.OAUTH2_ENABLED && 'provider' in this.configured
      ? [{ name: this.configured.provider.name, display_name: this.configured.provider.displayName }]
      : [];
  }

  resolve(name: string | undefined) {
    const provider = this.requireProvider();
    if (name === undefined || findCanonicalProvider(name) === provider.name) return provider.name;
    throw new AppError('NOT_FOUND', `The provider '${name}' is not configured; '${provider.name}' is.`);
  }

  readMetadata() {
    return mapErrors(() => this.readCachedMetadata());
  }

  buildAuthorizeAddress({ state, nonce, codeVerifier }: LoginSecrets) {
    return mapErrors(async () => {
      const provider = this.requireProvider();
      const address = buildAuthorizationUrl(await this.connect(provider), {
        redirect_uri: provider.redirectUri.href,
        scope: provider.scope,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
      return address.href;
    });
  }

  finish(search: string, secrets: LoginSecrets) {
    return mapErrors(async () => {
      const provider = this.requireProvider();
      return createUser(await validateClaims(await this.connect(provider), provider, search, secrets), provider);
    });
  }

  private requireProvider(): ProviderSettings {
    if (!this.config.OAUTH2_ENABLED) throw new AppError('SERVICE_UNAVAILABLE', 'OAuth2 authentication is not enabled.');
    if ('provider' in this.configured) return this.configured.provider;
    throw new AppError('SERVICE_UNAVAILABLE', `OAuth2 is not properly configured: ${this.configured.problem}.`);
  }

  private async readCachedMetadata(): Promise<Record<string, unknown>> {
    const provider = this.requireProvider();
    const now = this.clock().getTime();
    if (!this.cached || now - this.cached.readAt >= metadataAgeMs)
      this.cached = { document: await readMetadata(provider), readAt: now };
    return this.cached.document;
  }

  private async connect(provider: ProviderSettings): Promise<Configuration> {
    const document = await this.readCachedMetadata();
    const options = {
      timeout: timeoutSeconds,
      execute: isLoopback(provider.issuer)
        ? [allowInsecureRequests, enableNonRepudiationChecks]
        : [enableNonRepudiationChecks],
      // The client reads the cached metadata through this fetch, and still checks the issuer.
      [customFetch]: async (address: string, init: object) =>
        address.includes('/.well-known/') ? Response.json(document) : ask(address, init),
    };
    return discovery(provider.issuer, provider.clientId, undefined, createClientAuth(provider), options);
  }
}

async function validateClaims(
  connection: Configuration,
  provider: ProviderSettings,
  search: string,
  { state, nonce, codeVerifier }: LoginSecrets,
): Promise<Claims> {
  const returnUrl = new URL(provider.redirectUri);
  returnUrl.search = search;
  const tokens = await authorizationCodeGrant(connection, returnUrl, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: codeVerifier,
  });
  const claims = tokens.claims();
  if (!claims) throw new AppError('UNAUTHORIZED', 'The provider sent no ID token.');
  const isComplete = ['email', 'name', ...provider.usernameClaims].every((claim) => claims[claim] !== undefined);
  if (isComplete || !connection.serverMetadata().userinfo_endpoint) return claims;
  // Claims of the signed token override those of the endpoint.
  return { ...(await fetchUserInfo(connection, tokens.access_token, claims.sub)), ...claims };
}

function createClientAuth({ clientSecret, clientAuth: way }: ProviderSettings): ClientAuth {
  if (clientSecret === undefined) return None();
  return way === 'post' ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret);
}

async function mapErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw createProviderError(error);
  }
}

async function readMetadata({ discoveryUrl, given }: ProviderSettings): Promise<Record<string, unknown>> {
  if (!discoveryUrl) return given;
  const signal = createTimeLimit(timeoutSeconds * 1000);
  const address = discoveryUrl.href.includes('/.well-known/')
    ? discoveryUrl.href
    : `${discoveryUrl.href.replace(/\/$/, '')}/.well-known/openid-configuration`;
  if (discoveryUrl.protocol !== 'https:' && !isLoopback(discoveryUrl))
    throw new AppError('EXTERNAL_SERVICE_ERROR', `${address} is not https; the provider must be.`);
  const response = await ask(address, { redirect: 'error', signal, headers: { accept: 'application/json' } });
  const document: unknown = response.ok ? await response.json().catch(() => undefined) : undefined;
  if (typeof document === 'object' && document !== null && 'issuer' in document) return { ...document, ...given };
  throw new AppError('EXTERNAL_SERVICE_ERROR', `${address} answered ${response.status} and no discovery document.`);
}

/** The complete response. An answer that stalls or breaks off is not one with the wrong content, so the body is read here. */
async function ask(address: string, init: object): Promise<Response> {
  const fail = (error: unknown): never => {
    throw createUnreachableError(address, error);
  };
  const response = await fetch(address, init).catch(fail);
  const { status, headers } = response;
  if (status >= 500) {
    await response.body?.cancel().catch(() => undefined);
    throw new AppError('EXTERNAL_SERVICE_ERROR', `${new URL(address).origin} answered ${status}.`);
  }
  const body = await response.arrayBuffer().catch(fail);
  return new Response(body.byteLength > 0 ? body : null, { status, headers });
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
