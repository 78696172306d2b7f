import type { DestinationCheckReply, DestinationCheckRequest } from '../model/export/wire-check';
import type { Call } from './http';

/** Destinations of exports. */
export interface DestinationMethods {
  destinations: {
    /** Tests what an export does at its destination, with a small file; `config` is that of `storage`. */
    check(request: DestinationCheckRequest): Promise<DestinationCheckReply>;
  };
}

/** Implements these methods over `send`. */
export function createDestinationMethods(send: <T>(call: Call) => Promise<T>): DestinationMethods {
  return { destinations: { check: (body) => send({ method: 'POST', path: '/api/v1/destinations/check', body }) } };
}
