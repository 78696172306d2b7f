import { createTimeLimit } from '../model/time/time-limit';
import type { ErrorEntry } from '../model/wire-errors';
import { ApiError } from './api-error';
import { refuseRedirect } from './redirects';
import { createConnectionError, isRefusedUnstarted, isRetryable, pause } from './retry';

/** Address and credentials of the api. */
export interface ClientOptions {
  baseUrl: string;
  token?: string;
  /** Timeout of each attempt of a request in milliseconds; default 60,000. */
  timeoutMs?: number;
  /**
   * How often a GET request is retried when the server is unavailable or busy (429, 502 to 504), and a search that was refused
   * because too many wait; default 2. Other requests are sent once.
   */
  retries?: number;
  fetch?: typeof fetch;
}

/** One request. */
export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: Record<string, string | number | boolean | readonly string[] | undefined>;
  body?: unknown;
  /** The raw body, sent instead of `body`. */
  bytes?: Blob;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Timeout of this request in milliseconds, instead of that of the client. */
  timeoutMs?: number;
  /** The status of a failure whose body is a result nevertheless. */
  acceptedStatus?: number;
}

/** Returns a function that sends requests and returns the JSON of the response; it rejects with ApiError otherwise. */
export function createHttp(options: ClientOptions): <T>(call: Call) => Promise<T> {
  const send = createSend(options);
  return async <T>(call: Call): Promise<T> => {
    const retries = options.retries ?? 2;
    const mayRepeat = call.method === 'GET' ? isRetryable : isRefusedUnstarted;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await send<T>(call);
      } catch (error) {
        if (attempt >= retries || !mayRepeat(error)) throw error;
        await pause(retryAfterMs(error) ?? firstPauseMs * 2 ** attempt, call.signal);
      }
    }
  };
}

const firstPauseMs = 250;
/** Maximum wait between two attempts, even if the server requests a longer one. */
const maxPauseMs = 10_000;

/** The wait that a rejection requests; undefined if it has none. */
function retryAfterMs(error: unknown): number | undefined {
  const seconds = error instanceof ApiError ? error.retryAfter : undefined;
  return seconds === undefined ? undefined : Math.min(seconds * 1_000, maxPauseMs);
}

/** Sends each request once. */
function createSend(options: ClientOptions): <T>(call: Call) => Promise<T> {
  const base = options.baseUrl.replace(/\/+$/, '');
  const send = options.fetch ?? fetch;
  return async <T>(call: Call): Promise<T> => {
    const timeout = createTimeLimit(Math.ceil(call.timeoutMs ?? options.timeoutMs ?? 60_000));
    const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout;
    const address = `${base}${call.path}${formatQuery(call.query)}`;
    let response: Response;
    let text: string;
    try {
      response = await send(address, {
        method: call.method,
        ...buildContent(call, options),
        redirect: 'manual',
        signal,
      });
      text = await response.text();
    } catch (error) {
      if (call.signal?.aborted) throw error;
      throw createConnectionError(`${base} does not answer`, error);
    }
    refuseRedirect(response, base);
    const parsed = parseJson(text);
    if (!response.ok && response.status !== call.acceptedStatus) throw createRefusal(response, parsed);
    if (text !== '' && parsed === undefined)
      throw new ApiError('INVALID_RESPONSE', response.status, `${address} answered with something other than JSON.`);
    const etag = response.headers.get('ETag');
    if (etag !== null && typeof parsed === 'object' && parsed !== null) etags.set(parsed, etag);
    return parsed as T;
  };
}

const etags = new WeakMap<object, string>();

/** The ETag of a flow or project that the client returned, for `ifMatch`; undefined for copies of it and for other values. */
export function etagOf(resource: object): string | undefined {
  return etags.get(resource);
}

/** Returns a function that streams the text of a response of unknown length; there is no timeout except `signal`. */
export function createStream(options: ClientOptions): (call: Call) => AsyncGenerator<string, void, void> {
  const bytes = createBytes(options);
  return async function* stream(call) {
    const decoder = new TextDecoder();
    for await (const chunk of bytes(call)) yield decoder.decode(chunk, { stream: true });
  };
}

/** Like `createStream`, for binary responses. */
export function createBytes(options: ClientOptions): (call: Call) => AsyncGenerator<Uint8Array, void, void> {
  const base = options.baseUrl.replace(/\/+$/, '');
  const send = options.fetch ?? fetch;
  return async function* bytes(call) {
    const failWith = (message: string) => (error: unknown) => {
      if (call.signal?.aborted) throw error;
      throw createConnectionError(message, error);
    };
    const response = await send(`${base}${call.path}${formatQuery(call.query)}`, {
      method: call.method,
      ...buildContent(call, options),
      redirect: 'manual',
      signal: call.signal,
    }).catch(failWith(`${base} does not answer`));
    refuseRedirect(response, base);
    if (!response.ok) throw createRefusal(response, parseJson(await response.text()));
    const failLost = failWith(`The connection to ${base} was lost`);
    const reader = response.body?.getReader();
    try {
      for (;;) {
        const part = await reader?.read().catch(failLost);
        if (!part || part.done) return;
        yield part.value;
      }
    } finally {
      await reader?.cancel().catch(() => undefined);
    }
  };
}

function buildContent(
  { body, bytes, headers }: Call,
  { token }: ClientOptions,
): { headers: Record<string, string>; body: string | Blob | undefined } {
  return {
    headers: {
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(bytes === undefined ? {} : { 'Content-Type': 'application/octet-stream' }),
      ...headers,
    },
    body: body === undefined ? bytes : JSON.stringify(body),
  };
}

function createRefusal(response: Response, body: unknown): ApiError {
  const { errors = [], trace } = (typeof body === 'object' && body !== null ? body : {}) as {
    errors?: ErrorEntry[];
    trace?: string;
  };
  const code = errors[0]?.code ?? 'HTTP_ERROR';
  const message = errors.map((entry) => entry.message).join(' ') || `HTTP ${response.status} ${response.statusText}`;
  return new ApiError(
    code,
    response.status,
    message,
    trace ?? response.headers.get('X-Transaction-ID') ?? undefined,
    errors,
    { retryAfter: parseSeconds(response.headers.get('Retry-After')) },
  );
}

/** The header in seconds; its form as a date is ignored, as our servers do not send it. */
function parseSeconds(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header) ? Number(header) : undefined;
}

function formatQuery(query: Call['query']): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue;
    for (const item of Array.isArray(value) ? (value as readonly string[]) : [value])
      parameters.append(name, String(item));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
