import Koa from 'koa';
import { createConsoleFiles } from './console/files';
import { conversionRoutes } from './conversion';
import { createConversionApi } from './conversion/http/service';
import { createPipelineApi } from './http/dispatch';
import { createAccessLog } from './http/middleware/access-log';
import { refuseLargeBodies } from './http/middleware/body';
import { createCors } from './http/middleware/cors';
import { createErrorWriter } from './http/middleware/errors';
import { checkHost } from './http/middleware/host';
import { createRouter } from './http/middleware/router';
import { createSecurityHeaders } from './http/middleware/security-headers';
import { span } from './http/middleware/span';
import { trace } from './http/middleware/trace';
import { createMcpApi } from './mcp/mcp-api';
import { routes } from './routes';
import type { ApiOptions, ApiServices } from './services';

/** The api as a koa application. Does no I/O: services are passed in, and it does not listen yet. */
export function createApp(services: ApiServices, options: ApiOptions): Koa {
  const conversion = createConversionApi(conversionRoutes, services, options);
  const pipeline = createPipelineApi(routes, services, options);
  const app = new Koa();
  const mcp = createMcpApi(services, options, () => app.callback());
  app.use(trace);
  app.use(span);
  app.use(createSecurityHeaders(options.publicUrl));
  app.use(createAccessLog(options));
  app.use(createCors(options.corsOrigins, options.temporalUiAddress));
  app.use(createErrorWriter(pipeline, options));
  app.use(checkHost(options.hostNames));
  app.use(createConsoleFiles(options.consoleFolder));
  app.use(refuseLargeBodies((path) => conversion.owns(path)));
  for (const middleware of createRouter([conversion, mcp, pipeline])) app.use(middleware);
  // Only errors of the connection get here (for example a client that disconnected), not of a request that could get a reply.
  app.on('error', (error: unknown) => options.logger.warn({ err: error }, 'connection failed'));
  return app;
}
