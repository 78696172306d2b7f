import type { Context } from 'koa';
import type { User } from '../../model/access';
import { AppError } from '../../model/errors';
import type { Tokens } from '../../services/tokens';

/** The user of the bearer token; UNAUTHORIZED without a valid one. */
export function authenticate(context: Context, tokens: Tokens): User {
  const [scheme = '', token = '', ...rest] = context.get('Authorization').split(' ');
  const isBearer = scheme.toLowerCase() === 'bearer' && token !== '' && rest.length === 0;
  // An empty token is checked too: a server without a secret says so instead of asking for a token it cannot check.
  const user = verify(isBearer ? token : '', isBearer, tokens);
  context.state['username'] = user.username;
  return user;
}

function verify(token: string, isBearer: boolean, tokens: Tokens): User {
  try {
    return tokens.verify(token);
  } catch (error) {
    if (isBearer || !(error instanceof AppError) || error.code !== 'UNAUTHORIZED') throw error;
    throw new AppError('UNAUTHORIZED', 'Not authenticated: the header Authorization: Bearer <token> is needed.');
  }
}
