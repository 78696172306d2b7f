import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import { checkValue } from '../../../model/conversion/request/check-value';
import { AppError } from '../../../model/errors';
import { allowPageAssets } from '../../http/middleware/security-headers';
import { traceOf } from '../../http/middleware/trace';
import type { ApiOptions, ApiServices } from '../../services';
import { type Caller, createCallers } from '../caller';
import { errorDetail } from './error-detail';
import { discardRest, refuseAnnounced } from '../body/request-bytes';
import { refuseProblems, RequestError } from './request-error';
import type { ConversionReply, ConversionRoute } from './route';

interface Match {
  route: ConversionRoute;
  params: Record<string, string>;
}

/** The conversion service as a middleware: takes the requests at its own addresses, and lets all others through. */
export function conversionService(
  routes: readonly ConversionRoute[],
  services: ApiServices,
  options: ApiOptions,
): Middleware {
  const find = createFinder(routes);
  const findCaller = createCallers(options.conversion, services);
  return async (context, next) => {
    const found = find(context.path, context.method);
    if (!found) return next();
    try {
      if ('allowed' in found) throw notAllowed(found.allowed, context);
      context.state['route'] = found.route;
      const caller = found.route.needsKey ? await findCaller({ headers: context.req.headers }) : nobody;
      if (!caller) throw new RequestError(401, 'Unauthorized');
      send(context, found.route, await answer(found, context, { services, options, routes, caller }));
    } catch (error) {
      sendError(context, error, options);
    }
  };
}

/** Who calls a route that needs nobody: it touches no task. */
const nobody: Caller = { scope: '', isKnown: false };

type Found = Match | { allowed: readonly string[] };

/** What takes a request: a route, or the methods of the routes at that address; undefined when it is none of ours. */
function createFinder(routes: readonly ConversionRoute[]): (path: string, method: string) => Found | undefined {
  const patterns = routes.map((route) => ({ route, pattern: patternOf(route.path) }));
  return (sent, method) => {
    const path = sent.replace(/^\/v1alpha(?=\/|$)/, '/v1');
    const matches = patterns.flatMap(({ route, pattern }) => {
      const groups = pattern.exec(path)?.groups;
      return groups ? [{ route, params: groups }] : [];
    });
    const wanted = method === 'HEAD' ? 'GET' : method;
    const match = matches.find(({ route }) => route.method === wanted);
    if (match) return { route: match.route, params: decodedParams(match.params) };
    if (matches.length > 0) return { allowed: [...new Set(matches.map(({ route }) => route.method))] };
    return path === '/v1' || path.startsWith('/v1/') ? { allowed: [] } : undefined;
  };
}

// The group without a name is there so that a path without parameters has groups too.
function patternOf(path: string): RegExp {
  const body = path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return new RegExp(`^(?<_>)${body}/?$`);
}

function decodedParams({ _: _ignored, ...groups }: Record<string, string>): Record<string, string> {
  const entries = Object.entries(groups).map(([name, text]) => {
    try {
      return [name, decodeURIComponent(text)] as const;
    } catch {
      return [name, text] as const;
    }
  });
  return Object.fromEntries(entries);
}

function notAllowed(allowed: readonly string[], context: Context): RequestError {
  if (allowed.length === 0) return new RequestError(404, 'Not Found');
  const methods = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  if (context.method === 'OPTIONS') return new RequestError(204, '', { Allow: methods });
  return new RequestError(405, 'Method Not Allowed', { Allow: methods });
}

async function answer(
  { route, params }: Match,
  context: Context,
  given: { services: ApiServices; options: ApiOptions; routes: readonly ConversionRoute[]; caller: Caller },
): Promise<ConversionReply> {
  const { services, options, routes, caller } = given;
  const { conversion: settings } = options;
  // Before anything is asked of the store.
  const isForm = Boolean(context.request.is('multipart/form-data'));
  refuseAnnounced(context, isForm ? settings.maxUploadBytes : settings.maxJsonBytes);
  const { value: query, problems } = checkValue(route.query, { ...context.query }, ['query']);
  refuseProblems(problems);
  const controller = new AbortController();
  const onClose = () => controller.abort();
  context.res.once('close', onClose);
  try {
    return await route.handler({
      params,
      query,
      context,
      tenant: caller.scope,
      isKnown: caller.isKnown,
      conversion: services.conversion,
      settings,
      options,
      newId: services.newId,
      unready: () => firstReason(services.probes, options.probeTimeoutMs),
      signal: controller.signal,
      routes,
    });
  } finally {
    context.res.removeListener('close', onClose);
  }
}

/** Why one of the servers cannot be reached; undefined when all can. */
async function firstReason(probes: ApiServices['probes'], timeoutMs: number): Promise<string | undefined> {
  const reasons = await Promise.all(
    Object.entries(probes).map(async ([name, probe]) => {
      const late = AbortSignal.timeout(timeoutMs);
      const timeout = new Promise<string>((resolve) => {
        late.addEventListener('abort', () => resolve(`${name} does not answer within ${timeoutMs} ms.`));
      });
      const asked = probe().then(
        () => undefined,
        (error: unknown) => `${name}: ${error instanceof Error ? error.message : String(error)}`,
      );
      return Promise.race([asked, timeout]);
    }),
  );
  return reasons.find((reason) => reason !== undefined);
}

function send(context: Context, route: ConversionRoute, reply: ConversionReply): void {
  if (route.isPage) allowPageAssets(context);
  context.status = reply.status ?? 200;
  if ('json' in reply) context.body = Buffer.from(JSON.stringify(reply.json));
  else context.body = reply.body;
  if ('body' in reply && reply.body instanceof Readable) breakOffWith(reply.body, context);
  // Exactly so: some clients compare the whole header.
  context.set('Content-Type', 'json' in reply ? 'application/json' : reply.type);
  if (reply.headers) context.set(reply.headers);
}

/** A result that cannot be read to its end must not look whole: the connection is cut. */
function breakOffWith(body: Readable, context: Context): void {
  body.once('error', () => {
    if (context.res.headersSent) context.res.destroy();
  });
}

function sendError(context: Context, error: unknown, { logger }: ApiOptions): void {
  const { status, headers, detail } = errorDetail(error, traceOf(context));
  if (status === 499) context.respond = false;
  discardRest(context);
  context.status = status;
  context.set(headers);
  if (status !== 204 && status !== 499) {
    context.body = Buffer.from(JSON.stringify({ detail }));
    context.set('Content-Type', 'application/json');
  }
  const isOurs = error instanceof AppError ? error.status >= 500 : !(error instanceof RequestError);
  if (isOurs && !context.res.closed)
    logger.error({ trace: traceOf(context), err: error, method: context.method, path: context.path }, 'request failed');
}
