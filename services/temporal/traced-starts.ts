import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { buildTraceHeaders } from '../tracing/trace-context';

/** Workflows that a traced request starts belong to its trace. */
export const tracedStarts: WorkflowClientInterceptor = {
  startWithDetails: (input, next) => {
    const { traceparent } = buildTraceHeaders();
    if (traceparent === undefined) return next(input);
    const payload = defaultPayloadConverter.toPayload(traceparent);
    return next({ ...input, headers: { ...input.headers, ...(payload ? { traceparent: payload } : {}) } });
  },
};
