/**
 * The name under which browsers keep a cookie. With an https address, it has a prefix that makes browsers refuse the cookie without TLS,
 * and one for the path `/` also from any other host, such as a subdomain.
 */
export function buildCookieName(
  name: string,
  { baseUrl, path }: { baseUrl: string | undefined; path: string },
): string {
  if (!isSecureAddress(baseUrl)) return name;
  return path === '/' ? `__Host-${name}` : `__Secure-${name}`;
}

/** `; Secure` for an https address, otherwise empty. */
export function buildSecureAttribute(baseUrl: string): string {
  return isSecureAddress(baseUrl) ? '; Secure' : '';
}

/** The value of the first cookie with this name in a `Cookie` header. */
export function findCookie(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

const isSecureAddress = (address: string | undefined) => address?.startsWith('https:') ?? false;
