import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { AppError } from '../../model/errors';
import { type Api, sendJsonRefusal } from '../http/api';
import { createErrorBody, createErrorHeaders } from '../http/error-body';
import { isOriginAllowed } from '../http/host-names';
import { readJsonBody } from '../http/middleware/body';
import { getTrace } from '../http/middleware/trace';
import { authenticate } from '../login/authenticate';
import type { ApiOptions, ApiServices } from '../services';
import { isProviderToken, metadataPath, readResourceMetadata, signInAgent, createChallenge } from './agent-login';
import { createInProcessFetch } from './in-process';

/** Where clients of the Model Context Protocol connect. */
const mcpPath = '/mcp';

/**
 * The Model Context Protocol over streamable HTTP without sessions. Tools call the routes of this api with the token of the
 * request, so the same rights, limits and audit log apply. `listener` is the whole app.
 */
export function createMcpApi(services: ApiServices, options: ApiOptions, listener: () => RequestListener): Api {
  const fetchAs = createInProcessFetch(listener);
  return {
    routes: [
      { method: 'POST', path: mcpPath, audit: 'none' },
      { method: 'GET', path: metadataPath, audit: 'none' },
    ],
    listPaths: ({ path }) => (path === metadataPath ? [path, `${metadataPath}${mcpPath}`] : [path]),
    owns: (path) => path === mcpPath,
    async answer(route, context) {
      if (route.path === metadataPath) {
        context.body = await readResourceMetadata(services.agentLogins);
        return;
      }
      const authorization = await requireCaller(context, services, options);
      const parsedBody = await readJsonBody(context);
      const [{ createMcpHandler }, { createMcpServer }, { findTaskSubscriptionError }] = await Promise.all([
        import('@modelcontextprotocol/server'),
        import('../../mcp/server'),
        import('../../mcp/task-extension'),
      ]);
      const refusal = findTaskSubscriptionError(parsedBody);
      if (refusal) {
        context.status = 400;
        context.body = refusal;
        return;
      }
      const baseUrl = `http://${context.get('Host') || 'localhost'}`;
      const caller = { baseUrl, fetch: fetchAs(context, authorization), version: options.version };
      const handler = createMcpHandler((served) => createMcpServer(caller, served), {
        onerror: (error) => options.logger.warn({ trace: getTrace(context), err: error }, 'mcp request failed'),
      });
      const gone = new AbortController();
      context.res.once('close', () => gone.abort());
      const request = new Request(`${baseUrl}${mcpPath}`, {
        method: 'POST',
        headers: copyHeaders(context),
        body: JSON.stringify(parsedBody),
        signal: gone.signal,
      });
      send(await handler.fetch(request, { parsedBody }), context);
    },
    buildRefusal(error, context) {
      const { status, body } = createErrorBody(error, { codeCase: options.codeCase, trace: getTrace(context) });
      return {
        status,
        headers: { ...createErrorHeaders(status, error), ...createChallenge(status, context, services.agentLogins) },
        body,
      };
    },
    sendRefusal: sendJsonRefusal,
  };
}

/**
 * The credentials with which tools call the routes: those of the request, or a token of this server in exchange for one of the
 * provider. A token must be in the header: a browser sends the session cookie automatically, whichever page makes the request.
 */
async function requireCaller(context: Context, services: ApiServices, options: ApiOptions): Promise<string> {
  const origin = context.get('Origin') || undefined;
  if (!isOriginAllowed(origin, { host: context.get('Host') || undefined, origins: options.corsOrigins }))
    throw new AppError('FORBIDDEN', `Pages of ${String(origin)} may not call ${mcpPath}; CORS_ORIGINS lists who may.`, {
      target: { type: 'header', name: 'Origin' },
    });
  const authorization = context.get('Authorization');
  if (authorization === '')
    throw new AppError('UNAUTHORIZED', 'Not authenticated: the header Authorization: Bearer <token> is needed.');
  if (services.agentLogins && isProviderToken(authorization))
    return signInAgent(authorization, { ...services, agentLogins: services.agentLogins }, context);
  await authenticate(context, services, options);
  return authorization;
}

function copyHeaders(context: Context): Record<string, string> {
  return Object.fromEntries(
    Object.entries(context.req.headers).flatMap(([name, value]) =>
      value === undefined || name === 'content-length' || name === 'transfer-encoding' ? [] : [[name, String(value)]],
    ),
  );
}

function send(response: Response, context: Context): void {
  context.status = response.status;
  // Set before the body, from which Koa then derives the length.
  response.headers.forEach((value, name) => context.set(name, value));
  context.body = response.body ? Readable.fromWeb(response.body) : null;
  // Koa answers an empty body with 204.
  if (!response.body) context.status = response.status;
}
