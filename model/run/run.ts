import type { Plan, PlannedOperator } from '../flow/plan';
import type { RowFailure } from '../flow/row';

/** All states of a job run. */
export const runStates = [
  'QUEUED',
  'STARTING',
  'RUNNING',
  'CANCELING',
  'CANCELED',
  'FAILED',
  'CRASHED',
  'COMPLETED',
  'COMPLETED_WITH_ERRORS',
  'COMPLETED_WITH_WARNINGS',
] as const;
export type RunState = (typeof runStates)[number];

/** The states that a run never leaves. */
export const finalStates: readonly RunState[] = [
  'CANCELED',
  'FAILED',
  'CRASHED',
  'COMPLETED',
  'COMPLETED_WITH_ERRORS',
  'COMPLETED_WITH_WARNINGS',
];

/** True when the run will not change any more. */
export function isFinal(state: RunState): boolean {
  return finalStates.includes(state);
}

/** Counts of one operator in one run. `in`, `out` are rows; `seconds` is the sum over parts, not wall time. */
export interface OperatorCounts {
  in: number;
  out: number;
  failed: number;
  skipped: number;
  seconds: number;
}

/** Counts of documents over a whole run. */
export interface RunTotals {
  documents: number;
  completed: number;
  failed: number;
  skipped: number;
  deleted: number;
  pages: number;
  /** Documents that the run was not shown, because somebody whom it acts for may not read them. */
  withheld?: number;
}

/** What one activity of an operator reports for one part: counts, and the first failures so that the Temporal UI explains them. */
export interface PartReport extends OperatorCounts {
  /** Distinct documents among the rows that came in; for a source those it hands on. */
  documents: number;
  /** At most 20; all of them are in the run's failure records. */
  failures: RowFailure[];
  warnings: string[];
  metrics: Record<string, number>;
  pages: number;
}

/**
 * A table of rows in the tables store, or one of `of` equal slices of it (`index` from 0). `by` names the source of the part,
 * for a table of an earlier stage: the slice then holds the rows of the documents in that slice of the source's table, so
 * that slices of several tables belong together; and a table that no document got to is empty.
 */
export interface PartRef {
  operator: string;
  part: string;
  slice?: { index: number; of: number };
  by?: string;
}

/** The argument of every operator activity: where to read, where to write, for whom. */
export interface OperatorCall {
  runId: string;
  /** The operator's name in the flow. */
  operator: string;
  inputs: PartRef[];
  /** The part to write; chosen by the workflow, so that a second attempt overwrites the first. */
  part: string;
  /** For an operator that needs all rows: its inputs by name, and how many parts each source made. */
  table?: { inputs: string[]; sources: { prefix: string; parts: number }[] };
}

/** What the ingest activity found. Its parts are named `partName(0, prefix)` to `partName(parts - 1, prefix)`. */
export interface IngestReport extends PartReport {
  parts: number;
  unchanged: number;
  changed: number;
  added: number;
  /** Documents of earlier runs that are no longer in the source. */
  gone: number;
  /** Documents that the run was not shown; absent in reports of earlier versions. */
  withheld?: number;
}

/** The name of the n-th part of a run: five digits, so that names sort. `prefix` tells several sources apart. */
export function partName(index: number, prefix = ''): string {
  return `${prefix}p${String(index).padStart(5, '0')}`;
}

/** Which part of an earlier run a run does again. */
export interface Rerun {
  /** The earlier run, whose tables are read. */
  run_id: string;
  /** `all`: from the source on. `failed`: the documents that failed. `operator`: from one operator on. */
  mode: 'all' | 'failed' | 'operator';
  /** With `failed`: ids of the failed documents that run again; absent means all of them. */
  documents?: string[];
  /** With `operator`: the first operator that runs again. */
  from_operator?: string;
  /** With `operator`: operators that do not run again and whose tables are taken over. */
  seeded?: string[];
}

/** The argument of the workflow `runFlow`. `progress` is what an earlier stretch of the same run hands over. */
export interface RunFlowInput {
  runId: string;
  jobId: string;
  flowName: string;
  plan: Plan;
  progress?: RunProgress;
  /** Set when the run begins from tables of an earlier run instead of listing its sources. */
  seed?: { operators: string[] };
}

/** Where a run stands between two stretches of its history. */
export interface RunProgress {
  /** Parts of each source, by the source's place in the plan. */
  parts: number[];
  stage: number;
  nextPart: number;
  totals: RunTotals;
  operators: Record<string, OperatorCounts>;
  /** Distinct, at most 50. */
  warnings: string[];
  /** At most 20, for the details in the Temporal UI. */
  failures: RowFailure[];
}

/** The argument of the workflow `runBatch`: one part through the operators of a stage. */
export interface RunBatchInput {
  runId: string;
  part: string;
  operators: PlannedOperator[];
  /** Operators of earlier stages and the source, whose tables of this part exist. */
  available: string[];
  /** The operator that made the part; set in the last stage, where the batch settles what became of its documents. */
  settle?: string;
  failFast: boolean;
}

/** What a batch reports: counts by operator, and what became of its documents when it settled them. */
export interface BatchReport {
  operators: Record<string, OperatorCounts>;
  documents: Pick<RunTotals, 'completed' | 'failed' | 'skipped'>;
  pages: number;
  warnings: string[];
  failures: RowFailure[];
}

/** The argument of the workflow `scheduledRun`: which flow to run, for whom. */
export interface ScheduledRunInput {
  scheduleId: string;
  flowId: string;
  owner: string;
  /** Groups of the owner when the schedule was made; absent in schedules of earlier versions. */
  groups?: string[];
  /** Laid over the flow's `global_config`. */
  configuration: Record<string, unknown>;
}

/** The argument of the workflow `sweep`: what an earlier stretch of the same sweep counted. */
export interface SweepReport {
  settled: number;
  runsCleared: number;
  jobsCleared: number;
}

/** What a run gives back; the first 20 failed documents with their reasons. */
export type RunOutcome = { state: RunState } & Pick<RunProgress, 'totals' | 'failures' | 'warnings'>;
