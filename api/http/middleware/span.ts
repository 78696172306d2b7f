import type { Middleware } from 'koa';
import { parseTraceparent } from '../../../services/tracing/trace-context';
import { getTracing } from '../../../services/tracing/tracing';
import { findRoute } from '../api';
import { getTrace } from './trace';

/** Traces each request, within the caller's trace if it sends `traceparent`. Records no path and no query: they contain ids and texts. */
export const span: Middleware = (context, next) =>
  getTracing().runInSpan(
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
