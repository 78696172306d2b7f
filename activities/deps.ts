import type { OperatorServices, RegisteredOperator } from '../operators/operator';
import type { Runs, RunsStore } from '../services/ports';

/** What the activities need. */
export interface ActivityDeps {
  operators: readonly RegisteredOperator[];
  services: OperatorServices;
  runsStore: RunsStore;
  runs: Pick<Runs, 'status'>;
  /** The environment of the worker: the only place where secret references resolve. */
  env: Record<string, string | undefined>;
}
