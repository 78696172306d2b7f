import { hash, timingSafeEqual } from 'node:crypto';
import { buildCookieName, buildSecureAttribute, findCookie } from './cookie-name';

/** Holds the token of a browser session. Scripts cannot read it, and other sites cannot make the browser send it. */
const sessionName = 'docloom_session';
/** Holds the value that the console must send in `X-CSRF-Token` with each write. Pages of other sites cannot read it. */
const csrfName = 'docloom_csrf';

/** The header required for writes with the session cookie. */
export const csrfHeader = 'X-CSRF-Token';

/** The `Set-Cookie` headers that start a browser session, which ends when the token expires. */
export function createSessionCookies(
  token: string,
  { baseUrl, expiresAt }: { baseUrl: string; expiresAt: Date },
): string[] {
  const seconds = Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1000));
  const attributes = formatAttributes(baseUrl, seconds);
  const [session, csrf] = nameBoth(baseUrl);
  return [`${session}=${token}; HttpOnly; ${attributes}`, `${csrf}=${getCsrfToken(token)}; ${attributes}`];
}

/** The `Set-Cookie` headers that end the session. */
export function createEndedSessionCookies(baseUrl: string): string[] {
  const attributes = formatAttributes(baseUrl, 0);
  const [session, csrf] = nameBoth(baseUrl);
  return [`${session}=; HttpOnly; ${attributes}`, `${csrf}=; ${attributes}`];
}

/**
 * The token in a `Cookie` header; undefined if there is none. With an https address, a cookie without the prefix does not count: another
 * host could have set it.
 */
export function findSessionToken(header: string | undefined, publicUrl: string | undefined): string | undefined {
  const [session] = nameBoth(publicUrl);
  const value = findCookie(header, session);
  return value !== undefined && /^[\w.-]+$/.test(value) ? value : undefined;
}

/** True if `value` is the CSRF token of the session with this `token`. It is derived from the token, so a planted cookie is useless. */
export function isCsrfToken(value: string | undefined, token: string): boolean {
  const [ownHash, other] = [getCsrfToken(token), value ?? ''].map((text) => hash('sha256', text, 'buffer'));
  return ownHash !== undefined && other !== undefined && timingSafeEqual(ownHash, other);
}

function getCsrfToken(token: string): string {
  return hash('sha256', `csrf ${token}`, 'base64url');
}

function nameBoth(baseUrl: string | undefined): [session: string, csrf: string] {
  const place = { baseUrl, path: '/' };
  return [buildCookieName(sessionName, place), buildCookieName(csrfName, place)];
}

function formatAttributes(baseUrl: string, seconds: number): string {
  return `Path=/; Max-Age=${seconds}; SameSite=Strict${buildSecureAttribute(baseUrl)}`;
}
