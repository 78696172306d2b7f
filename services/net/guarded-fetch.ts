import { Agent, fetch as undiciFetch } from 'undici';
import type { AddressGuard } from './address-guard';

/** `fetch` over connections that an address guard has judged. Redirects are answers: nothing is followed. */
export interface GuardedFetch {
  fetch: typeof globalThis.fetch;
  /** Ends all connections, those in use too. */
  close(): void;
}

/** Connections are kept open between calls; answers of more than `maxBytes` end with an error. Time limits are the caller's. */
export function createGuardedFetch(guard: AddressGuard, maxBytes: number): GuardedFetch {
  const agent = new Agent({
    connect: { lookup: guard.lookup },
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: maxBytes,
  });
  return {
    async fetch(input, init) {
      const url = new URL(input instanceof Request ? input.url : String(input));
      guard.check(url.hostname);
      const own = { ...init, redirect: 'manual', dispatcher: agent } as Parameters<typeof undiciFetch>[1];
      return await undiciFetch(url, own);
    },
    close() {
      agent.destroy().catch(() => undefined);
    },
  };
}
