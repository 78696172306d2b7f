/** Ties a login to the browser that began it, so that nobody can be logged in as somebody else by a link. */
const name = 'docloom_login';

/** The `Set-Cookie` header; the browser sends the cookie to our callback only, also when the provider leads it there. */
export function loginCookie(value: string, { baseUrl, seconds }: { baseUrl: string; seconds: number }): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `${name}=${value}; Path=/auth/oauth2; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** The value in a `Cookie` header; undefined for what we never set. */
export function loginCookieIn(header: string | undefined): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('='));
  const value = pairs.find(([key]) => key === name)?.[1];
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}
