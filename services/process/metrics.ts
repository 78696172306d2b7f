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

const countsKeptMs = 5_000;

/**
 * Reports the number of conversion tasks per state. Counting scans all tasks in the database, so the counts are cached for five
 * seconds. Reports nothing while the database is unavailable.
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

/** Counts the work of operators in this process: rows in and out, failed documents, seconds per part. */
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
