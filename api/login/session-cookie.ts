import { hash, timingSafeEqual } from 'node:crypto';

/** Holds the token of a browser session. Scripts cannot read it, and other sites cannot make the browser send it. */
const sessionName = 'docloom_session';
/** Holds the value that our pages must send in `X-CSRF-Token` with each write. Pages of other sites cannot read it. */
const csrfName = 'docloom_csrf';

/** The header required for writes with the session cookie. */
export const csrfHeader = 'X-CSRF-Token';

/** The `Set-Cookie` headers that start a browser session, which ends when the token expires. */
export function createSessionCookies(
  token: string,
  { baseUrl, expiresAt }: { baseUrl: string; expiresAt: Date },
): string[] {
  const seconds = Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1000));
  const rest = formatAttributes(baseUrl, seconds);
  return [`${sessionName}=${token}; HttpOnly; ${rest}`, `${csrfName}=${getCsrfToken(token)}; ${rest}`];
}

/** The `Set-Cookie` headers that end the session. */
export function createEndedSessionCookies(baseUrl: string): string[] {
  const rest = formatAttributes(baseUrl, 0);
  return [`${sessionName}=; HttpOnly; ${rest}`, `${csrfName}=; ${rest}`];
}

/** The token in a `Cookie` header; undefined if there is none. */
export function findSessionToken(header: string | undefined): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  const value = pairs.find((pair) => pair.startsWith(`${sessionName}=`))?.slice(sessionName.length + 1);
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

function formatAttributes(baseUrl: string, seconds: number): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `Path=/; Max-Age=${seconds}; SameSite=Strict${secure}`;
}
