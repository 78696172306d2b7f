import { AsyncLocalStorage } from 'node:async_hooks';

/** A position in a trace, as defined by W3C Trace Context. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  isSampled: boolean;
}

const current = new AsyncLocalStorage<TraceContext>();

/** The caller's current span; undefined when it is not traced. */
export function findCurrentTrace(): TraceContext | undefined {
  return current.getStore();
}

/** Runs the work in this span. */
export function runInTrace<T>(context: TraceContext, work: () => T): T {
  return current.run(context, work);
}

/** Reads a `traceparent` header; undefined when it is absent or malformed. */
export function parseTraceparent(header: unknown): TraceContext | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(header.trim()) ?? [];
  if (version === undefined || version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The `traceparent` header for work that another process does for this span. */
export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** The `traceparent` header of the current span, as headers of a request. Empty when nothing is traced. */
export function buildTraceHeaders(): Record<string, string> {
  const context = findCurrentTrace();
  return context ? { traceparent: formatTraceparent(context) } : {};
}
