import { Agent, fetch as undiciFetch } from 'undici';
import { AppError } from '../../model/errors';
import { type AddressGuard, appErrorIn } from './address-guard';
import { guardedConnector } from './guarded-connections';

/** The platform's `fetch` refuses the ports of other protocols before it connects. */
function badPort(error: unknown, { host, port }: URL): AppError | undefined {
  const { message } = ((error as { cause?: unknown } | undefined)?.cause ?? {}) as { message?: string };
  if (message !== 'bad port') return undefined;
  return new AppError('ADDRESS_INVALID', `'${host}': HTTP is never spoken on port ${port}.`, {}, error);
}

/** `fetch` over connections that an address guard has judged. Redirects are answers: nothing is followed. */
export interface GuardedFetch {
  /** Rejects with the guard's refusal itself, else as `fetch` does. */
  fetch: typeof globalThis.fetch;
  /** Ends all connections, those in use too. */
  close(): void;
}

/** Connections are kept open between calls; answers of more than `maxBytes` end with an error. Time limits are the caller's. */
export function createGuardedFetch(guard: AddressGuard, maxBytes: number): GuardedFetch {
  const agent = new Agent({
    connect: guardedConnector(guard),
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: maxBytes,
  });
  return {
    async fetch(input, init) {
      const url = new URL(input instanceof Request ? input.url : String(input));
      const own = { ...init, redirect: 'manual', dispatcher: agent } as Parameters<typeof undiciFetch>[1];
      return await undiciFetch(url, own).catch((error: unknown) => {
        throw appErrorIn(error) ?? badPort(error, url) ?? error;
      });
    },
    close() {
      agent.destroy().catch(() => undefined);
    },
  };
}
