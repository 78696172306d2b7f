import { createTimeLimit } from '../model/time/time-limit';
import { ApiError } from './api-error';
import { refuseRedirect } from './redirects';
import { createConnectionError } from './retry';

/** Address and credentials of the conversion service. */
export interface ConversionClientOptions {
  /** Base URL without `/v1`. */
  baseUrl: string;
  /** An API key; required if the service has keys. */
  apiKey?: string;
  /** The token of a login, or an API key of a user: tasks then belong to that user. */
  token?: string;
  tenant?: string;
  /** Timeout of a request in milliseconds; default 60,000. Calls that wait for a conversion may take 10 minutes. */
  timeoutMs?: number;
  fetch?: typeof fetch;
}

/** One request. */
export interface ConversionCall {
  method?: 'GET' | 'POST' | 'DELETE';
  path: string;
  query?: Record<string, string | number | undefined>;
  body?: FormData | Record<string, unknown>;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** True if the call waits for a conversion. */
  isLong?: boolean;
}

/** The body of a reply: JSON, or the bytes of an archive. */
export type ConversionAnswer<T> = { type: 'json'; value: T } | { type: 'archive'; bytes: Uint8Array };

const longMs = 600_000;
const codesByStatus: Readonly<Record<number, string>> = {
  401: 'UNAUTHORIZED',
  413: 'PAYLOAD_TOO_LARGE',
  422: 'VALIDATION_ERROR',
  502: 'CONVERSION_TARGET_FAILED',
  503: 'SERVICE_UNAVAILABLE',
  504: 'CONVERSION_TIMEOUT',
};

/** Returns a function that sends requests; it rejects with ApiError unless the request succeeds. */
export function createConversionHttp(
  options: ConversionClientOptions,
): <T>(call: ConversionCall) => Promise<ConversionAnswer<T>> {
  const base = options.baseUrl.replace(/\/+$/, '');
  const send = options.fetch ?? fetch;
  return async <T>(call: ConversionCall): Promise<ConversionAnswer<T>> => {
    const timeoutMs = options.timeoutMs ?? 60_000;
    const timeout = createTimeLimit(Math.ceil(call.isLong ? Math.max(longMs, timeoutMs) : timeoutMs));
    const isForm = call.body instanceof FormData;
    let response: Response;
    try {
      response = await send(`${base}${call.path}${formatQuery(call.query)}`, {
        method: call.method ?? 'GET',
        headers: {
          ...createKeyHeaders(options),
          ...(call.body && !isForm ? { 'Content-Type': 'application/json' } : {}),
          ...call.headers,
        },
        body: call.body instanceof FormData ? call.body : call.body && JSON.stringify(call.body),
        redirect: 'manual',
        signal: call.signal ? AbortSignal.any([call.signal, timeout]) : timeout,
      });
      refuseRedirect(response, base);
      if (response.headers.get('Content-Type') === 'application/zip')
        return { type: 'archive', bytes: new Uint8Array(await response.arrayBuffer()) };
      if (response.ok) return { type: 'json', value: (await response.json()) as T };
    } catch (error) {
      if (call.signal?.aborted || error instanceof ApiError) throw error;
      throw createConnectionError(`${base} does not answer`, error);
    }
    throw createRefusal(response.status, await response.text(), response.headers);
  };
}

/** The headers that identify the caller. */
export function createKeyHeaders({ apiKey, token, tenant }: ConversionClientOptions): Record<string, string> {
  return {
    ...(apiKey ? { 'X-Api-Key': apiKey } : {}),
    ...(token ? { Authorization: `Bearer ${token}` } : {}),
    ...(tenant ? { 'X-Tenant-Id': tenant } : {}),
  };
}

/** The error for a refused request: a code of the catalogue if there is one, and the reasons given by the server. */
export function createRefusal(status: number, text: string, headers?: Headers): ApiError {
  const message = findReason(text) ?? `HTTP ${status}`;
  return new ApiError(chooseCode(status, message), status, message, headers?.get('X-Transaction-ID') ?? undefined);
}

/** The service reports texts, not codes. */
function chooseCode(status: number, message: string): string {
  if (status === 404 && message.startsWith('Task result not found')) return 'CONVERSION_RESULT_NOT_READY';
  if (message === 'Task not found.') return 'CONVERSION_TASK_NOT_FOUND';
  return codesByStatus[status] ?? 'HTTP_ERROR';
}

function findReason(text: string): string | undefined {
  try {
    const { detail } = JSON.parse(text) as { detail?: string | { loc: unknown[]; msg: string }[] };
    if (!Array.isArray(detail)) return detail;
    return detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  } catch {
    return text.slice(0, 200) || undefined;
  }
}

function formatQuery(query: ConversionCall['query'] = {}): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return parameters.length === 0 ? '' : `?${new URLSearchParams(parameters).toString()}`;
}
