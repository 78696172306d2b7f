import type { Middleware } from 'koa';

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const headers =
  'Authorization, Content-Type, X-Global-Transaction-Id, X-Api-Key, X-Tenant-Id, Idempotency-Key, If-Match, If-None-Match';

/** Lets browsers of the listed origins call; `*` lists all. No cookies are involved, so none are allowed. */
export function cors(origins: readonly string[]): Middleware {
  return async (context, next) => {
    context.vary('Origin');
    const origin = context.get('Origin');
    const isAllowed = origin !== '' && (origins.includes(origin) || origins.includes('*'));
    if (isAllowed) {
      context.set('Access-Control-Allow-Origin', origin);
      context.set('Access-Control-Expose-Headers', 'X-Transaction-ID, Retry-After, Location, ETag, X-Task-Id');
    }
    const isPreflight = context.method === 'OPTIONS' && context.get('Access-Control-Request-Method') !== '';
    if (!isPreflight || !isAllowed) return next();
    context.set({
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': headers,
      'Access-Control-Max-Age': '600',
    });
    context.status = 204;
  };
}
