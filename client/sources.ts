import type { SourceCheckReply, SourceCheckRequest } from '../model/source/wire';
import type { Call } from './http';

/** Sources of documents. */
export interface SourceMethods {
  sources: {
    /** Tests each right that a source needs; `config` is that of `ingest_source`. */
    check(request: SourceCheckRequest): Promise<SourceCheckReply>;
  };
}

/** Implements these methods over `send`. */
export function createSourceMethods(send: <T>(call: Call) => Promise<T>): SourceMethods {
  return { sources: { check: (body) => send({ method: 'POST', path: '/api/v1/sources/check', body }) } };
}
