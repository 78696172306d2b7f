import { getProducer } from './graph';

/** An operator of a plan: its place in the graph, without configuration (that stays in the run's snapshot). */
export interface PlannedOperator {
  name: string;
  /** The operator's wire name, which is also the activity type. */
  type: string;
  queue: 'cpu' | 'io';
  /** Names of the operators whose rows it reads, or `name.branch` for a branch. */
  inputs: string[];
}

/** A section of the flow between two points that need all rows at once. */
export interface Stage {
  /** `row`: each part passes through the operators on its own. `table`: one activity over all parts. */
  scope: 'row' | 'table';
  operators: PlannedOperator[];
}

/** The plan that a run executes. Small and free of configuration, so that it can be a workflow argument. */
export interface Plan {
  sources: PlannedOperator[];
  stages: Stage[];
  batchSize: number;
  maxConcurrentBatches: number;
  failFast: boolean;
  /** The run ends after this many minutes; absent means no limit. */
  timeLimitMinutes?: number;
}

/** All operators of a plan: the sources, then those of the stages, in order. */
export function listOperators({ sources, stages }: Pick<Plan, 'sources' | 'stages'>): PlannedOperator[] {
  return [...sources, ...stages.flatMap(({ operators }) => operators)];
}

/** The operators without consumers; their rows are the final rows of a run. */
export function findFinalOperators(plan: Plan): string[] {
  const operators = plan.stages.flatMap((stage) => stage.operators);
  const names = new Set(operators.map(({ name }) => name));
  const producers = new Set(operators.flatMap(({ inputs }) => inputs.map((input) => getProducer(input, names))));
  return [...names].filter((name) => !producers.has(name));
}

/**
 * The operators that receive rows from these tables (of a source, or seeded at the start of a run). The others get none of the
 * parts.
 */
export function findReachable(plan: Plan, start: readonly string[]): Set<string> {
  const reached = new Set(start);
  for (const { name, inputs } of plan.stages.flatMap((stage) => stage.operators))
    if (inputs.some((input) => reached.has(getProducer(input, reached)))) reached.add(name);
  return reached;
}
