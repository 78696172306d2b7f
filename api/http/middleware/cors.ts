import type { Middleware } from 'koa';
import { codecPath } from '../../login/codec-cookie';

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const headers =
  'Authorization, Content-Type, X-Global-Transaction-Id, X-Api-Key, X-Tenant-Id, Idempotency-Key, If-Match, If-None-Match';

/**
 * Allows browser requests from the listed origins; `*` allows all. Credentials are not allowed, because no cookies are needed.
 * The Temporal payload codec is only for the Temporal UI, with its cookie and headers.
 */
export function createCors(origins: readonly string[], temporalUiAddress = ''): Middleware {
  const uiOrigin = URL.canParse(temporalUiAddress) ? new URL(temporalUiAddress).origin : '';
  return async (context, next) => {
    context.vary('Origin');
    const origin = context.get('Origin');
    const isCodec = context.path.startsWith(`${codecPath}/`);
    const isListed = isCodec ? origin === uiOrigin : origins.includes(origin) || origins.includes('*');
    const isAllowed = origin !== '' && isListed;
    if (isAllowed) {
      context.set('Access-Control-Allow-Origin', origin);
      if (isCodec) context.set('Access-Control-Allow-Credentials', 'true');
      context.set('Access-Control-Expose-Headers', 'X-Transaction-ID, Retry-After, Location, ETag, X-Task-Id');
    }
    const isPreflight = context.method === 'OPTIONS' && context.get('Access-Control-Request-Method') !== '';
    if (!isPreflight || !isAllowed) return next();
    context.set({
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': isCodec ? `${headers}, X-Namespace` : headers,
      'Access-Control-Max-Age': '600',
    });
    context.status = 204;
  };
}
