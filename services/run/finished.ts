import type { Plan } from '../../model/flow/plan';
import type { OperatorStats } from './run-record';

/**
 * The operators that had done all their work when their run ended, however it ended: sources and operators over all rows that have
 * reported, and those that took every row of what finished before them. One behind a branch or an unfinished operator is none.
 */
export function finishedOperators(plan: Plan, stats: readonly OperatorStats[]): Set<string> {
  const byName = new Map(stats.map((one) => [one.name, one]));
  const finished = new Set(plan.sources.map(({ name }) => name).filter((name) => hasReported(byName.get(name))));
  for (const { scope, operators } of plan.stages) {
    for (const { name, inputs } of operators) {
      const own = byName.get(name);
      if (!own || !hasReported(own) || !inputs.every((input) => finished.has(input))) continue;
      const given = inputs.reduce((sum, input) => sum + (byName.get(input)?.out ?? 0), 0);
      if (scope === 'table' || own.in >= given) finished.add(name);
    }
  }
  return finished;
}

function hasReported(operator: OperatorStats | undefined): boolean {
  return operator !== undefined && operator.parts > 0 && operator.ended_at !== null;
}
