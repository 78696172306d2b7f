import { collectDefaultMetrics, Registry } from 'prom-client';

/** A registry of its own with the process's default metrics; `/metrics` prints it. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'docloom_' });
  return registry;
}
