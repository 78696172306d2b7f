import type { Context, Middleware } from 'koa';
import { type Api, routeOf } from '../api';
import type { ApiOptions } from '../../services';
import { traceOf } from './trace';

/**
 * Turns whatever is thrown into a refusal in the form of the API that was asked; the last of `apis` takes what no other owns.
 * Only here is an unexpected error logged with its stack.
 */
export function errors(apis: readonly Api[], { logger }: Pick<ApiOptions, 'logger'>): Middleware {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const api = askedApi(apis, context);
      const refusal = api.refusalOf(error, context);
      const { method, path } = context;
      // A client that went away waits for no answer, and its request did not fail.
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
