import type { Context, Middleware } from 'koa';
import { AppError } from '../../../model/errors';
import { errorBody } from '../error-body';
import type { ApiOptions } from '../../services';
import { routeOf } from './router';
import { traceOf } from './trace';

/** Turns whatever is thrown into the error body. Only here is an unexpected error logged with its stack. */
export function errors({ codeCase, logger }: Pick<ApiOptions, 'codeCase' | 'logger'>): Middleware {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const invalidStatus = routeOf(context)?.invalidStatus;
      const { status, body } = errorBody(error, { codeCase, trace: traceOf(context), invalidStatus });
      context.status = status;
      context.body = body;
      setErrorHeaders(context, error);
      if (status >= 500)
        logger.error(
          { trace: traceOf(context), err: error, method: context.method, path: context.path },
          'request failed',
        );
    }
  };
}

function setErrorHeaders(context: Context, error: unknown): void {
  if (context.status === 401) context.set('WWW-Authenticate', 'Bearer');
  if (!(error instanceof AppError) || error.details.retryAfterMs === undefined) return;
  context.set('Retry-After', String(Math.max(1, Math.ceil(error.details.retryAfterMs / 1000))));
}
