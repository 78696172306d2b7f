import type { Middleware } from 'koa';
import { codecPath } from '../../login/codec-cookie';

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const headers =
  'Authorization, Content-Type, X-Global-Transaction-Id, X-Api-Key, X-Tenant-Id, Idempotency-Key, If-Match, If-None-Match';

/**
 * Lets browsers of the listed origins call; `*` lists all. No cookies are involved, so none are allowed. The codec of Temporal
 * payloads is for the Temporal UI alone, with its cookie and the headers that it sends.
 */
export function cors(origins: readonly string[], temporalUiAddress = ''): Middleware {
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
