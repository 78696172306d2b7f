/** Path of the Temporal payload codec. */
export const codecPath = '/api/v1/temporal/codec';

const name = 'docloom_codec';

/** The `Set-Cookie` header that lets the Temporal UI on the same host call the codec; it expires with its token. */
export function createCodecCookie(token: string, baseUrl: string): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `${name}=${token}; Path=${codecPath}; HttpOnly; SameSite=Strict${secure}`;
}

/** `Bearer …` from the cookie, for codec requests without an authorization header; undefined for all other paths. */
export function findCodecAuthorization(path: string, cookies: string | undefined): string | undefined {
  if (!path.startsWith(`${codecPath}/`)) return undefined;
  const pairs = (cookies ?? '').split(';').map((pair) => pair.trim().split('='));
  const token = pairs.find(([key]) => key === name)?.[1];
  return token !== undefined && /^[\w.-]{1,8192}$/.test(token) ? `Bearer ${token}` : undefined;
}
