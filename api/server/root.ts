import { Type } from '@sinclair/typebox';
import { checkProbes } from '../../services/process/probes';
import { reply, route } from '../http/route';
import type { ApiOptions } from '../services';

const Welcome = Type.Object(
  {
    message: Type.String(),
    version: Type.String(),
    addresses: Type.Record(Type.String(), Type.String()),
  },
  { $id: 'Welcome' },
);
const Redirect = Type.String({ contentMediaType: 'text/plain', description: 'Empty; see the header Location.' });
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
  summary:
    'The addresses of the console, the API, its reference and its description. A browser is sent to the console.',
  auth: 'none',
  replies: { 200: Welcome, 307: Redirect },
  handler: ({ baseUrl, options, header }) => {
    // Caches must not serve the reply of a program to a browser.
    const vary = { Vary: 'Accept' };
    if (header('Accept')?.startsWith('text/html')) return reply(307, '', { ...vary, Location: `${baseUrl}/console/` });
    return reply(
      200,
      { message: 'Welcome to Docloom', version: options.version, addresses: buildAddresses(baseUrl, options) },
      vary,
    );
  },
});

function buildAddresses(baseUrl: string, { temporalUiAddress }: ApiOptions) {
  return {
    console: `${baseUrl}/console/`,
    health: `${baseUrl}/health`,
    ready: `${baseUrl}/ready`,
    docs: `${baseUrl}/api/v1/docs`,
    redoc: `${baseUrl}/api/v1/redoc`,
    openapi: `${baseUrl}/api/v1/openapi.json`,
    conversion: `${baseUrl}/docs`,
    login: `${baseUrl}/auth/login`,
    temporal_ui: temporalUiAddress,
  };
}

export const health = route({
  method: 'GET',
  path: '/health',
  summary: 'Whether the process is alive. Contacts no other server.',
  auth: 'none',
  replies: { 200: Health },
  handler: () => ({ status: 'ok' as const }),
});

export const ready = route({
  method: 'GET',
  path: '/ready',
  summary: 'Whether all required servers can be reached, with reasons.',
  auth: 'none',
  replies: { 200: Readiness, 503: Readiness },
  handler: async ({ services, options }) => {
    const { isReady, checks } = await checkProbes(services.probes, options.probeTimeoutMs);
    return reply(isReady ? 200 : 503, {
      status: isReady ? ('ready' as const) : ('not ready' as const),
      checks,
    });
  },
});

export const metrics = route({
  method: 'GET',
  path: '/metrics',
  summary: 'Metrics for Prometheus.',
  auth: 'none',
  replies: { 200: Type.String({ contentMediaType: 'text/plain; version=0.0.4; charset=utf-8' }) },
  handler: ({ options }) => options.registry.metrics(),
});
