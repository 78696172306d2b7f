import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { checkValue } from '../../../model/conversion/request/check-value';
import { AppError } from '../../../model/errors';
import { createTimeLimit } from '../../../model/time/time-limit';
import type { Api } from '../../http/api';
import { runAudited, isAudited } from '../../http/audit';
import { allowPageAssets } from '../../http/middleware/security-headers';
import { getTrace } from '../../http/middleware/trace';
import { createClientAddress } from '../../login/client-address';
import type { ApiOptions, ApiServices } from '../../services';
import { discardRest, refuseAnnounced } from '../body/request-bytes';
import { type Caller, createCallerFinder } from '../caller';
import { createErrorDetail } from './error-detail';
import { refuseForeignPage } from './foreign-page';
import { refuseProblems, RequestError } from './request-error';
import type { ConversionReply, ConversionRoute } from './route';

/** The conversion service: `/v1` and related paths that its clients call. */
export function createConversionApi(
  routes: readonly ConversionRoute[],
  services: ApiServices,
  options: ApiOptions,
): Api<ConversionRoute> {
  const findCaller = createCallerFinder(options.conversion, services, options.publicUrl);
  const clientAddress = createClientAddress(options.trustedProxies);
  return {
    routes,
    listPaths: ({ path }) => (path.startsWith('/v1/') ? [path, path.replace('/v1/', '/v1alpha/')] : [path]),
    owns: (path) => /^\/v1(alpha)?(\/|$)/.test(path),
    async answer(route, context) {
      const caller = route.needsKey ? await findCaller({ headers: context.req.headers }) : nobody;
      if (!caller) throw new RequestError(401, 'Unauthorized');
      if (!caller.isKnown)
        refuseForeignPage({ method: context.method, headers: context.req.headers }, options.corsOrigins);
      const run = () => runHandler(route, context, { services, options, routes, caller });
      if (caller.name === undefined || !isAudited(route)) return send(context, route, await run());
      const facts = {
        user: caller.name,
        params: context['params'] as unknown,
        body: undefined,
        trace: getTrace(context),
        client_address: clientAddress(context.ip, context.get('X-Forwarded-For')),
        findRecordedCode: findAuditedCode,
      };
      // The audit log takes ids from the JSON of the reply.
      let reply: ConversionReply | undefined;
      await runAudited(route, services, facts, async () => {
        reply = await run();
        return 'json' in reply ? reply.json : undefined;
      });
      if (reply) send(context, route, reply);
    },
    buildRefusal(error, context) {
      const { status, headers, detail } = createErrorDetail(error, getTrace(context));
      return { status, headers, body: { detail }, isExpected: error instanceof RequestError };
    },
    sendRefusal({ status, headers, body }, context) {
      if (status === 499) context.respond = false;
      discardRest(context);
      context.status = status;
      context.set(headers);
      if (status === 499) return;
      context.body = Buffer.from(JSON.stringify(body));
      // Must match exactly, because some clients compare the whole header.
      context.set('Content-Type', 'application/json');
    },
  };
}

/** Malformed requests and rejections for lack of capacity say nothing about access rights. */
function findAuditedCode(error: unknown): string | undefined {
  const { status } = createErrorDetail(error, '');
  if (status === 403) return 'FORBIDDEN';
  if (status === 404) return 'CONVERSION_TASK_NOT_FOUND';
  return status >= 500 && status !== 503 && error instanceof AppError ? error.code : undefined;
}

/** The caller of a route without authentication, which accesses no task. */
const nobody: Caller = { scope: '', isKnown: false };

async function runHandler(
  route: ConversionRoute,
  context: Context,
  input: { services: ApiServices; options: ApiOptions; routes: readonly ConversionRoute[]; caller: Caller },
): Promise<ConversionReply> {
  const { services, options, routes, caller } = input;
  const { conversion: settings } = options;
  // Checked before any access to the store.
  const isForm = Boolean(context.request.is('multipart/form-data'));
  refuseAnnounced(context, isForm ? settings.maxUploadBytes : settings.maxJsonBytes);
  const { value: query, problems } = checkValue(route.query, { ...context.query }, ['query']);
  refuseProblems(problems);
  const controller = new AbortController();
  const onClose = () => controller.abort();
  context.res.once('close', onClose);
  try {
    return await route.handler({
      params: context['params'],
      query,
      context,
      tenant: caller.scope,
      isKnown: caller.isKnown,
      conversion: services.conversion,
      settings,
      options,
      newId: services.newId,
      unready: () => findFirstReason(services.probes, options.probeTimeoutMs),
      signal: controller.signal,
      routes,
    });
  } finally {
    context.res.removeListener('close', onClose);
  }
}

/** Why one of the servers cannot be reached; undefined when all can. */
async function findFirstReason(probes: ApiServices['probes'], timeoutMs: number): Promise<string | undefined> {
  const reasons = await Promise.all(
    Object.entries(probes).map(async ([name, probe]) => {
      const late = createTimeLimit(timeoutMs);
      const timeout = new Promise<string>((resolve) => {
        late.addEventListener('abort', () => resolve(`${name} does not answer within ${timeoutMs} ms.`));
      });
      const probed = probe().then(
        () => undefined,
        (error: unknown) => `${name}: ${error instanceof Error ? error.message : String(error)}`,
      );
      return Promise.race([probed, timeout]);
    }),
  );
  return reasons.find((reason) => reason !== undefined);
}

function send(context: Context, route: ConversionRoute, reply: ConversionReply): void {
  if (route.isPage) allowPageAssets(context);
  context.status = reply.status ?? 200;
  if ('json' in reply) context.body = Buffer.from(JSON.stringify(reply.json));
  else context.body = reply.body;
  if ('body' in reply && reply.body instanceof Readable) cutConnectionOnError(reply.body, context);
  // Must match exactly, because some clients compare the whole header.
  context.set('Content-Type', 'json' in reply ? 'application/json' : reply.type);
  if (reply.headers) context.set(reply.headers);
}

/** Cuts the connection when a result cannot be read completely, so that the client does not take it for whole. */
function cutConnectionOnError(body: Readable, context: Context): void {
  body.once('error', () => {
    if (context.res.headersSent) context.res.destroy();
  });
}
