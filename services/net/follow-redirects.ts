import type { GuardedFetch } from './guarded-fetch';

/** A request whose redirects are followed. */
export interface FollowedRequest {
  url: URL;
  method?: string;
  /** For the server of `url` only. A redirect to another server, or from https to http, is followed without them. */
  headers: Record<string, string>;
  maxRedirects: number;
  signal: AbortSignal;
}

/** The last response, and the URL that sent it. */
export interface FollowedResponse {
  response: Response;
  url: URL;
}

/**
 * Follows redirects one by one, each over a checked connection. The response may itself be a redirect: to an address that is not
 * http, or one more than `maxRedirects`; `isRedirect` tells.
 */
export async function followRedirects(
  { fetch }: Pick<GuardedFetch, 'fetch'>,
  { url: firstUrl, method = 'GET', headers: ownHeaders, maxRedirects, signal }: FollowedRequest,
): Promise<FollowedResponse> {
  let url = firstUrl;
  let headers = ownHeaders;
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetch(url, { method, headers, signal });
    const nextUrl = findNextUrl(response, url);
    if (!nextUrl || redirects === maxRedirects) return { response, url };
    await response.body?.cancel();
    // Once dropped, the headers stay dropped: another server must not decide what is asked with them.
    if (!listHeaderOrigins(nextUrl).includes(firstUrl.origin)) headers = {};
    url = nextUrl;
  }
}

/** True if the response redirects. */
export function isRedirect({ status, headers }: Response): boolean {
  return status >= 300 && status <= 399 && headers.get('location') !== null;
}

function findNextUrl(response: Response, url: URL): URL | undefined {
  const location = response.headers.get('location');
  if (!isRedirect(response) || location === null || !URL.canParse(location, url.href)) return undefined;
  const nextUrl = new URL(location, url);
  return /^https?:$/.test(nextUrl.protocol) ? nextUrl : undefined;
}

/** The origins whose headers may be sent to `url`: its own, and http on the same host for https on the standard ports. */
export function listHeaderOrigins({ origin, protocol, host, port }: URL): string[] {
  return protocol === 'https:' && port === '' ? [origin, `http://${host}`] : [origin];
}
