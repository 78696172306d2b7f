import { producerOf } from './graph';

/** An operator of a plan: its place in the graph, and no configuration (that stays in the run's snapshot). */
export interface PlannedOperator {
  name: string;
  /** The operator's wire name: the activity type. */
  type: string;
  queue: 'cpu' | 'io';
  /** Names of the operators whose rows it takes; with a branch, `name.branch`. */
  inputs: string[];
}

/** A stretch of the flow between two points where all rows are needed at once. */
export interface Stage {
  /** `row`: every part goes through the operators on its own. `table`: one activity over all parts. */
  scope: 'row' | 'table';
  operators: PlannedOperator[];
}

/** What a run executes. Small and free of configuration, so that it may be a workflow's argument. */
export interface Plan {
  sources: PlannedOperator[];
  stages: Stage[];
  batchSize: number;
  maxConcurrentBatches: number;
  failFast: boolean;
}

/** The operators that nobody takes rows from: where the rows of a run end up. */
export function endsOf(plan: Plan): string[] {
  const operators = plan.stages.flatMap((stage) => stage.operators);
  const names = new Set(operators.map(({ name }) => name));
  const taken = new Set(operators.flatMap(({ inputs }) => inputs.map((input) => producerOf(input, names))));
  return [...names].filter((name) => !taken.has(name));
}

/** The operators that rows get to from these tables, a source's or those that a run begins with; the others have none of its parts. */
export function reachedFrom(plan: Plan, start: readonly string[]): Set<string> {
  const reached = new Set(start);
  for (const { name, inputs } of plan.stages.flatMap((stage) => stage.operators))
    if (inputs.some((input) => reached.has(producerOf(input, reached)))) reached.add(name);
  return reached;
}
