import type { Context, Middleware } from 'koa';
import { type Api, routeOf } from '../api';
import type { ApiOptions } from '../../services';
import { traceOf } from './trace';

/**
 * Turns any error into an error reply in the format of the requested API. The last of `apis` handles unknown paths. Unexpected
 * errors are logged with their stack only here.
 */
export function errors(apis: readonly Api[], { logger }: Pick<ApiOptions, 'logger'>): Middleware {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const api = askedApi(apis, context);
      const refusal = api.refusalOf(error, context);
      const { method, path } = context;
      // A client that disconnected receives no reply, and its request did not fail.
      const isGone = context.res.closed;
      api.refuse(refusal, context);
      if (refusal.status >= 500 && !refusal.isExpected && !isGone)
        logger.error({ trace: traceOf(context), err: error, method, path }, 'request failed');
    }
  };
}

function askedApi(apis: readonly Api[], context: Context): Api {
  const asked = routeOf(context)?.api ?? apis.find((api) => api.owns(context.path)) ?? apis.at(-1);
  if (!asked) throw new Error('No API is served.');
  return asked;
}
