import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Config } from '../model/config';
import type { Metrics } from '../services/process/metrics';
import { checkProbes, type Probes } from '../services/process/probes';

const probeTimeoutMs = 2_000;

/** Serves /health, /ready (503 with a reason per missing server) and /metrics. Returns undefined on port 0. */
export async function serveProbe(
  {
    DOCLOOM_METRICS_PORT: port,
    DOCLOOM_METRICS_HOST: host,
  }: Pick<Config, 'DOCLOOM_METRICS_PORT' | 'DOCLOOM_METRICS_HOST'>,
  probes: Probes,
  registry: Metrics,
): Promise<Server | undefined> {
  if (port === 0) return undefined;
  const server = createServer((request, response) => {
    answer(request, response, probes, registry).catch(() => send(response, 500, { status: 'failed' }));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return server;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  probes: Probes,
  registry: Metrics,
): Promise<void> {
  if (request.url === '/health') return send(response, 200, { status: 'ok' });
  if (request.url === '/metrics') {
    const text = await registry.metrics();
    response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    return;
  }
  if (request.url !== '/ready') return send(response, 404, { status: 'not found' });
  const { isReady, checks } = await checkProbes(probes, probeTimeoutMs);
  send(response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'not ready', checks });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
