import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { PartReport } from '../../model/run/run';

/** What `/metrics` prints. */
export type Metrics = Pick<Registry, 'metrics' | 'contentType'>;

/** A registry of its own with the process's default metrics; `/metrics` prints it. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'docloom_' });
  return registry;
}

const countsKeptMs = 5_000;

/**
 * Tells how many conversion tasks are in each state. Counting them costs the database a walk over all tasks, so readers within
 * five seconds share one count; nothing is told while the database is away.
 */
export function countTasks(
  registry: Registry,
  counts: () => Promise<Readonly<Record<string, number>>>,
  now: () => number = Date.now,
): void {
  const fresh = async (): Promise<Readonly<Record<string, number>> | undefined> => counts().catch(() => undefined);
  let kept: { until: number; found: ReturnType<typeof fresh> } | undefined;
  const gauge: Gauge<'state'> = new Gauge({
    name: 'docloom_conversion_tasks',
    help: 'Conversion tasks by state.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      if (!kept || now() >= kept.until) kept = { until: now() + countsKeptMs, found: fresh() };
      const found = await kept.found;
      if (!found) kept = undefined;
      gauge.reset();
      for (const [state, count] of Object.entries(found ?? {})) gauge.set({ state }, count);
    },
  });
}

/** Called once for each part of a table that an operator has finished. */
export type OperatorCounter = (operator: string, part: Pick<PartReport, 'in' | 'out' | 'failed' | 'seconds'>) => void;

/** Counts what operators did in this process since it started: rows in and out, failed documents, seconds of a part. */
export function createOperatorCounter(registry: Registry): OperatorCounter {
  const rows = new Counter({
    name: 'docloom_operator_rows_total',
    help: 'Rows that operators took in and gave out.',
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
  return (operator, part) => {
    rows.inc({ operator, direction: 'in' }, part.in);
    rows.inc({ operator, direction: 'out' }, part.out);
    failures.inc({ operator }, part.failed);
    seconds.observe({ operator }, part.seconds);
  };
}
