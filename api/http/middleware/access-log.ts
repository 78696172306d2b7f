import type { Context, Middleware } from 'koa';
import { Counter, Histogram } from 'prom-client';
import { findCurrentTrace, runInTrace } from '../../../services/tracing/trace-context';
import { createClientAddress } from '../../login/client-address';
import type { ApiOptions } from '../../services';
import { findRoute } from '../api';
import { getTrace } from './trace';

/** The log status of a request whose client disconnected before the reply; other servers use the same number. */
const clientGone = 499;

/** Headers with this prefix become members of the log line, so that callers can find their requests. */
const logHeaderPrefix = 'x-docling-log-';
/** Members that the logger writes itself. */
const reservedMembers = new Set(['', 'level', 'time', 'msg', 'service', 'err', 'pid', 'hostname']);
const maxLogHeaders = 20;
const maxLogHeaderLength = 200;

/**
 * Writes one log line and counts one request. Does not log bodies, query strings or headers, because they contain secrets. Only
 * headers `X-Docling-Log-…` become members `…`, unless the line already has one of that name.
 */
export function createAccessLog({
  logger,
  registry,
  trustedProxies,
}: Pick<ApiOptions, 'logger' | 'registry' | 'trustedProxies'>): Middleware {
  const findClientAddress = createClientAddress(trustedProxies);
  const count = new Counter({
    name: 'docloom_http_requests_total',
    help: 'HTTP requests by route and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'docloom_http_request_duration_seconds',
    help: 'Duration of HTTP requests by route.',
    labelNames: ['method', 'route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  return async (context, next) => {
    const started = performance.now();
    const trace = findCurrentTrace();
    // Read now: a closed socket has no address.
    const client = findClientAddress(context.ip, context.get('X-Forwarded-For'));
    // Logged after the reply was sent, so that clients do not wait for it. The line belongs to the trace of the request, no matter
    // who closes the connection. `AsyncResource.bind` would keep every request in memory until the next full collection.
    context.res.once('close', () => {
      if (trace) runInTrace(trace, () => record(context, { started, client }));
      else record(context, { started, client });
    });
    await next();
  };

  function record(context: Context, { started, client }: { started: number; client: string }): void {
    const seconds = (performance.now() - started) / 1_000;
    const route = findRoute(context)?.path ?? 'none';
    const status = context.res.headersSent ? context.status : clientGone;
    count.inc({ method: context.method, route, status });
    duration.observe({ method: context.method, route }, seconds);
    logger.info(
      {
        ...listLogMembers(context.headers),
        trace: getTrace(context),
        method: context.method,
        path: context.path,
        route,
        status,
        ms: Math.round(seconds * 1e4) / 10,
        user: context.state['username'],
        client,
      },
      'request',
    );
  }
}

function listLogMembers(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const input = Object.entries(headers).filter(([name]) => name.startsWith(logHeaderPrefix));
  const members = input.slice(0, maxLogHeaders).map(([name, value]) => {
    return [name.slice(logHeaderPrefix.length), String(value).slice(0, maxLogHeaderLength)] as const;
  });
  return Object.fromEntries(members.filter(([name]) => !reservedMembers.has(name)));
}
