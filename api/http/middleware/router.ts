import KoaRouter from '@koa/router';
import type { Context, Middleware } from 'koa';
import { AppError } from '../../../model/errors';
import type { Api, RouteFacts } from '../api';

/** A route whose path has no parameters. */
interface Fixed {
  handler: Middleware;
  /** False if an earlier route with parameters matches the path, too; determined at the first request. */
  isFirst?: boolean;
}

/**
 * The routes of all APIs as koa middleware. Paths without parameters are looked up first, because the router compares a path
 * with every route. Throws 404 for an unknown path, and 405 with `Allow` for an unsupported method.
 */
export function createRouter(apis: readonly Api[]): Middleware[] {
  const koaRouter = new KoaRouter({ sensitive: true });
  const apiOfPath = new Map<string, Api>();
  const fixed = new Map<string, Fixed>();
  for (const api of apis)
    for (const route of api.routes)
      for (const path of api.listPaths(route).map(toKoaPath)) {
        apiOfPath.set(path, api);
        const handler = handle(api, route);
        koaRouter.register(path, [route.method], handler);
        const name = `${route.method} ${path}`;
        if (!path.includes(':') && !fixed.has(name)) fixed.set(name, { handler });
      }
  const answerFixed: Middleware = (context, next) => {
    const { method, path } = context;
    const fixedRoute = fixed.get(`${method} ${path}`);
    if (!fixedRoute) return next();
    fixedRoute.isFirst ??= koaRouter.match(path, method).pathAndMethod[0]?.path === path;
    if (!fixedRoute.isFirst) return next();
    context['params'] = {};
    return fixedRoute.handler(context, next);
  };
  return [
    answerFixed,
    koaRouter.routes() as unknown as Middleware,
    (context) => refuseRequest(context, apis, apiOfPath),
  ];
}

function toKoaPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function handle(api: Api, route: RouteFacts) {
  return async (context: unknown) => {
    const requestContext = context as Context;
    requestContext.state['route'] = route;
    requestContext.state['api'] = api;
    await api.answer(route, requestContext);
  };
}

async function refuseRequest(
  context: Context,
  apis: readonly Api[],
  apiOfPath: ReadonlyMap<string, Api>,
): Promise<void> {
  // The router lists the routes of this path, which have other methods.
  const layers = (context['matched'] ?? []) as readonly { path: string; methods: readonly string[] }[];
  const [first] = layers;
  context.state['api'] = (first && apiOfPath.get(first.path)) ?? apis.find((api) => api.owns(context.path));
  if (!first) throw new AppError('NOT_FOUND', `There is nothing at ${context.path}.`);
  const methods = [...new Set(layers.flatMap((layer) => layer.methods))];
  const listedMethods = methods.filter((method) => method !== 'HEAD');
  const allowed = [...listedMethods, ...(methods.includes('HEAD') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  context.set('Allow', allowed);
  if (context.method !== 'OPTIONS') {
    throw new AppError(
      'METHOD_NOT_ALLOWED',
      `${context.method} is not allowed at ${context.path}; allowed: ${allowed}.`,
    );
  }
  context.status = 204;
}
