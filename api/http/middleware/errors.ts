import type { Middleware } from 'koa';
import type { ApiOptions } from '../../services';
import { type Api, findApi } from '../api';
import { getTrace } from './trace';

/**
 * Turns any error into an error reply in the format of the requested API; in that of `defaultApi` before the router has seen the
 * request. Unexpected errors are logged with their stack only here.
 */
export function createErrorWriter(defaultApi: Api, { logger }: Pick<ApiOptions, 'logger'>): Middleware {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const api = findApi(context) ?? defaultApi;
      const refusal = api.buildRefusal(error, context);
      const { method, path } = context;
      // A client that disconnected receives no reply, and its request did not fail.
      const isGone = context.res.closed;
      api.sendRefusal(refusal, context);
      if (refusal.status >= 500 && !refusal.isExpected && !isGone)
        logger.error({ trace: getTrace(context), err: error, method, path }, 'request failed');
    }
  };
}
