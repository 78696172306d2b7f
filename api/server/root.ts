import { Type } from '@sinclair/typebox';
import { reply, route } from '../http/route';

const Welcome = Type.Object(
  {
    message: Type.String(),
    version: Type.String(),
    addresses: Type.Record(Type.String(), Type.String()),
  },
  { $id: 'Welcome' },
);
const Health = Type.Object({ status: Type.Literal('ok') }, { $id: 'Health' });
const Readiness = Type.Object(
  {
    status: Type.Union([Type.Literal('ready'), Type.Literal('not ready')]),
    checks: Type.Record(
      Type.String(),
      Type.Object({ ok: Type.Boolean(), reason: Type.Optional(Type.String()), ms: Type.Number() }),
    ),
  },
  { $id: 'Readiness' },
);

export const welcome = route({
  method: 'GET',
  path: '/',
  summary: 'A welcome message with the addresses of everything else.',
  tags: ['Server'],
  auth: 'none',
  replies: { 200: Welcome },
  errors: [],
  handler: ({ baseUrl, options }) => ({
    message: 'Welcome to Docloom',
    version: options.version,
    addresses: {
      health: `${baseUrl}/health`,
      ready: `${baseUrl}/ready`,
      docs: `${baseUrl}/api/v1/docs`,
      redoc: `${baseUrl}/api/v1/redoc`,
      openapi: `${baseUrl}/api/v1/openapi.json`,
      conversion: `${baseUrl}/docs`,
      login: `${baseUrl}/auth/login`,
      temporal_ui: options.temporalUiAddress,
    },
  }),
});

export const health = route({
  method: 'GET',
  path: '/health',
  summary: 'Whether the process is alive. Contacts no other server.',
  tags: ['Server'],
  auth: 'none',
  replies: { 200: Health },
  errors: [],
  handler: () => ({ status: 'ok' as const }),
});

export const ready = route({
  method: 'GET',
  path: '/ready',
  summary: 'Whether all required servers can be reached, with reasons.',
  tags: ['Server'],
  auth: 'none',
  replies: { 200: Readiness, 503: Readiness },
  errors: [],
  handler: async ({ services, options }) => {
    const checks = await Promise.all(
      Object.entries(services.probes).map(
        async ([name, probe]) => [name, await probed(probe, options.probeTimeoutMs)] as const,
      ),
    );
    const isReady = checks.every(([, { ok }]) => ok);
    return reply(isReady ? 200 : 503, {
      status: isReady ? ('ready' as const) : ('not ready' as const),
      checks: Object.fromEntries(checks),
    });
  },
});

export const metrics = route({
  method: 'GET',
  path: '/metrics',
  summary: 'Metrics for Prometheus.',
  tags: ['Server'],
  auth: 'none',
  replies: { 200: Type.String({ contentMediaType: 'text/plain; version=0.0.4; charset=utf-8' }) },
  errors: [],
  handler: ({ options }) => options.registry.metrics(),
});

async function probed(
  probe: () => Promise<void>,
  timeoutMs: number,
): Promise<{ ok: boolean; reason?: string; ms: number }> {
  const started = Date.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${timeoutMs} ms`), timeoutMs);
  });
  const answer = probe().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const reason = await Promise.race([answer, late]);
  clearTimeout(timer);
  const ms = Date.now() - started;
  return reason === undefined ? { ok: true, ms } : { ok: false, reason, ms };
}
