import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { PartReport } from '../../model/run/run';

/** The registry that `/metrics` prints. */
export type Metrics = Pick<Registry, 'metrics' | 'contentType'>;

/** A separate registry with the default metrics of the process, printed by `/metrics`. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'docloom_' });
  return registry;
}

const cacheMs = 5_000;

type Counts = () => Promise<Readonly<Record<string, number>>>;

/**
 * Reports the number of conversion tasks per state. Counting scans all tasks in the database, so the counts are cached for five
 * seconds. Reports nothing while the database is unavailable.
 */
export function countTasks(registry: Registry, counts: Counts, now: () => number = () => performance.now()): void {
  registerGauge(
    registry,
    { name: 'docloom_conversion_tasks', help: 'Conversion tasks by state.', label: 'state' },
    createCache(counts, now),
  );
}

/** Reports how many tasks wait in each task queue, for autoscaling. Cached for five seconds; nothing while Temporal is unavailable. */
export function countBacklog(registry: Registry, counts: Counts, now: () => number = () => performance.now()): void {
  const facts = {
    name: 'docloom_task_queue_backlog',
    help: 'Tasks that wait for a worker, by task queue.',
    label: 'queue',
  };
  registerGauge(registry, facts, createCache(counts, now));
}

function createCache(counts: Counts, now: () => number): () => Promise<Readonly<Record<string, number>> | undefined> {
  let cached: { until: number; counts: Promise<Readonly<Record<string, number>> | undefined> } | undefined;
  return async () => {
    if (!cached || now() >= cached.until) cached = { until: now() + cacheMs, counts: counts().catch(() => undefined) };
    const current = await cached.counts;
    if (!current) cached = undefined;
    return current;
  };
}

function registerGauge(
  registry: Registry,
  { name, help, label }: { name: string; help: string; label: string },
  counts: ReturnType<typeof createCache>,
): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    async collect() {
      const current = await counts();
      gauge.reset();
      for (const [value, count] of Object.entries(current ?? {})) gauge.set({ [label]: value }, count);
    },
  });
}

/** Called once per table part that an operator has finished. */
export type OperatorCounter = (operator: string, part: Pick<PartReport, 'in' | 'out' | 'failed' | 'seconds'>) => void;

/**
 * Counts the work of operators in this process: rows in and out, failed documents, seconds per part. Every operator starts at zero:
 * Prometheus sees no increase in a series that begins with its first value, so the first failures would raise no alert.
 */
export function createOperatorCounter(registry: Registry, operators: readonly string[]): OperatorCounter {
  const rows = new Counter({
    name: 'docloom_operator_rows_total',
    help: 'Rows that operators read and returned.',
    labelNames: ['operator', 'direction'],
    registers: [registry],
  });
  const failures = new Counter({
    name: 'docloom_operator_failed_documents_total',
    help: 'Documents that failed in an operator.',
    labelNames: ['operator'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'docloom_operator_part_seconds',
    help: 'Seconds that an operator took for one part of a table.',
    labelNames: ['operator'],
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 1_800],
    registers: [registry],
  });
  for (const operator of operators) {
    for (const direction of ['in', 'out']) rows.inc({ operator, direction }, 0);
    failures.inc({ operator }, 0);
    seconds.zero({ operator });
  }
  return (operator, part) => {
    rows.inc({ operator, direction: 'in' }, part.in);
    rows.inc({ operator, direction: 'out' }, part.out);
    failures.inc({ operator }, part.failed);
    seconds.observe({ operator }, part.seconds);
  };
}
