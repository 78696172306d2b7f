import type { Middleware } from 'koa';
import { AppError } from '../../../model/errors';
import { createHostCheck } from '../host-names';

/** What probes ask by whatever name they find the server. */
const openToAll: readonly string[] = ['/health', '/ready'];

/**
 * Refuses requests of HTTP/1.1 that do not say whom they ask (links could not be made, and the standard demands it), and
 * those that ask for a name which is not this server's.
 */
export function checkHost(hostNames: readonly string[]): Middleware {
  const isKnown = createHostCheck(hostNames);
  return async (context, next) => {
    const host = context.get('Host');
    if (host === '' && context.req.httpVersion === '1.1')
      throw refusal('VALIDATION_ERROR', 'The header Host is missing.');
    if (host !== '' && !isKnown(host) && !openToAll.includes(context.path)) throw unknownHost(host);
    await next();
  };
}

/** HOST_NOT_ALLOWED, with what the operator can do about it. */
export function unknownHost(host: string): AppError {
  const shown = host.slice(0, 100);
  return refusal(
    'HOST_NOT_ALLOWED',
    `This server does not answer to the name '${shown}'. Its operator can add the name to DOCLOOM_HOST_NAMES.`,
  );
}

function refusal(code: 'VALIDATION_ERROR' | 'HOST_NOT_ALLOWED', message: string): AppError {
  return new AppError(code, message, { target: { type: 'header', name: 'Host' } });
}
