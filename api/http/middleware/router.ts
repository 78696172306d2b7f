import KoaRouter from '@koa/router';
import type { Middleware } from 'koa';
import { AppError } from '../../../model/errors';
import { createHostCheck } from '../host-names';
import type { Route } from '../route';

/** What probes ask by whatever name they find the server. */
const openToAll: readonly string[] = ['/health', '/ready'];

/**
 * Refuses requests of HTTP/1.1 that do not say whom they ask (links could not be made, and the standard demands it), and
 * those that ask for a name which is not this server's.
 */
export function checkHost(hostNames: readonly string[]): Middleware {
  const isKnown = createHostCheck(hostNames);
  return async (context, next) => {
    const host = context.get('Host');
    if (host === '' && context.req.httpVersion === '1.1')
      throw refusal('VALIDATION_ERROR', 'The header Host is missing.');
    if (host !== '' && !isKnown(host) && !openToAll.includes(context.path)) throw unknownHost(host);
    await next();
  };
}

/** HOST_NOT_ALLOWED, with what the operator can do about it. */
export function unknownHost(host: string): AppError {
  const shown = host.slice(0, 100);
  return refusal(
    'HOST_NOT_ALLOWED',
    `This server does not answer to the name '${shown}'. Its operator can add the name to DOCLOOM_HOST_NAMES.`,
  );
}

function refusal(code: 'VALIDATION_ERROR' | 'HOST_NOT_ALLOWED', message: string): AppError {
  return new AppError(code, message, { target: { type: 'header', name: 'Host' } });
}

/** The routes as koa middleware. What no route takes is 404; what only other methods take is 405 with `Allow`. */
export function router(routes: readonly Route[], handle: (route: Route) => Middleware): Middleware[] {
  const koaRouter = new KoaRouter({ sensitive: true });
  for (const route of routes) koaRouter.register(koaPath(route.path), [route.method], [remember(route), handle(route)]);
  return [koaRouter.routes() as unknown as Middleware, refuse(routes)];
}

/** The route that took the request; undefined while, or when, none did. */
export function routeOf(context: { state: Record<string, unknown> }): Route | undefined {
  return context.state['route'] as Route | undefined;
}

function koaPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function remember(route: Route): Middleware {
  return async (context, next) => {
    context.state['route'] = route;
    await next();
  };
}

function refuse(routes: readonly Route[]): Middleware {
  const patterns = routes.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
  }));
  return async (context) => {
    const methods = patterns.filter(({ pattern }) => pattern.test(context.path)).map(({ method }) => method as string);
    if (methods.length === 0) throw new AppError('NOT_FOUND', `There is nothing at ${context.path}.`);
    const allowed = [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])].join(', ');
    context.set('Allow', allowed);
    if (context.method !== 'OPTIONS') {
      throw new AppError(
        'METHOD_NOT_ALLOWED',
        `${context.method} is not allowed at ${context.path}; allowed: ${allowed}.`,
      );
    }
    context.status = 204;
  };
}
