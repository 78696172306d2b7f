/** Binds a login to the browser that started it, so that a link cannot log anybody in as another user. */
const name = 'docloom_login';

/** The `Set-Cookie` header. The browser sends the cookie only to `/auth/oauth2`, even when the provider redirects there. */
export function formatLoginCookie(value: string, { baseUrl, seconds }: { baseUrl: string; seconds: number }): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `${name}=${value}; Path=/auth/oauth2; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** The value in a `Cookie` header; undefined for values that we never set. */
export function findLoginCookie(header: string | undefined): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('='));
  const value = pairs.find(([key]) => key === name)?.[1];
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}
