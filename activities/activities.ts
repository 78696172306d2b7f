import type { ActivityDeps } from './deps';
import { createOperatorActivities } from './operator-activities';
import type { RunActivities } from './run-activities';
import { createRunActivities } from './run-records';

/** Everything a worker offers: the operators' activities, and those that order and record runs. */
export function createActivities(deps: ActivityDeps): {
  operatorActivities: ReturnType<typeof createOperatorActivities>;
  runActivities: RunActivities;
} {
  return { operatorActivities: createOperatorActivities(deps), runActivities: createRunActivities(deps) };
}
