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
  DS_LOG_LEVEL: {
    kind: 'text',
    default: 'INFO',
    oneOf: ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'],
    aliases: ['DOCLING_SERVE_LOG_LEVEL'],
    text: 'Minimum level that is logged.',
  },
} as const satisfies Record<string, Setting>;
