import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { AppError } from '../../model/errors';
import type { Api } from '../http/api';
import { errorBody, errorHeaders } from '../http/error-body';
import { isOriginAllowed } from '../http/host-names';
import { readJsonBody } from '../http/middleware/body';
import { traceOf } from '../http/middleware/trace';
import { authenticate } from '../login/authenticate';
import type { ApiOptions, ApiServices } from '../services';
import { createInProcessFetch } from './in-process';

/** Where clients of the Model Context Protocol connect. */
const mcpPath = '/mcp';

/**
 * The Model Context Protocol over streamable HTTP, without sessions: each request is answered by itself. Tools call the routes
 * of this api with the token of the request, so rights, limits and the audit log are those of the routes. `listener` is the
 * whole app.
 */
export function mcpApi(services: ApiServices, options: ApiOptions, listener: () => RequestListener): Api {
  const fetchAs = createInProcessFetch(listener);
  return {
    routes: [{ method: 'POST', path: mcpPath, audit: 'none' }],
    pathsOf: ({ path }) => [path],
    owns: (path) => path === mcpPath,
    async answer(_route, context) {
      await requireCaller(context, services, options);
      const parsedBody = await readJsonBody(context);
      const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
        import('@modelcontextprotocol/server'),
        import('../../mcp/server'),
      ]);
      const baseUrl = `http://${context.get('Host') || 'localhost'}`;
      const caller = { baseUrl, fetch: fetchAs(context), version: options.version };
      const handler = createMcpHandler(() => createMcpServer(caller), {
        onerror: (error) => options.logger.warn({ trace: traceOf(context), err: error }, 'mcp request failed'),
      });
      const gone = new AbortController();
      context.res.once('close', () => gone.abort());
      const request = new Request(`${baseUrl}${mcpPath}`, {
        method: 'POST',
        headers: headersOf(context),
        body: JSON.stringify(parsedBody),
        signal: gone.signal,
      });
      send(await handler.fetch(request, { parsedBody }), context);
    },
    refusalOf(error, context) {
      const { status, body } = errorBody(error, { codeCase: options.codeCase, trace: traceOf(context) });
      return { status, headers: errorHeaders(status, error), body };
    },
    refuse({ status, headers, body }, context) {
      context.status = status;
      context.body = body;
      context.set(headers);
    },
  };
}

/** A token in the header: a browser sends the session cookie by itself, whatever page asks. */
async function requireCaller(context: Context, services: ApiServices, options: ApiOptions): Promise<void> {
  const origin = context.get('Origin') || undefined;
  if (!isOriginAllowed(origin, { host: context.get('Host') || undefined, origins: options.corsOrigins }))
    throw new AppError('FORBIDDEN', `Pages of ${String(origin)} may not call ${mcpPath}; CORS_ORIGINS lists who may.`, {
      target: { type: 'header', name: 'Origin' },
    });
  if (context.get('Authorization') === '')
    throw new AppError('UNAUTHORIZED', 'Not authenticated: the header Authorization: Bearer <token> is needed.');
  await authenticate(context, services, options);
}

function headersOf(context: Context): Record<string, string> {
  return Object.fromEntries(
    Object.entries(context.req.headers).flatMap(([name, value]) =>
      value === undefined || name === 'content-length' || name === 'transfer-encoding' ? [] : [[name, String(value)]],
    ),
  );
}

function send(response: Response, context: Context): void {
  context.status = response.status;
  // The body decides about the length.
  response.headers.forEach((value, name) => context.set(name, value));
  context.body = response.body ? Readable.fromWeb(response.body) : null;
  if (!response.body) context.status = response.status;
}
