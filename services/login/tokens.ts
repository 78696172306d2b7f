import { createHash, createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { User } from '../../model/access';
import { AppError } from '../../model/errors';

/** What a good token says. */
export interface Session {
  user: User;
  /** Names this token among all: its `jti`, or a digest of it where it has none. */
  tokenId: string;
  expiresAt: Date;
}

/** Issues and checks the bearer tokens of the api. */
export interface Tokens {
  /** SERVICE_UNAVAILABLE without a secret. */
  issue(user: User): string;
  /** UNAUTHORIZED unless the token is ours, in time, and names a user; SERVICE_UNAVAILABLE without a secret. */
  verify(token: string): Session;
  /** SERVICE_UNAVAILABLE without a secret: asked before a password is looked at. */
  requireSecret(): void;
}

const algorithm = 'HS256';
const issuer = 'docloom';
/** What tokens are for where the settings name nothing else. */
const defaultAudience = 'docloom';
/** Checked tokens that are remembered, so that the requests of a session check the signature once. */
const mostRemembered = 1_000;

/**
 * Tokens signed by `secret` (HS256) for `audience`, valid for `expireMinutes`; those signed by one of `previousSecrets` are still good.
 * A token of another issuer or for another audience is refused, whoever signed it.
 * Groups go into the token, so a change counts from the next login.
 */
export function createTokens({
  secret,
  previousSecrets = [],
  expireMinutes,
  audience = defaultAudience,
}: {
  secret: string | undefined;
  previousSecrets?: readonly string[];
  expireMinutes: number;
  audience?: string;
}): Tokens {
  // Key objects are made once: from text, the library tries to read a public key first, each time a token is checked.
  const own = secret ? createSecretKey(secret, 'utf8') : undefined;
  const previous = previousSecrets.map((text) => createSecretKey(text, 'utf8'));
  const key = () => {
    if (own) return own;
    throw new AppError('SERVICE_UNAVAILABLE', 'Login is not possible: JWT_SECRET_KEY is not set on this server.');
  };
  const checkedBefore = new Map<string, Session>();
  const remember = (token: string, session: Session) => {
    if (checkedBefore.size >= mostRemembered) checkedBefore.clear();
    checkedBefore.set(token, session);
    return session;
  };
  return {
    issue: ({ username, email, full_name, groups }) =>
      jwt.sign({ username, email, full_name, groups }, key(), {
        algorithm,
        issuer,
        audience,
        expiresIn: expireMinutes * 60,
        jwtid: randomUUID(),
      }),
    verify: (token) => {
      const known = checkedBefore.get(token);
      if (known && known.expiresAt.getTime() > Date.now()) return known;
      const claims = checked(token, [key(), ...previous], audience);
      const expiresAt = new Date(claims.exp * 1000);
      return remember(token, { user: userOf(claims), tokenId: tokenIdOf(claims, token), expiresAt });
    },
    requireSecret: () => void key(),
  };
}

type Claims = jwt.JwtPayload & { exp: number };

/** The first key that made the signature decides; the error is that of the last one tried. */
function checked(token: string, keys: readonly KeyObject[], audience: string): Claims {
  let refused: unknown;
  for (const key of keys) {
    try {
      const claims = jwt.verify(token, key, { algorithms: [algorithm], issuer, audience });
      if (typeof claims === 'object' && typeof claims.exp === 'number') return claims as Claims;
      throw new AppError('UNAUTHORIZED', 'The token has no time of expiry.');
    } catch (error) {
      refused = error;
      if (!isOtherKey(error)) break;
    }
  }
  if (refused instanceof AppError) throw refused;
  throw new AppError('UNAUTHORIZED', refusal(refused), {}, refused);
}

/** With the wrong key a token has a wrong signature; one that is expired or not yet good has the right one. */
function isOtherKey(error: unknown): boolean {
  const isTimely = error instanceof jwt.TokenExpiredError || error instanceof jwt.NotBeforeError;
  return error instanceof jwt.JsonWebTokenError && !isTimely;
}

function tokenIdOf(claims: Claims, token: string): string {
  const { jti } = claims as Record<string, unknown>;
  return typeof jti === 'string' && jti !== '' ? jti : createHash('sha256').update(token).digest('base64url');
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
