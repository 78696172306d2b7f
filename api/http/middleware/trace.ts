import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';

/** Sets the transaction id of the request: the `X-Global-Transaction-Id` header if it is short and printable, else a UUID. */
export const trace: Middleware = async (context, next) => {
  const input = context.get('X-Global-Transaction-Id');
  context.state['trace'] = /^[\x21-\x7e]{1,128}$/.test(input) ? input : randomUUID();
  context.set('X-Transaction-ID', getTrace(context));
  await next();
};

/** The transaction id of the request. */
export function getTrace(context: { state: Record<string, unknown> }): string {
  return String(context.state['trace']);
}
