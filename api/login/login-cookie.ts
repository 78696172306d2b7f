import { buildCookieName, buildSecureAttribute, findCookie } from './cookie-name';

/** Binds a login to the browser that started it, so that a link cannot log anybody in as another user. */
const plainName = 'docloom_login';
const path = '/auth/oauth2';

/** The `Set-Cookie` header. The browser sends the cookie only to `/auth/oauth2`, even when the provider redirects there. */
export function formatLoginCookie(value: string, { baseUrl, seconds }: { baseUrl: string; seconds: number }): string {
  const name = buildCookieName(plainName, { baseUrl, path });
  return `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${buildSecureAttribute(baseUrl)}`;
}

/** The value in a `Cookie` header; undefined for values that we never set. */
export function findLoginCookie(header: string | undefined, baseUrl: string): string | undefined {
  const value = findCookie(header, buildCookieName(plainName, { baseUrl, path }));
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}
