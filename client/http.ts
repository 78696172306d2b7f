import type { ErrorEntry } from '../model/wire-errors';

/** A failed request. `code` is that of the first problem, `entries` has all of them, and `trace` identifies the request in the logs. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    /** A code of the catalogue; CONNECTION_ERROR if there was no response. */
    readonly code: string,
    /** The HTTP status; 0 if there was no response. */
    readonly status: number,
    message: string,
    readonly trace?: string,
    readonly entries: readonly ErrorEntry[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Address and credentials of the api. */
export interface ClientOptions {
  baseUrl: string;
  token?: string;
  /** Timeout of a request in milliseconds; default 60,000. */
  timeoutMs?: number;
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
}

/** Returns a function that sends requests and returns the JSON of the response; it rejects with ApiError otherwise. */
export function createHttp(options: ClientOptions): <T>(call: Call) => Promise<T> {
  const base = options.baseUrl.replace(/\/+$/, '');
  const send = options.fetch ?? fetch;
  return async <T>(call: Call): Promise<T> => {
    const timeout = AbortSignal.timeout(Math.ceil(options.timeoutMs ?? 60_000));
    const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout;
    const address = `${base}${call.path}${queryText(call.query)}`;
    let response: Response;
    let text: string;
    try {
      response = await send(address, {
        method: call.method,
        ...contentOf(call, options),
        signal,
      });
      text = await response.text();
    } catch (error) {
      if (call.signal?.aborted) throw error;
      throw new ApiError('CONNECTION_ERROR', 0, `${base} does not answer: ${reasonOf(error)}.`, undefined, [], {
        cause: error,
      });
    }
    const parsed = json(text);
    if (!response.ok) throw refusal(response, parsed);
    if (text !== '' && parsed === undefined)
      throw new ApiError('INVALID_RESPONSE', response.status, `${address} answered with something else than JSON.`);
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
    const response = await send(`${base}${call.path}${queryText(call.query)}`, {
      method: call.method,
      ...contentOf(call, options),
      signal: call.signal,
    }).catch((error: unknown) => {
      if (call.signal?.aborted) throw error;
      const message = `${base} does not answer: ${reasonOf(error)}.`;
      throw new ApiError('CONNECTION_ERROR', 0, message, undefined, [], { cause: error });
    });
    if (!response.ok) throw refusal(response, json(await response.text()));
    for await (const chunk of response.body ?? []) yield chunk as Uint8Array;
  };
}

function contentOf(
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

function refusal(response: Response, body: unknown): ApiError {
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
  );
}

function queryText(query: Call['query']): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue;
    for (const item of Array.isArray(value) ? (value as readonly string[]) : [value])
      parameters.append(name, String(item));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
