import type { DestinationCheckReply, DestinationCheckRequest } from '../model/export/wire-check';
import type { SourceCheckReply, SourceCheckRequest } from '../model/source/wire';
import type { Call } from './http';

/** Sources of documents, and destinations of exports. */
export interface SourceMethods {
  sources: {
    /** Tests each right that a source needs; `config` is that of `ingest_source`. */
    check(request: SourceCheckRequest): Promise<SourceCheckReply>;
  };
  destinations: {
    /** Tests what an export does at its destination, with a small file; `config` is that of `storage`. */
    check(request: DestinationCheckRequest): Promise<DestinationCheckReply>;
  };
}

/** Implements these methods over `send`. */
export function createSourceMethods(send: <T>(call: Call) => Promise<T>): SourceMethods {
  return {
    sources: { check: (body) => send({ method: 'POST', path: '/api/v1/sources/check', body }) },
    destinations: { check: (body) => send({ method: 'POST', path: '/api/v1/destinations/check', body }) },
  };
}
