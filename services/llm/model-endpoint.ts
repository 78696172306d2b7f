import { AppError } from '../../model/errors';
import { mask } from '../../model/flow/secrets';
import type { NetworkRules } from '../../model/network-rules';
import { getModelName, type VisionEndpoint } from '../../model/page/vision';
import { createAddressGuard, formatHostAndPort } from '../net/address-guard';
import { createGuardedFetch, type GuardedFetch } from '../net/guarded-fetch';
import { HostRefusal, withAttempts } from './attempts';
import type { ModelHost } from './host';
import { readJson } from './protocol';

/** Retries of a request that failed because the host was overloaded or unavailable. */
const defaultRetries = 3;
/** When a host asks for a longer wait, the item fails instead. */
const maxWaitMs = 30_000;
const maxAnswerBytes = 16 * 1024 * 1024;

/** Sends requests to the model hosts of conversions. */
export interface ModelEndpoints {
  /**
   * Posts the body and returns the JSON of the response, and the address of the host for messages. Throws the error codes of model
   * hosts. Messages never contain API keys.
   */
  post(
    endpoint: VisionEndpoint,
    content: { body: string | Uint8Array<ArrayBuffer>; contentType?: string },
    signal: AbortSignal,
  ): Promise<{ answer: unknown; base: URL }>;
  close(): void;
}

/**
 * Keeps connections open between requests. The address guard checks all addresses except those of the server's own
 * settings. Redirects are not followed. A request to an overloaded host is retried after the time that the host names.
 */
export function createModelEndpoints(rules: NetworkRules, maxRetries = defaultRetries): ModelEndpoints {
  const connections = createConnections(rules);
  return {
    async post(endpoint, { body, contentType }, signal) {
      const { fetch } = connections.get(endpoint);
      const host = { ...buildHost(endpoint), maxRetries };
      const headers = buildHeaders(endpoint);
      if (contentType !== undefined) headers.set('content-type', contentType);
      const address = omitUser(endpoint.url);
      return await withAttempts({
        host,
        purpose: 'chat',
        signal,
        takeTurn: async () => () => undefined,
        async work(ended) {
          const response = await fetch(address, { method: 'POST', headers, body, signal: ended });
          if (response.status === 200) return { answer: await readJson(response, host.base), base: host.base };
          const text = maskKeys(await response.text(), endpoint);
          throw new HostRefusal(host.base, response.status, response.headers, text);
        },
      });
    },
    close: () => connections.close(),
  };
}

interface Connections {
  /** The address guard checks all addresses except those of the server's own settings. */
  get(endpoint: VisionEndpoint): GuardedFetch;
  close(): void;
}

function createConnections(rules: NetworkRules): Connections {
  const connections = new Map<string, GuardedFetch>();
  return {
    get({ url, isConfigured }) {
      const hostAndPort = isConfigured && URL.canParse(url) ? formatHostAndPort(new URL(url)) : '';
      const connection = connections.get(hostAndPort);
      if (connection) return connection;
      const guard = createAddressGuard(hostAndPort === '' ? rules : [hostAndPort]);
      const guardedFetch = createGuardedFetch(guard, maxAnswerBytes);
      connections.set(hostAndPort, guardedFetch);
      return guardedFetch;
    },
    close() {
      for (const connection of connections.values()) connection.close();
      connections.clear();
    },
  };
}

/** The endpoint as named in messages: the address without user, password and query, any of which may contain a key. */
function buildHost(endpoint: VisionEndpoint): ModelHost {
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
    maxRetries: defaultRetries,
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
function buildHeaders({ headers, url }: VisionEndpoint): Headers {
  const sent = new Headers({ accept: 'application/json', 'content-type': 'application/json' });
  const { username, password } = new URL(url);
  if (username !== '') sent.set('authorization', `Basic ${encodeBasic(username, password)}`);
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

function encodeBasic(username: string, password: string): string {
  return Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
}

/** `fetch` rejects addresses with a user name. */
function omitUser(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href;
}

/** Shorter values are not keys, and occur in any text. */
const minKeyLength = 4;

/** The text with its keys masked. */
function maskKeys(text: string, { headers, url }: VisionEndpoint): string {
  const { username, password, searchParams } = new URL(url);
  const values = Object.values(headers).flatMap((value) => [value, value.replace(/^(?:bearer|basic)\s+/i, '')]);
  return [...values, encodeBasic(username, password), username, password, ...searchParams.values()]
    .filter((value) => value.length >= minKeyLength)
    .toSorted((value, other) => other.length - value.length)
    .reduce((clean, value) => clean.replaceAll(value, mask), text);
}
