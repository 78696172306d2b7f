import { hash, createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { User } from '../../model/access';
import { AppError } from '../../model/errors';

/** Content of a valid token. */
export interface Session {
  user: User;
  /** False when the token leaves the groups to the record of logins, because it would be too long with them. */
  hasGroups: boolean;
  /** When the token was issued, to the second; 1970 if unknown. */
  issuedAt: Date;
  /** Identifies the token: its `jti`, or else a digest of the token. */
  tokenId: string;
  expiresAt: Date;
}

/** Issues and verifies the bearer tokens of the API. */
export interface Tokens {
  /**
   * Omits groups that would make the token too long for browsers and servers, if `isRecorded` says that they are in the record
   * of logins. Throws SERVICE_UNAVAILABLE when no secret is configured.
   */
  issue(user: User, options?: { isRecorded?: boolean }): string;
  /** Throws UNAUTHORIZED unless the token is ours, currently valid, and names a user; SERVICE_UNAVAILABLE without a secret. */
  verify(token: string): Session;
  /** Throws SERVICE_UNAVAILABLE without a secret. Called before a password is checked. */
  requireSecret(): void;
}

const algorithm = 'HS256';
const issuer = 'docloom';
/** Audience when the settings name none. */
const defaultAudience = 'docloom';
/** Characters of the groups in a token. Browsers take cookies up to 4,096 bytes. */
const maxGroupsLength = 2_000;
/** Precedes the id of the installation among the audiences of a token. */
const installationPrefix = 'installation:';
/** Number of verified tokens that are cached, so that a session's requests verify the signature once. */
const maxRemembered = 10_000;

/**
 * Tokens signed with `secret` (HS256) for `audience`, valid for `expireMinutes`. Tokens signed with one of `previousSecrets`
 * are still accepted. Tokens with another issuer or audience, or of another installation, are rejected, even with a valid
 * signature. Tokens without an installation are accepted: earlier versions issue them, and the command line before the first
 * start. Tokens contain the user's groups, so a change of groups takes effect at the next login.
 */
export function createTokens({
  secret,
  previousSecrets = [],
  expireMinutes,
  audience = defaultAudience,
  identity = () => undefined,
}: {
  secret: string | undefined;
  previousSecrets?: readonly string[];
  expireMinutes: number;
  audience?: string;
  /** The installation; undefined while it is not known. */
  identity?: () => string | undefined;
}): Tokens {
  // Key objects are created once: given text, the library first tries to parse a public key at every verification.
  const secretKey = secret ? createSecretKey(secret, 'utf8') : undefined;
  const previous = previousSecrets.map((text) => createSecretKey(text, 'utf8'));
  const requireKey = () => {
    if (secretKey) return secretKey;
    throw new AppError('SERVICE_UNAVAILABLE', 'Login is not possible: JWT_SECRET_KEY is not set on this server.');
  };
  const verified = new Map<string, Session>();
  const remember = (token: string, session: Session) => {
    if (verified.size >= maxRemembered) verified.clear();
    verified.set(token, session);
    return session;
  };
  return {
    issue: ({ username, email, full_name, groups }, { isRecorded = false } = {}) => {
      const isLong = isRecorded && JSON.stringify(groups).length > maxGroupsLength;
      const claims = { username, email, full_name, ...(isLong ? { groups_recorded: true } : { groups }) };
      return jwt.sign(claims, requireKey(), {
        algorithm,
        issuer,
        audience: listAudiences(audience, identity()),
        expiresIn: expireMinutes * 60,
        jwtid: randomUUID(),
      });
    },
    verify: (token) => {
      const checked = verified.get(token);
      if (checked && checked.expiresAt.getTime() > Date.now()) return checked;
      const claims = checkToken(token, [requireKey(), ...previous], audience);
      requireInstallation(claims, identity());
      const expiresAt = new Date(claims.exp * 1000);
      const issuedAt = new Date((claims.iat ?? 0) * 1000);
      const hasGroups = claims['groups_recorded'] !== true;
      const tokenId = getTokenId(claims, token);
      return remember(token, { user: buildUser(claims), hasGroups, issuedAt, tokenId, expiresAt });
    },
    requireSecret: () => void requireKey(),
  };
}

function listAudiences(audience: string, identity: string | undefined): string | string[] {
  return identity === undefined ? audience : [audience, `${installationPrefix}${identity}`];
}

/** UNAUTHORIZED for a token of another installation; SERVICE_UNAVAILABLE while it is not known which this is. */
function requireInstallation({ aud = [] }: Claims, identity: string | undefined): void {
  const named = [aud].flat().filter((value) => value.startsWith(installationPrefix));
  if (named.length === 0) return;
  if (identity === undefined)
    throw new AppError('SERVICE_UNAVAILABLE', 'The installation is not known yet: its database does not answer.');
  if (!named.includes(`${installationPrefix}${identity}`))
    throw new AppError('UNAUTHORIZED', 'Invalid authentication credentials.');
}

type Claims = jwt.JwtPayload & { exp: number };

/** Tries the keys in order until one verifies the token. Throws the error of the last one tried. */
function checkToken(token: string, keys: readonly KeyObject[], audience: string): Claims {
  let refused: unknown;
  for (const key of keys) {
    try {
      const claims = jwt.verify(token, key, { algorithms: [algorithm], issuer, audience });
      if (typeof claims === 'object' && typeof claims.exp === 'number') return claims as Claims;
      throw new AppError('UNAUTHORIZED', 'The token has no expiry time.');
    } catch (error) {
      refused = error;
      if (!isOtherKey(error)) break;
    }
  }
  if (refused instanceof AppError) throw refused;
  throw new AppError('UNAUTHORIZED', describeRefusal(refused), {}, refused);
}

/** True when the signature does not match. The signature of an expired or not yet valid token was made with this key. */
function isOtherKey(error: unknown): boolean {
  const isTimely = error instanceof jwt.TokenExpiredError || error instanceof jwt.NotBeforeError;
  return error instanceof jwt.JsonWebTokenError && !isTimely;
}

function getTokenId(claims: Claims, token: string): string {
  const { jti } = claims as Record<string, unknown>;
  return typeof jti === 'string' && jti !== '' ? jti : hash('sha256', token, 'base64url');
}

function describeRefusal(error: unknown): string {
  return error instanceof jwt.TokenExpiredError ? 'The token has expired.' : 'Invalid authentication credentials.';
}

function buildUser(claims: jwt.JwtPayload): User {
  const { username, email, full_name, groups } = claims as Record<string, unknown>;
  if (typeof username !== 'string' || username === '') throw new AppError('UNAUTHORIZED', 'The token names no user.');
  return {
    username,
    email: typeof email === 'string' ? email : '',
    full_name: typeof full_name === 'string' ? full_name : '',
    groups: Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : [],
  };
}
