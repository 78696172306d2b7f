import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** A registry of its own with the process's default metrics; `/metrics` prints it. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'docloom_' });
  return registry;
}

/** Tells how many conversion tasks are in each state, asked for when somebody reads; nothing while the database is away. */
export function countTasks(registry: Registry, counts: () => Promise<Readonly<Record<string, number>>>): void {
  const gauge: Gauge<'state'> = new Gauge({
    name: 'docloom_conversion_tasks',
    help: 'Conversion tasks by state.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const found = await counts().catch(() => ({}));
      gauge.reset();
      for (const [state, count] of Object.entries(found)) gauge.set({ state }, count);
    },
  });
}
