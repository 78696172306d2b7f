import type { Attributes, Context, Span } from '@opentelemetry/api';
import type { Config } from '../../model/config';
import { AppError, asAppError } from '../../model/errors';
import { trimSlashes } from '../../model/trim-slashes';
import { decodePart } from '../../model/url-path';
import { findCurrentTrace, type TraceContext, runInTrace } from './trace-context';

/**
 * Attributes of a span: identifiers, codes and counts. Never names, paths, addresses, texts of people, or secrets, because
 * operators of a collector may see things that users of the installation may not.
 */
export type SpanAttributes = Record<string, string | number | boolean | undefined>;

/** Work that is traced. */
export interface SpanFacts {
  name: string;
  kind: 'server' | 'client' | 'internal';
  attributes?: SpanAttributes;
  /** The parent of the work, if it is not the current span. */
  parent?: TraceContext;
}

/** A span that is open. */
export interface OpenSpan {
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** The work failed with this code. */
  fail(code: string): void;
}

/** Work that has ended, whose span id was chosen before. */
export interface FinishedSpan extends Pick<SpanFacts, 'name' | 'attributes'> {
  parent: TraceContext;
  spanId: string;
  /** Milliseconds since 1970. */
  startMs: number;
  endMs: number;
  /** The code of its failure. */
  failed?: string;
}

/** Writes spans. */
export interface Tracing {
  /** Does the work in a new span, which ends with it. A failure is recorded by its code only. */
  runInSpan<T>(facts: SpanFacts, work: (span: OpenSpan) => Promise<T>): Promise<T>;
  record(span: FinishedSpan): void;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

const noSpan: OpenSpan = { rename: () => undefined, set: () => undefined, fail: () => undefined };
const noTracing: Tracing = {
  runInSpan: (_facts, work) => work(noSpan),
  record: () => undefined,
  close: async () => undefined,
};
let active = noTracing;

/** The tracing of this process. It writes nothing unless `startTracing` was called with an endpoint. */
export function getTracing(): Tracing {
  return active;
}

/**
 * Sends the spans of this process to OTEL_EXPORTER_OTLP_ENDPOINT, as OTLP over HTTP. Does nothing where that is not set. Throws
 * INVALID_CONFIGURATION where the packages of OpenTelemetry, which are optional, are not installed.
 */
export async function startTracing(
  config: Pick<Config, 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_HEADERS'>,
  service: string,
  version: string,
): Promise<Tracing> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = config;
  if (endpoint === undefined) return noTracing;
  const { api, exporter, resources, sdk } = await loadPackages();
  const ids = createSpanIds(new sdk.RandomIdGenerator());
  const provider = new sdk.BasicTracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    idGenerator: ids.generator,
    spanLimits: { attributeValueLengthLimit: 200 },
    spanProcessors: [
      new sdk.BatchSpanProcessor(
        new exporter.OTLPTraceExporter({
          url: `${trimSlashes(endpoint)}/v1/traces`,
          headers: parseHeaders(headers),
          timeoutMillis: 5_000,
        }),
      ),
    ],
  });
  active = buildTracing({ api, provider, ids });
  return active;
}

type Api = typeof import('@opentelemetry/api');
type Sdk = typeof import('@opentelemetry/sdk-trace-base');

async function loadPackages() {
  try {
    const [api, sdk, resources, exporter] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace-base'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-proto'),
    ]);
    return { api, sdk, resources, exporter };
  } catch (error) {
    throw new AppError(
      'INVALID_CONFIGURATION',
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages @opentelemetry/* are not installed: run npm install without --omit=optional.',
      {},
      error,
    );
  }
}

/** `name=value,…`, each part percent-encoded, as specified by OpenTelemetry. */
function parseHeaders(text = ''): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const equals = pair.indexOf('=');
    if (equals > 0) headers[decodeText(pair.slice(0, equals))] = decodeText(pair.slice(equals + 1));
  }
  return headers;
}

function decodeText(text: string): string {
  return decodePart(text.trim()) ?? text.trim();
}

/** Ids of spans: random ones, unless one was chosen for the next span. */
function createSpanIds(random: InstanceType<Sdk['RandomIdGenerator']>) {
  let chosen: string | undefined;
  return {
    generator: {
      generateTraceId: () => random.generateTraceId(),
      generateSpanId: () => chosen ?? random.generateSpanId(),
    },
    /** Starting a span is synchronous, so no other span gets the id. */
    useNext<T>(spanId: string, start: () => T): T {
      chosen = spanId;
      try {
        return start();
      } finally {
        chosen = undefined;
      }
    },
  };
}

function buildTracing(input: {
  api: Api;
  provider: InstanceType<Sdk['BasicTracerProvider']>;
  ids: ReturnType<typeof createSpanIds>;
}): Tracing {
  const { api, provider, ids } = input;
  const tracer = provider.getTracer('docloom');
  const getContext = (parent: TraceContext | undefined): Context => {
    if (!parent) return api.ROOT_CONTEXT;
    const { traceId, spanId, isSampled } = parent;
    const traceFlags = isSampled ? api.TraceFlags.SAMPLED : api.TraceFlags.NONE;
    return api.trace.setSpanContext(api.ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
  };
  const kinds = { server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT, internal: api.SpanKind.INTERNAL };
  const fail = (span: Span, code: string) => {
    span.setAttribute('error.type', code);
    span.setStatus({ code: api.SpanStatusCode.ERROR });
  };
  return {
    async runInSpan({ name, kind, attributes, parent }, work) {
      const from = parent ?? findCurrentTrace();
      const span = tracer.startSpan(
        name,
        { kind: kinds[kind], attributes: omitUndefined(attributes) },
        getContext(from),
      );
      const { traceId, spanId, traceFlags } = span.spanContext();
      const spanContext = { traceId, spanId, isSampled: (traceFlags & api.TraceFlags.SAMPLED) !== 0 };
      try {
        return await runInTrace(spanContext, () =>
          work({
            rename: (newName) => void span.updateName(newName),
            set: (added) => void span.setAttributes(omitUndefined(added)),
            fail: (code) => fail(span, code),
          }),
        );
      } catch (error) {
        fail(span, getCode(error));
        throw error;
      } finally {
        span.end();
      }
    },
    record({ name, attributes, parent, spanId, startMs, endMs, failed }) {
      const options = { startTime: startMs, attributes: omitUndefined(attributes), kind: kinds.internal };
      const span = ids.useNext(spanId, () => tracer.startSpan(name, options, getContext(parent)));
      if (failed !== undefined) fail(span, failed);
      span.end(endMs);
    },
    async close() {
      active = noTracing;
      // An unavailable collector must not keep the process alive.
      await provider.shutdown().catch(() => undefined);
    },
  };
}

/** Failures of Temporal carry our code as their type. */
function getCode(error: unknown): string {
  const { type } = (error ?? {}) as { type?: unknown };
  return typeof type === 'string' && /^[A-Z_]+$/.test(type) ? type : asAppError(error).code;
}

function omitUndefined(attributes: SpanAttributes = {}): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
