import type { Setting } from './setting';

/** Threads, memory, shutdown, metrics and logs of the processes. */
export const processSettings = {
  DOCLOOM_CONVERSION_THREADS: {
    kind: 'integer',
    default: '2',
    minimum: 1,
    aliases: ['DOCLING_SERVE_ENG_LOC_NUM_WORKERS'],
    text: 'Worker threads that convert documents.',
  },
  DOCLOOM_PAGE_TIMEOUT: {
    kind: 'number',
    default: '180',
    minimum: 0,
    text: 'Seconds that one page of a PDF may take to read or to draw, text recognition included; then the conversion ends with CONVERSION_TIMEOUT. 0: no limit for a page. Documents that wait for vision models have none.',
  },
  DOCLOOM_CONVERSION_MEMORY_MB: {
    kind: 'integer',
    default: '512',
    minimum: 64,
    text: 'Heap limit in MB of a conversion thread, and of a thread that builds a graph.',
  },
  DOCLOOM_DRAIN_SECONDS: {
    kind: 'integer',
    default: '10',
    minimum: 0,
    text: 'Seconds that a stopping process gives running work to finish.',
  },
  DOCLOOM_METRICS_PORT: {
    kind: 'integer',
    default: '0',
    minimum: 0,
    text: "Port of the worker's /metrics, /health and /ready; 0 to disable.",
  },
  DOCLOOM_METRICS_HOST: {
    kind: 'text',
    default: '127.0.0.1',
    text: 'Address that DOCLOOM_METRICS_PORT listens on. Its pages need no login, so only those who may see them should reach it.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    kind: 'text',
    text: 'Address of an OpenTelemetry collector that accepts OTLP over HTTP, such as http://127.0.0.1:4318. Without it no traces are written.',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    kind: 'text',
    secret: true,
    text: 'Headers for the collector, as name=value,….',
  },
  DS_LOG_LEVEL: {
    kind: 'text',
    default: 'INFO',
    oneOf: ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'],
    aliases: ['DOCLING_SERVE_LOG_LEVEL'],
    text: 'Minimum level that is logged.',
  },
} as const satisfies Record<string, Setting>;
