import { hash } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { parseJson } from '../../model/json';
import type { GoogleKey } from '../../model/source/google-bucket';
import { parse } from '../../model/validate';
import { type Requests, readText } from '../source/remote/requests';

const scopes = {
  read_only: 'https://www.googleapis.com/auth/devstorage.read_only',
  read_write: 'https://www.googleapis.com/auth/devstorage.read_write',
  drive: 'https://www.googleapis.com/auth/drive.readonly',
  directory: ['user', 'group']
    .map((value) => `https://www.googleapis.com/auth/admin.directory.${value}.readonly`)
    .join(' '),
} as const;

/** The permissions of the token: objects of a bucket, files of Google Drive, or users and groups of a directory. */
export type GoogleScope = keyof typeof scopes;

/** A service account, and the user for whom it acts (domain-wide delegation). */
export type GoogleSigner = GoogleKey & { subject?: string };

const Answer = Type.Object({ access_token: Type.String({ minLength: 1 }), expires_in: Type.Optional(Type.Number()) });
const maxAnswerBytes = 64 * 1024;
const defaultTokenUri = 'https://oauth2.googleapis.com/token';
/** The longest lifetime of a token, also assumed if the server names none. */
const maxLifetimeSeconds = 3_600;
/** Tokens are renewed this long before they expire. */
const marginSeconds = 120;
const maxTokens = 100;

interface Token {
  text: string;
  until: number;
}

/** Access tokens of service accounts, cached while they are valid. */
export interface GoogleTokens {
  /** Throws SOURCE_SIGN_IN_FAILED for a rejected key, OPERATOR_CONFIGURATION_INVALID for an invalid one. */
  getToken(key: GoogleSigner, scope: GoogleScope, requests: Requests, signal: AbortSignal): Promise<string>;
  /** Forgets a token that a server rejected. */
  drop(key: GoogleSigner, scope: GoogleScope): void;
}

/** Keeps at most a hundred tokens; the oldest is dropped first. */
export function createGoogleTokens(now: () => number = Date.now): GoogleTokens {
  const tokens = new Map<string, Token>();
  return {
    async getToken(key, scope, requests, signal) {
      const id = getId(key, scope);
      const token = tokens.get(id);
      if (token && token.until > now()) return token.text;
      const fresh = await fetchToken(key, scope, requests, signal);
      const seconds = Math.min(Math.max(fresh.expires_in ?? maxLifetimeSeconds, 0), maxLifetimeSeconds);
      tokens.delete(id);
      tokens.set(id, { text: fresh.access_token, until: now() + (seconds - marginSeconds) * 1_000 });
      if (tokens.size > maxTokens) tokens.delete(tokens.keys().next().value ?? '');
      return fresh.access_token;
    },
    drop: (key, scope) => void tokens.delete(getId(key, scope)),
  };
}

/** Only a caller with the whole key finds its token. */
function getId(key: GoogleSigner, scope: GoogleScope): string {
  return hash('sha256', JSON.stringify([key.client_email, key.private_key, key.token_uri, key.subject, scope]));
}

/** Requests a token with a signed assertion (RFC 7523; developers.google.com/identity/protocols/oauth2/service-account). */
async function fetchToken(
  key: GoogleSigner,
  scope: GoogleScope,
  requests: Requests,
  signal: AbortSignal,
): Promise<Static<typeof Answer>> {
  const address = key.token_uri ?? defaultTokenUri;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new AppError('OPERATOR_CONFIGURATION_INVALID', 'token_uri of the service account key is not an address.');
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: await signAssertion(key, address, scope),
  }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const response = await requests.send({ url, method: 'POST', headers, body }, signal);
  const text = await readText(response, maxAnswerBytes);
  if (response.status >= 500)
    throw new AppError('CONNECTION_ERROR', `The token server ${url.origin} cannot answer (${response.status}).`);
  if (!response.ok) throw toRefusal(url, response.status, text);
  return parse(Answer, parseJson(text), `The answer of the token server ${url.origin}`, 'INVALID_RESPONSE');
}

async function signAssertion(key: GoogleSigner, audience: string, scope: GoogleScope): Promise<string> {
  const { importPKCS8, SignJWT } = await import('jose');
  try {
    const signer = await importPKCS8(key.private_key, 'RS256');
    return await new SignJWT({ scope: scopes[scope], ...(key.subject === undefined ? {} : { sub: key.subject }) })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(key.private_key_id ? { kid: key.private_key_id } : {}) })
      .setIssuer(key.client_email)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(signer);
  } catch {
    // Without the cause, because parser messages may quote their input.
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      'private_key of the service account key is not an RSA key in PEM.',
    );
  }
}

function toRefusal({ origin }: URL, status: number, text: string): AppError {
  const { error } = (parseJson(text) ?? {}) as { error?: unknown };
  // The description may quote the assertion; the code is a word from RFC 6749.
  const code = typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? ` ${error}` : '';
  return new AppError(
    'SOURCE_SIGN_IN_FAILED',
    `The token server ${origin} does not accept the service account key (${status}${code}).`,
  );
}
