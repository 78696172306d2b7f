import type { Context } from 'koa';
import type { User } from '../../model/access';
import { AppError } from '../../model/errors';
import type { Session, Tokens } from '../../services/login/tokens';
import type { ApiServices } from '../services';

/** The user of the bearer token; UNAUTHORIZED without one that is valid and not given up by a logout. */
export async function authenticate(
  context: Context,
  { tokens, revocations }: Pick<ApiServices, 'tokens' | 'revocations'>,
): Promise<User> {
  const { user, tokenId } = sessionOf(context.get('Authorization'), tokens);
  if (await revocations.isRevoked(tokenId)) throw new AppError('UNAUTHORIZED', 'The token was given up by a logout.');
  context.state['username'] = user.username;
  return user;
}

/** What the bearer token in the header `Authorization` says; whether it was given up is not asked. */
export function sessionOf(authorization: string | undefined, tokens: Tokens): Session {
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
