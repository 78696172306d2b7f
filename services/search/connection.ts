import { Agent } from 'undici';
import { AppError } from '../../model/errors';
import { startTimeLimit } from '../../model/time/time-limit';
import { type AddressGuard, findAppError } from '../net/address-guard';
import { isSameHost } from '../net/addresses';
import { createGuardedConnector } from '../net/guarded-connections';
import type { SearchTarget } from './ports';

/** One call of OpenSearch's REST interface. */
export interface SearchCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  query?: Record<string, string | number | boolean>;
  body?: Record<string, unknown>;
  /** Lines of a bulk request, as JSON texts. */
  bulk?: readonly string[];
}

/** One call; undefined if the resource is missing (404). */
export type Send = (call: SearchCall) => Promise<unknown>;
export interface SearchCallOptions {
  timeoutMs: number;
  signal?: AbortSignal;
  /** Statuses that are not errors. */
  accept?: readonly number[];
}

/** A connection to one search server. Errors are AppErrors: SEARCH_CONNECTION_FAILED if it is unavailable or overloaded. */
export interface SearchConnection {
  /** Host and port, for messages. */
  readonly address: string;
  send(call: SearchCall, options: SearchCallOptions): Promise<{ status: number; body: unknown }>;
  close(): Promise<void>;
}

/** The error of OpenSearch itself, for callers that handle it. */
export interface EngineError {
  type: string;
  reason: string;
}

/** An answer of OpenSearch with the status of an error. */
class RefusedCall extends Error {
  constructor(
    readonly statusCode: number,
    readonly body: unknown,
  ) {
    super(`HTTP ${statusCode}`);
  }
}

/** A search server. Elasticsearch also accepts an API key, in the encoded form that it shows once. */
export type SearchServer = SearchTarget & { apiKey?: string };

const maxConnections = 256;
/** Maximum size of a response of a server that a flow names. */
const maxAnswerBytes = 64 * 1024 * 1024;
/** For a whole answer of such a server, which may send a byte a second. */
const longestAnswerMs = 10 * 60_000;
/** Below the idle limits of usual proxies. */
const keepAliveMs = 30_000;

/**
 * Connects on first use. `guard` checks the addresses of servers that flows name; without it, every address is allowed.
 * Sends plain requests: with the client of OpenSearch, every call stayed in memory until the next full collection.
 */
export function connectSearch(
  server: SearchServer,
  guard?: AddressGuard,
  answerMs = longestAnswerMs,
): SearchConnection {
  const tls = { rejectUnauthorized: server.verifyCerts ?? true };
  const dispatcher = new Agent({
    connections: maxConnections,
    keepAliveTimeout: keepAliveMs,
    ...(guard ? { connect: createGuardedConnector(guard, tls), maxResponseSize: maxAnswerBytes } : { connect: tls }),
  });
  const origin = new URL(buildServerUrl(server)).origin;
  const address = `${server.host}:${server.port}`;
  const authorization = getAuthorization(server);
  return {
    address,
    async send(call, { timeoutMs, signal, accept = [] }) {
      signal?.throwIfAborted();
      const limit = guard ? startTimeLimit(answerMs) : undefined;
      const over = limit?.controller.signal;
      try {
        const { statusCode: status, ...reply } = await dispatcher.request({
          origin,
          path: `${call.path}${formatQuery(call.query)}`,
          method: call.method,
          headers: { ...authorization, accept: 'application/json', ...getContentType(call) },
          body: formatBody(call),
          headersTimeout: timeoutMs,
          bodyTimeout: timeoutMs,
          signal: signal && over ? AbortSignal.any([signal, over]) : (signal ?? over),
        });
        const text = await reply.body.text();
        const isJson = String(reply.headers['content-type']).includes('json') && text !== '';
        const body: unknown = isJson ? JSON.parse(text) : text;
        if (status >= 400 && !accept.includes(status)) throw new RefusedCall(status, body);
        return { status, body };
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        throw findAppError(error) ?? createSearchError(error, address);
      } finally {
        limit?.clear();
      }
    },
    close: () => dispatcher.destroy(),
  };
}

function getAuthorization({ apiKey, username, password = '' }: SearchServer): Record<string, string> {
  if (apiKey !== undefined) return { authorization: `ApiKey ${apiKey}` };
  if (username === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

function formatQuery(query: SearchCall['query'] = {}): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function formatBody({ body, bulk }: SearchCall): string | undefined {
  if (bulk) return bulk.map((line) => `${line}\n`).join('');
  return body && JSON.stringify(body);
}

function getContentType({ body, bulk }: SearchCall): Record<string, string> {
  if (bulk) return { 'content-type': 'application/x-ndjson' };
  return body ? { 'content-type': 'application/json' } : {};
}

/** Throws OPERATOR_CONFIGURATION_INVALID if the host has more parts, such as a user or a path. */
function buildServerUrl({ host, port, useSsl }: SearchTarget): string {
  const scheme = useSsl ? 'https' : 'http';
  const bare = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const node = `${scheme}://${bare}:${port}`;
  const url = URL.canParse(node) ? new URL(node) : undefined;
  if (url && url.username === '' && url.pathname === '/' && !/[?#\\/]/.test(host)) return url.href;
  throw new AppError(
    'OPERATOR_CONFIGURATION_INVALID',
    `The host of the search server is '${host}'; expected a host name or an address, without user, port and path.`,
  );
}

function createSearchError(error: unknown, address: string): AppError {
  if (!(error instanceof RefusedCall)) {
    const { message, code } = error as { message?: string; code?: string };
    if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return createTooLargeError(address, error);
    const problem =
      code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT'
        ? 'did not answer in time'
        : `cannot be reached: ${message || code || 'no answer'}`;
    return new AppError('SEARCH_CONNECTION_FAILED', `The search server at ${address} ${problem}.`, {}, error);
  }
  const status = error.statusCode;
  const said = toEngineError(error.body);
  const text = said ? `${said.type}: ${said.reason}` : `HTTP ${status}`;
  if (isBusyStatus(status)) {
    return new AppError(
      'SEARCH_CONNECTION_FAILED',
      `The search server at ${address} is overloaded or not ready (HTTP ${status}): ${text}.`,
      {},
      error,
    );
  }
  if (status === 401 || status === 403) {
    return new AppError(
      'SEARCH_INDEX_ERROR',
      `The search server at ${address} refused the user or the action (HTTP ${status}): ${text}.`,
      {},
      error,
    );
  }
  return new AppError(
    'SEARCH_INDEX_ERROR',
    `The search server at ${address} refused the request (HTTP ${status}): ${text}.`,
    {},
    error,
  );
}

function createTooLargeError(address: string, cause: unknown): AppError {
  const message = `The search server at ${address} sent a response of more than ${maxAnswerBytes} bytes.`;
  return new AppError('INVALID_RESPONSE', message, {}, cause);
}

/** The answer of the engine, if the error is one. */
export function findEngineError(error: unknown): (EngineError & { status: number }) | undefined {
  const cause = error instanceof AppError ? error.cause : error;
  if (!(cause instanceof RefusedCall)) return undefined;
  const said = toEngineError(cause.body);
  return said ? { ...said, status: cause.statusCode } : undefined;
}

/** True if the server is overloaded, or is not ready, so that a later call may succeed. */
export const isBusyStatus = (status: number): boolean => [429, 502, 503, 504].includes(status);

/**
 * The error of one part of an answer to several searches. Bad requests according to the engine are errors of the caller: 422.
 */
export function createAnswerError({ error, status }: { error?: unknown; status: number }, address: string): AppError {
  const said = toEngineError({ error }) ?? { type: 'error', reason: `HTTP ${status}` };
  if (status === 400) return new AppError('VALIDATION_ERROR', `The search server refuses this search: ${said.reason}.`);
  const isBusy = isBusyStatus(status);
  return new AppError(
    isBusy ? 'SEARCH_CONNECTION_FAILED' : 'SEARCH_INDEX_ERROR',
    `The search server at ${address} failed (HTTP ${status}): ${said.type}: ${said.reason}.`,
  );
}

/** The innermost cause is the most specific: `mapper_parsing_exception` alone is useless. */
function toEngineError(body: unknown): EngineError | undefined {
  const error = (body as { error?: unknown } | undefined)?.error;
  if (typeof error !== 'object' || error === null) return undefined;
  const { type, reason, root_cause } = error as {
    type?: string;
    reason?: string;
    root_cause?: { type?: string; reason?: string }[];
  };
  const cause = findRootCause(error);
  const root = root_cause?.[0];
  const reasons = [root?.reason ?? reason, cause.reason].filter((text): text is string => Boolean(text));
  const specific = reasons.filter((text) => !/^(all shards failed|Partial shards failure)$/.test(text));
  const said = [...new Set(specific.length > 0 ? specific : reasons)].map((text) => simplifyReason(text));
  return { type: root?.type ?? type ?? 'error', reason: said.join('; ') };
}

/** For a text in a field of numbers, the engine's message only contains the input of its parser. */
function simplifyReason(reason: string): string {
  const text = /For input string: "(.*)"$/s.exec(reason)?.[1];
  return text === undefined ? reason : `a filter on a field of numbers has the value "${text}"`;
}

interface Caused {
  reason?: string;
  caused_by?: Caused;
}

/** The innermost `caused_by`. */
export function findRootCause(error: Caused): Caused {
  return error.caused_by ? findRootCause(error.caused_by) : error;
}

/** A search server, and the read alias of our indexes on it. */
export interface IndexHome {
  connection: SearchConnection;
  /** The read alias, on the configured server only. */
  alias?: string;
  timeoutMs: number;
}

/** The configured server and the servers that flows name, with one connection to each. */
export interface IndexHomes {
  own: SearchConnection;
  /** The server of a target; without one, the configured server. */
  getHome: (target?: SearchTarget) => IndexHome;
  close(): Promise<void>;
}

/** A connection to a server that a flow named is closed when nobody has used it for this time. */
const idleMs = 10 * 60_000;

/** Connects to each server on first use. The guard checks the addresses that flows name. */
export function createHomes(
  configured: SearchTarget,
  {
    alias,
    timeoutMs,
    guard,
    now = () => performance.now(),
  }: { alias: string; timeoutMs: number; guard: AddressGuard; now?: () => number },
): IndexHomes {
  const searchConnection = connectSearch(configured);
  // The key has names, passwords and hosts that flows choose, so without an end of idle connections there is no limit of them.
  const others = new IdleConnections(now);
  return {
    own: searchConnection,
    getHome(target) {
      // A flow that names the configured server uses it, with its read alias; no other connection reaches it.
      const isOwn =
        !target || (target.port === configured.port && !target.provider && isSameHost(target.host, configured.host));
      if (isOwn) return { connection: searchConnection, alias, timeoutMs };
      const { host, port, useSsl, verifyCerts, username, password } = target;
      const key = JSON.stringify([host, port, useSsl, verifyCerts, username, password]);
      return { connection: others.open(key, () => connectSearch(target, guard)), timeoutMs };
    },
    async close() {
      await Promise.all([searchConnection.close(), others.close()]);
    },
  };
}

/** Connections by key. Those that wait for an answer are in use. */
class IdleConnections {
  private readonly opened = new Map<string, { connection: SearchConnection; usedAt: number; calls: number }>();

  constructor(private readonly now: () => number) {}

  open(key: string, connect: () => SearchConnection): SearchConnection {
    this.closeIdle();
    const openedBefore = this.opened.get(key);
    if (openedBefore) {
      openedBefore.usedAt = this.now();
      return openedBefore.connection;
    }
    const connection = connect();
    const sendCounted: SearchConnection['send'] = async (call, options) => {
      entry.calls += 1;
      try {
        return await connection.send(call, options);
      } finally {
        entry.calls -= 1;
        entry.usedAt = this.now();
      }
    };
    const counted = { address: connection.address, send: sendCounted, close: () => connection.close() };
    const entry = { connection: counted, usedAt: this.now(), calls: 0 };
    this.opened.set(key, entry);
    return entry.connection;
  }

  async close(): Promise<void> {
    await Promise.all([...this.opened.values()].map(({ connection }) => connection.close()));
    this.opened.clear();
  }

  private closeIdle(): void {
    for (const [key, { connection, usedAt, calls }] of this.opened) {
      if (calls > 0 || this.now() - usedAt < idleMs) continue;
      this.opened.delete(key);
      connection.close().catch(() => undefined);
    }
  }
}

/** The index behind a name. An index cannot have the name of the read alias, so it gets a number. */
export function getConcreteName(name: string, alias: string | undefined): string {
  return name === alias ? `${name}-000001` : name;
}
