import { buildCookieName, buildSecureAttribute, findCookie } from './cookie-name';

/** Path of the Temporal payload codec. */
export const codecPath = '/api/v1/temporal/codec';

const plainName = 'docloom_codec';

/** The `Set-Cookie` header that lets the Temporal UI on the same host call the codec; it expires with its token. */
export function createCodecCookie(token: string, baseUrl: string): string {
  const name = buildCookieName(plainName, { baseUrl, path: codecPath });
  return `${name}=${token}; Path=${codecPath}; HttpOnly; SameSite=Strict${buildSecureAttribute(baseUrl)}`;
}

/** `Bearer …` from the cookie, for codec requests without an authorization header; undefined for all other paths. */
export function findCodecAuthorization(
  path: string,
  cookies: string | undefined,
  publicUrl: string | undefined,
): string | undefined {
  if (!path.startsWith(`${codecPath}/`)) return undefined;
  const token = findCookie(cookies, buildCookieName(plainName, { baseUrl: publicUrl, path: codecPath }));
  return token !== undefined && /^[\w.-]{1,8192}$/.test(token) ? `Bearer ${token}` : undefined;
}
