import { Agent, fetch as undiciFetch } from 'undici';
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

/** Keeps connections open between calls. Responses longer than `maxBytes` fail. Timeouts are up to the caller. */
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
      return await undiciFetch(url, requestInit).catch((error: unknown) => {
        throw findAppError(error) ?? findBadPortError(error, url) ?? error;
      });
    },
    close() {
      agent.destroy().catch(() => undefined);
    },
  };
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
