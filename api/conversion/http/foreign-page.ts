import type { IncomingHttpHeaders } from 'node:http';
import { isOriginAllowed } from '../../http/host-names';
import { RequestError } from './request-error';

const safeMethods = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses a request that changes something, has no key or token, and was made by a page of another origin that is not listed: browsers
 * send forms anywhere without asking. They state in `Sec-Fetch-Site` where the page is from; without TLS only in `Origin`. Pages
 * can set neither, and programs send neither.
 */
export function refuseForeignPage(
  { method, headers }: { method: string; headers: IncomingHttpHeaders },
  origins: readonly string[],
): void {
  const { origin = '', host, 'sec-fetch-site': site } = headers;
  if (safeMethods.includes(method) || site === 'same-origin' || site === 'none') return;
  const isAllowed =
    site === undefined
      ? isOriginAllowed(origin || undefined, { host, origins })
      : origins.includes('*') || origins.includes(origin);
  if (isAllowed) return;
  throw new RequestError(
    403,
    `Pages of the origin '${origin.slice(0, 100)}' may not send requests without a key. The operator of this server can list it in CORS_ORIGINS.`,
  );
}
