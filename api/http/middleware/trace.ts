import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';

/** Gives every request a transaction id: the caller's `X-Global-Transaction-Id` when it is printable and short, else a UUID. */
export const trace: Middleware = async (context, next) => {
  const given = context.get('X-Global-Transaction-Id');
  context.state['trace'] = /^[\x21-\x7e]{1,128}$/.test(given) ? given : randomUUID();
  context.set('X-Transaction-ID', traceOf(context));
  await next();
};

/** The transaction id of the request. */
export function traceOf(context: { state: Record<string, unknown> }): string {
  return String(context.state['trace']);
}
