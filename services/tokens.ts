import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { User } from '../model/access';
import { AppError } from '../model/errors';

/** Issues and checks the bearer tokens of the api. */
export interface Tokens {
  /** SERVICE_UNAVAILABLE without a secret. */
  issue(user: User): string;
  /** UNAUTHORIZED unless the token is ours, in time, and names a user; SERVICE_UNAVAILABLE without a secret. */
  verify(token: string): User;
  /** SERVICE_UNAVAILABLE without a secret: asked before a password is looked at. */
  requireSecret(): void;
}

const algorithm = 'HS256';
const issuer = 'docloom';

/** Tokens signed by `secret` (HS256), valid for `expireMinutes`. Groups go into the token, so a change counts from the next login. */
export function createTokens({ secret, expireMinutes }: { secret: string | undefined; expireMinutes: number }): Tokens {
  const key = () => {
    if (secret) return secret;
    throw new AppError('SERVICE_UNAVAILABLE', 'Login is not possible: JWT_SECRET_KEY is not set on this server.');
  };
  return {
    issue: ({ username, email, full_name, groups }) =>
      jwt.sign({ username, email, full_name, groups }, key(), {
        algorithm,
        issuer,
        expiresIn: expireMinutes * 60,
        jwtid: randomUUID(),
      }),
    verify: (token) => userOf(checked(token, key())),
    requireSecret: () => void key(),
  };
}

function checked(token: string, key: string): jwt.JwtPayload {
  try {
    const claims = jwt.verify(token, key, { algorithms: [algorithm] });
    if (typeof claims === 'object' && typeof claims.exp === 'number') return claims;
  } catch (error) {
    throw new AppError('UNAUTHORIZED', refusal(error), {}, error);
  }
  throw new AppError('UNAUTHORIZED', 'The token has no time of expiry.');
}

function refusal(error: unknown): string {
  return error instanceof jwt.TokenExpiredError ? 'The token has expired.' : 'Invalid authentication credentials.';
}

function userOf(claims: jwt.JwtPayload): User {
  const { username, email, full_name, groups } = claims as Record<string, unknown>;
  if (typeof username !== 'string' || username === '') throw new AppError('UNAUTHORIZED', 'The token names no user.');
  return {
    username,
    email: typeof email === 'string' ? email : '',
    full_name: typeof full_name === 'string' ? full_name : '',
    groups: Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : [],
  };
}
