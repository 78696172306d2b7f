import { AppError } from '../../model/errors';
import { mask } from '../../model/flow/secrets';
import type { NetworkRules } from '../../model/network-rules';
import { getModelName, type VisionEndpoint } from '../../model/page/vision';
import { createAddressGuard, getHostAndPort } from '../net/address-guard';
import { createGuardedFetch, type GuardedFetch } from '../net/guarded-fetch';
import type { ModelHost } from './host';

/** Retries of a request that failed because the host was overloaded or unavailable. */
export const usualRetries = 3;
/** When a host asks for a longer wait, the item fails instead. */
const maxWaitMs = 30_000;
const maxAnswerBytes = 16 * 1024 * 1024;

/** Connections to model hosts of conversions. */
export interface Connections {
  /** Addresses pass the address guard, except those of the server's own settings. */
  of(endpoint: VisionEndpoint): GuardedFetch;
  close(): void;
}

/** Creates connections that are kept open between requests. */
export function createConnections(rules: NetworkRules): Connections {
  const connections = new Map<string, GuardedFetch>();
  return {
    of({ url, isConfigured }) {
      const own = isConfigured && URL.canParse(url) ? getHostAndPort(new URL(url)) : '';
      const known = connections.get(own);
      if (known) return known;
      const guard = createAddressGuard(own === '' ? rules : [own]);
      const guardedFetch = createGuardedFetch(guard, maxAnswerBytes);
      connections.set(own, guardedFetch);
      return guardedFetch;
    },
    close() {
      for (const connection of connections.values()) connection.close();
      connections.clear();
    },
  };
}

/** The endpoint as named in messages: the address without user, password and query, any of which may contain a key. */
export function getHost(endpoint: VisionEndpoint): ModelHost {
  if (!URL.canParse(endpoint.url) || !/^https?:$/.test(new URL(endpoint.url).protocol))
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      'The address of the model must begin with http:// or https://.',
    );
  const { origin, pathname } = new URL(endpoint.url);
  const hasKey = Object.keys(endpoint.headers).some((name) => /^(?:authorization|.*key)$/i.test(name));
  return {
    type: 'gateway',
    protocol: 'openai',
    base: new URL(origin + pathname),
    isConfigured: endpoint.isConfigured,
    modelId: getModelName(endpoint),
    // Only marks that there is a key. Messages must not contain it.
    ...(hasKey ? { apiKey: mask } : {}),
    timeoutMs: endpoint.timeoutMs,
    maxRetries: usualRetries,
    maxWaitMs,
    maxConcurrent: endpoint.concurrency,
    limits: {},
    prices: { input: 0, output: 0 },
  };
}

/** Headers that belong to the connection or the request body. */
const ownHeaders =
  /^(?:host|connection|content-length|content-type|transfer-encoding|expect|upgrade|te|trailer|accept|keep-alive)$/i;

/** The headers of a request. Throws OPERATOR_CONFIGURATION_INVALID with the name, not the value, of a header that cannot be sent. */
export function getHeaders({ headers, url }: VisionEndpoint): Headers {
  const sent = new Headers({ accept: 'application/json', 'content-type': 'application/json' });
  const { username, password } = new URL(url);
  if (username !== '') sent.set('authorization', `Basic ${getBasic(username, password)}`);
  for (const [name, value] of Object.entries(headers)) {
    if (ownHeaders.test(name)) continue;
    try {
      sent.set(name, value);
    } catch {
      // The platform's error message contains the value.
      throw new AppError(
        'OPERATOR_CONFIGURATION_INVALID',
        `The header '${name}' of the model has a name or value that cannot be sent.`,
      );
    }
  }
  return sent;
}

function getBasic(username: string, password: string): string {
  return Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
}

/** `fetch` rejects addresses with a user name. */
export function withoutUser(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href;
}

/** The text with its keys masked. */
export function withoutKeys(text: string, { headers, url }: VisionEndpoint): string {
  const { username, password, searchParams } = new URL(url);
  const values = Object.values(headers).flatMap((value) => [value, value.replace(/^(?:bearer|basic)\s+/i, '')]);
  return [...values, getBasic(username, password), username, password, ...searchParams.values()]
    .filter((value) => value.length >= 4)
    .toSorted((value, other) => other.length - value.length)
    .reduce((clean, value) => clean.replaceAll(value, mask), text);
}
