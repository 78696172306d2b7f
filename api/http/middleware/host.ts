import type { Middleware } from 'koa';
import { AppError } from '../../../model/errors';
import { createHostCheck } from '../host-names';

/** Probes may use any host name. */
const openToAll: readonly string[] = ['/health', '/ready'];

/**
 * Rejects HTTP/1.1 requests without a Host header (required by the standard and needed for links) or with several, and requests
 * for a host name that is not this server's.
 */
export function checkHost(hostNames: readonly string[]): Middleware {
  const isKnown = createHostCheck(hostNames);
  return async (context, next) => {
    const host = context.get('Host');
    if (host === '' && context.req.httpVersion === '1.1')
      throw createRefusal('VALIDATION_ERROR', 'The header Host is missing.');
    // Node uses the first of several; a proxy may have judged another (RFC 9112, 3.2).
    const hosts = context.req.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
    if (hosts.length > 1) throw createRefusal('VALIDATION_ERROR', 'The header Host is there more than once.');
    if (host !== '' && !isKnown(host) && !openToAll.includes(context.path)) throw createUnknownHostError(host);
    await next();
  };
}

/** Creates a HOST_NOT_ALLOWED error that explains how the operator can allow the name. */
export function createUnknownHostError(host: string): AppError {
  const hostName = host.slice(0, 100);
  return createRefusal(
    'HOST_NOT_ALLOWED',
    `This server does not answer to the name '${hostName}'. Its operator can add the name to DOCLOOM_HOST_NAMES.`,
  );
}

function createRefusal(code: 'VALIDATION_ERROR' | 'HOST_NOT_ALLOWED', message: string): AppError {
  return new AppError(code, message, { target: { type: 'header', name: 'Host' } });
}
