import type { Context } from 'koa';
import type { User } from '../../model/access';
import { AppError } from '../../model/errors';
import type { Session, Tokens } from '../../services/login/tokens';
import type { ApiServices } from '../services';
import { codecAuthorization } from './codec-cookie';
import { csrfHeader, isCsrfToken, sessionTokenIn } from './session-cookie';

/** Methods that change nothing, for which the cookie alone is enough. */
const safeMethods = ['GET', 'HEAD', 'OPTIONS'];

/**
 * The user of the bearer token, or of the session cookie of a browser; UNAUTHORIZED without one that is valid and not given
 * up by a logout, FORBIDDEN for a write that has the cookie but not its CSRF token.
 */
export async function authenticate(
  context: Context,
  { tokens, revocations }: Pick<ApiServices, 'tokens' | 'revocations'>,
): Promise<User> {
  const sent = (name: string) => context.get(name) || undefined;
  const header = (name: string) =>
    sent(name) ?? (name === 'Authorization' ? codecAuthorization(context.path, sent('Cookie')) : undefined);
  const { user, tokenId } = sessionOf(header, tokens);
  const cookie = header('Authorization') === undefined ? sessionTokenIn(header('Cookie')) : undefined;
  if (cookie !== undefined && !safeMethods.includes(context.method) && !isCsrfToken(header(csrfHeader), cookie))
    throw new AppError(
      'FORBIDDEN',
      `A ${context.method} request with the session cookie needs the header ${csrfHeader}.`,
      {
        target: { type: 'header', name: csrfHeader },
      },
    );
  if (await revocations.isRevoked(tokenId)) throw new AppError('UNAUTHORIZED', 'The token was given up by a logout.');
  context.state['username'] = user.username;
  return user;
}

/**
 * What the bearer token in the header `Authorization` says, or without that header the session cookie; whether it was given
 * up is not asked.
 */
export function sessionOf(header: (name: string) => string | undefined, tokens: Tokens): Session {
  const authorization = header('Authorization');
  const cookie = authorization === undefined ? sessionTokenIn(header('Cookie')) : undefined;
  if (cookie !== undefined) return verify(cookie, true, tokens);
  const [scheme = '', token = '', ...rest] = (authorization ?? '').split(' ');
  const isBearer = scheme.toLowerCase() === 'bearer' && token !== '' && rest.length === 0;
  // An empty token is checked too: a server without a secret says so instead of asking for a token it cannot check.
  return verify(isBearer ? token : '', isBearer, tokens);
}

function verify(token: string, isBearer: boolean, tokens: Tokens): Session {
  try {
    return tokens.verify(token);
  } catch (error) {
    if (isBearer || !(error instanceof AppError) || error.code !== 'UNAUTHORIZED') throw error;
    throw new AppError('UNAUTHORIZED', 'Not authenticated: the header Authorization: Bearer <token> is needed.');
  }
}
