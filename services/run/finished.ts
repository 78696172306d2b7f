import type { Plan } from '../../model/flow/plan';
import type { OperatorStats } from './run-record';

/**
 * The operators that had finished their work at the end of the run, however it ended: sources and whole-table operators that
 * have reported, and operators that processed every row of their finished inputs. Operators after a branch or an unfinished
 * operator do not count.
 */
export function listFinishedOperators(plan: Plan, stats: readonly OperatorStats[]): Set<string> {
  const byName = new Map(stats.map((operatorStats) => [operatorStats.name, operatorStats]));
  const finished = new Set(plan.sources.map(({ name }) => name).filter((name) => hasReported(byName.get(name))));
  for (const { scope, operators } of plan.stages) {
    for (const { name, inputs } of operators) {
      const operator = byName.get(name);
      if (!operator || !hasReported(operator) || !inputs.every((input) => finished.has(input))) continue;
      const inputRows = inputs.reduce((sum, input) => sum + (byName.get(input)?.out ?? 0), 0);
      if (scope === 'table' || operator.in >= inputRows) finished.add(name);
    }
  }
  return finished;
}

function hasReported(operator: OperatorStats | undefined): boolean {
  return operator !== undefined && operator.parts > 0 && operator.ended_at !== null;
}
