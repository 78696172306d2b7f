import { isIP } from 'node:net';
import type { Logger } from 'pino';
import { findContainerAddress } from '../../model/conversion/request/bucket-problems';
import type { Location } from '../../model/conversion/request/check-value';
import { AppError } from '../../model/errors';
import { type AddressGuard, findRefusalReason } from '../../services/net/address-guard';
import { toPlainHost } from '../../services/net/addresses';
import { refuseProblems } from './http/request-error';
import type { ReadRequest } from './read-request';

interface Place {
  url: string;
  loc: Location;
}

/**
 * Rejects a request with 422 if its addresses can never be reached from here: IP addresses and `localhost`. Host names are
 * checked when the connection is opened, since they may resolve differently by then.
 */
export async function refuseUnreachable(
  guard: Pick<AddressGuard, 'judge'>,
  request: ReadRequest,
  logger: Pick<Logger, 'info'>,
): Promise<void> {
  const judged = await Promise.all(
    listPlaces(request).map(async (place) => ({ place, reason: await findAddressRefusal(guard, place.url, logger) })),
  );
  refuseProblems(
    judged.flatMap(({ place: { loc }, reason }) =>
      reason === undefined ? [] : [{ type: 'value_error', loc, msg: `Value error, ${reason}` }],
    ),
  );
}

function listPlaces({ sources, target, furtherTargets = [], callbacks }: ReadRequest): Place[] {
  const targets = [...(target ? [target] : []), ...furtherTargets];
  return [
    ...sources.flatMap((source, index) =>
      source.kind === 'http' && 'url' in source
        ? [{ url: source.url, loc: ['body', 'sources', index, 'http', 'url'] }]
        : [],
    ),
    ...sources.flatMap((source, index) => listContainerPlaces(source, ['body', 'sources', index])),
    ...targets.flatMap((target) => listContainerPlaces(target, ['body', 'target'])),
    ...targets.flatMap((target) =>
      target.kind === 'put' ? [{ url: target.url, loc: ['body', 'target', 'put', 'url'] }] : [],
    ),
    ...callbacks.map(({ url }, index) => ({ url, loc: ['body', 'callbacks', index, 'url'] })),
  ];
}

function listContainerPlaces(place: { kind: string }, loc: Location): Place[] {
  const url = findContainerAddress(place);
  return url === undefined ? [] : [{ url, loc: [...loc, place.kind, 'connection_string'] }];
}

/** The reason why an IP address or `localhost` may not be reached; undefined if it may, and for host names. */
export async function findAddressRefusal(
  guard: Pick<AddressGuard, 'judge'>,
  url: string,
  logger: Pick<Logger, 'info'>,
): Promise<string | undefined> {
  if (!URL.canParse(url)) return 'The host or the port of the address is not valid.';
  const { hostname, port, protocol } = new URL(url);
  const host = toPlainHost(hostname);
  if (isIP(host) === 0 && host !== 'localhost' && !host.endsWith('.localhost')) return undefined;
  try {
    await guard.judge(isIP(host) === 0 ? 'localhost' : host, Number(port) || (protocol === 'https:' ? 443 : 80));
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) return undefined;
    // The address itself may hold a password.
    logger.info({ host, reason: findRefusalReason(error) ?? error.code }, 'an address is not allowed');
    return error.message;
  }
}
