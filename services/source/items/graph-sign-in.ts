import { constants, hash, createPrivateKey, randomUUID, sign, X509Certificate } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { AppError } from '../../../model/errors';
import { parseJson } from '../../../model/json';
import type { GraphAccount } from '../../../model/source/online/sharepoint-source';
import { parse } from '../../../model/validate';
import { type Requests, readText } from '../remote/requests';

const TokenAnswer = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  expires_in: Type.Optional(Type.Number()),
});

/** Access tokens of applications, by application and server, cached while they are valid. */
export type GraphTokens = Map<string, { text: string; until: number }>;

const maxAnswerBytes = 64 * 1024;
/** The longest lifetime of a token, also assumed if the server names none. */
const maxLifetimeSeconds = 3_600;
/** Tokens are renewed this long before they expire. */
const marginSeconds = 120;
const maxTokens = 100;
/** How long an assertion is valid. */
const assertionSeconds = 300;

/** An address of the sign-in server. */
export function buildSignInUrl(login: string, tenant: string, rest: string): URL {
  const address = `${login}/${encodeURIComponent(tenant)}/${rest}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url;
  throw new AppError('OPERATOR_CONFIGURATION_INVALID', 'login_url is not an http or https address.');
}

interface TokenUse {
  requests: Requests;
  tokens: GraphTokens;
  isRenewed: boolean;
}

/** The application, and the address of the server that will get the token. */
interface TokenRequest {
  account: GraphAccount;
  resource: string;
}

/** A token for one server. Only a caller with the same secret can reuse a cached one. */
export async function findToken(
  { account, resource }: TokenRequest,
  { requests, tokens, isRenewed }: TokenUse,
  signal: AbortSignal,
): Promise<string> {
  const id = hash('sha256', JSON.stringify([account, resource]));
  const token = tokens.get(id);
  if (!isRenewed && token && token.until > Date.now()) return token.text;
  const answer = await fetchToken({ account, resource }, requests, signal);
  const { access_token: text, expires_in: lifetimeSeconds = maxLifetimeSeconds } = answer;
  const seconds = Math.min(Math.max(lifetimeSeconds, 0), maxLifetimeSeconds) - marginSeconds;
  tokens.delete(id);
  tokens.set(id, { text, until: Date.now() + seconds * 1_000 });
  if (tokens.size > maxTokens) tokens.delete(tokens.keys().next().value ?? '');
  return text;
}

/** Signs in by secret, certificate or refresh token (OAuth 2.0 of the Microsoft identity platform). */
async function fetchToken(
  { account, resource }: TokenRequest,
  requests: Requests,
  signal: AbortSignal,
): Promise<Static<typeof TokenAnswer>> {
  const { login, tenant, clientId, clientSecret, certificate, refreshToken } = account;
  const url = buildSignInUrl(login, tenant, 'oauth2/v2.0/token');
  const body = new URLSearchParams({
    client_id: clientId,
    scope: `${resource}/.default`,
    ...(clientSecret === '' || certificate !== undefined ? {} : { client_secret: clientSecret }),
    ...(certificate === undefined ? {} : signAssertion(certificate, { clientId, audience: url.href })),
    ...(refreshToken === undefined
      ? { grant_type: 'client_credentials' }
      : { grant_type: 'refresh_token', refresh_token: refreshToken }),
  }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const response = await requests.send({ url, method: 'POST', headers, body }, signal);
  const answer = parseJson(await readText(response, maxAnswerBytes));
  const place = `The sign-in server ${url.origin}`;
  if (response.status >= 500) throw new AppError('CONNECTION_ERROR', `${place} cannot answer (${response.status}).`);
  if (response.ok) return parse(TokenAnswer, answer, `The answer of ${place}`, 'INVALID_RESPONSE');
  const { error } = (answer ?? {}) as { error?: unknown };
  // The description may quote the request; the code is a word of RFC 6749.
  const code = typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? ` ${error}` : '';
  throw new AppError('SOURCE_SIGN_IN_FAILED', `${place} does not accept the application (${response.status}${code}).`);
}

/**
 * An assertion signed with the key of the application's certificate, in place of a secret
 * (learn.microsoft.com/entra/identity-platform/certificate-credentials). Throws OPERATOR_CONFIGURATION_INVALID for an unusable
 * certificate.
 */
function signAssertion(
  pem: string,
  { clientId, audience }: { clientId: string; audience: string },
): Record<string, string> {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  try {
    const key = createPrivateKey(pem);
    const thumbprint = hash('sha256', new X509Certificate(pem).raw, 'base64url');
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      aud: audience,
      iss: clientId,
      sub: clientId,
      jti: randomUUID(),
      nbf: now,
      exp: now + assertionSeconds,
    };
    const text = `${encode({ alg: 'PS256', typ: 'JWT', 'x5t#S256': thumbprint })}.${encode(claims)}`;
    const padding = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
    return {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: `${text}.${sign('sha256', Buffer.from(text), padding).toString('base64url')}`,
    };
  } catch {
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      'certificate is not a certificate with its RSA key in PEM, without a password.',
    );
  }
}
