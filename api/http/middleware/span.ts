import type { Middleware } from 'koa';
import { parseTraceparent } from '../../../services/tracing/trace-context';
import { createTracing } from '../../../services/tracing/tracing';
import { findRoute } from '../api';
import { getTrace } from './trace';

/** Traces each request, as part of the caller's trace where it sends `traceparent`. Paths have ids and queries texts: neither is written. */
export const span: Middleware = (context, next) =>
  createTracing().inSpan(
    {
      name: context.method,
      kind: 'server',
      parent: parseTraceparent(context.get('traceparent')),
      attributes: { 'http.request.method': context.method, 'docloom.transaction_id': getTrace(context) },
    },
    async (open) => {
      await next();
      const route = findRoute(context)?.path;
      if (route !== undefined) open.rename(`${context.method} ${route}`);
      open.set({ 'http.route': route, 'http.response.status_code': context.status });
      if (context.status >= 500) open.fail(String(context.status));
    },
  );
