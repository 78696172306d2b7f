import type { Context } from 'koa';
import type { User } from '../../model/access';
import { listLoginGroups } from '../../model/access-list';
import { AppError } from '../../model/errors';
import type { SessionRecord } from '../../services/login/sessions';
import type { Session, Tokens } from '../../services/login/tokens';
import type { ApiOptions, ApiServices } from '../services';
import { findCodecAuthorization } from './codec-cookie';
import { findApiKey, type KeySession, openKeySession } from './key-session';
import { csrfHeader, isCsrfToken, findSessionToken } from './session-cookie';

/** Methods without side effects, for which the cookie alone is sufficient. */
const safeMethods = ['GET', 'HEAD', 'OPTIONS'];

type LoginServices = Pick<
  ApiServices,
  'tokens' | 'revocations' | 'sessions' | 'apiKeys' | 'accounts' | 'readers' | 'clock'
>;

/**
 * The user of the bearer token or API key, or of a browser's session cookie. Throws UNAUTHORIZED without a valid token that has not been
 * revoked, and FORBIDDEN for a write with the cookie but without its CSRF token. The user has the principals of this moment.
 */
export async function authenticate(
  context: Context,
  services: LoginServices,
  options: Pick<ApiOptions, 'adminGroups' | 'publicUrl'>,
): Promise<{ user: User; key?: KeySession }> {
  const { tokens, revocations, sessions, readers, clock } = services;
  const { publicUrl } = options;
  const readSentHeader = (name: string) => context.get(name) || undefined;
  const key = findApiKey(readSentHeader('Authorization'));
  if (key !== undefined) {
    const session = await openKeySession(key, services, options);
    context.state['username'] = session.user.username;
    return { ...session, user: { ...session.user, ...(await readers.find(session.user.username)) } };
  }
  const readHeader = (name: string) =>
    readSentHeader(name) ??
    (name === 'Authorization' ? findCodecAuthorization(context.path, readSentHeader('Cookie'), publicUrl) : undefined);
  const session = findSession(readHeader, tokens, publicUrl);
  const { user, tokenId, issuedAt, hasGroups } = session;
  const cookie =
    readHeader('Authorization') === undefined ? findSessionToken(readHeader('Cookie'), publicUrl) : undefined;
  if (cookie !== undefined && !safeMethods.includes(context.method) && !isCsrfToken(readHeader(csrfHeader), cookie))
    throw new AppError(
      'FORBIDDEN',
      `A ${context.method} request with the session cookie needs the header ${csrfHeader}.`,
      {
        target: { type: 'header', name: csrfHeader },
      },
    );
  if (await revocations.isRevoked(tokenId)) throw new AppError('UNAUTHORIZED', 'The token was revoked by a logout.');
  context.state['username'] = user.username;
  sessions.noteUse(buildSessionRecord(session, context, clock()));
  const reader = await readers.find(user.username, hasGroups ? { groups: user.groups, issuedAt } : undefined);
  return { user: { ...user, ...reader, ...(hasGroups ? {} : { groups: listLoginGroups(reader) }) } };
}

/** Verifies the bearer token in `Authorization`, or without that header the session cookie. Does not check revocation. */
export function findSession(
  header: (name: string) => string | undefined,
  tokens: Tokens,
  publicUrl: string | undefined,
): Session {
  const authorization = header('Authorization');
  const cookie = authorization === undefined ? findSessionToken(header('Cookie'), publicUrl) : undefined;
  if (cookie !== undefined) return verify(cookie, true, tokens);
  const [scheme = '', token = '', ...others] = (authorization ?? '').split(' ');
  const isBearer = scheme.toLowerCase() === 'bearer' && token !== '' && others.length === 0;
  // An empty token is verified too: a server without a secret must report that instead of asking for a token.
  return verify(isBearer ? token : '', isBearer, tokens);
}

function buildSessionRecord(
  { user, tokenId, issuedAt, expiresAt }: Session,
  context: Context,
  now: Date,
): SessionRecord {
  return {
    session_id: tokenId,
    username: user.username,
    issued_at: issuedAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    last_used_at: now.toISOString(),
    client_address: String(context.state['clientAddress'] ?? context.ip),
    user_agent: context.get('User-Agent').slice(0, 200),
  };
}

function verify(token: string, isBearer: boolean, tokens: Tokens): Session {
  try {
    return tokens.verify(token);
  } catch (error) {
    if (isBearer || !(error instanceof AppError) || error.code !== 'UNAUTHORIZED') throw error;
    throw new AppError('UNAUTHORIZED', 'Not authenticated: the header Authorization: Bearer <token> is needed.');
  }
}
