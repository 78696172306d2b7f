import { Agent, errors, fetch as undiciFetch, Response as UndiciResponse } from 'undici';
import { AppError } from '../../model/errors';
import { buildTraceHeaders } from '../tracing/trace-context';
import { type AddressGuard, findAppError } from './address-guard';
import { createGuardedConnector } from './guarded-connections';

/** `fetch` over connections checked by an address guard. Redirects are returned, not followed. */
export interface GuardedFetch {
  /** Rejects with the guard's own error, otherwise like `fetch`. */
  fetch: typeof globalThis.fetch;
  /** Closes all connections, including those in use. */
  close(): void;
}

/**
 * Keeps connections open between calls. Responses longer than `maxBytes` fail, compressed or not. Timeouts are up to the caller.
 */
export function createGuardedFetch(guard: AddressGuard, maxBytes: number): GuardedFetch {
  const agent = new Agent({
    connect: createGuardedConnector(guard),
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: maxBytes,
  });
  return {
    async fetch(input, init) {
      const url = new URL(input instanceof Request ? input.url : String(input));
      const headers = new Headers(init?.headers);
      for (const [name, value] of Object.entries(buildTraceHeaders())) headers.set(name, value);
      const requestInit = { ...init, headers: [...headers], redirect: 'manual', dispatcher: agent } as Parameters<
        typeof undiciFetch
      >[1];
      const response = await undiciFetch(url, requestInit).catch((error: unknown) => {
        throw findAppError(error) ?? findBadPortError(error, url) ?? error;
      });
      return limitContent(response, maxBytes);
    },
    close() {
      agent.destroy().catch(() => undefined);
    },
  };
}

/** The agent counts the bytes that arrive; a small compressed body can become any number of bytes. */
function limitContent(response: UndiciResponse, maxBytes: number): UndiciResponse {
  if (!response.body || !response.headers.has('content-encoding') || maxBytes === Number.MAX_SAFE_INTEGER)
    return response;
  let size = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.length;
      if (size <= maxBytes) controller.enqueue(chunk);
      else controller.error(new TypeError('terminated', { cause: new errors.ResponseExceededMaxSizeError() }));
    },
  });
  return new UndiciResponse(response.body.pipeThrough(counter), response);
}

/** The error for a port of another protocol, which `fetch` rejects before it connects. */
function findBadPortError(error: unknown, { host, port }: URL): AppError | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error) || cause.message !== 'bad port') return undefined;
  return new AppError(
    'ADDRESS_INVALID',
    `'${host}': port ${port} is reserved for another protocol and cannot be used for HTTP.`,
    {},
    error,
  );
}
