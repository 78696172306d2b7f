import type { Plan, PlannedOperator } from '../flow/plan';
import type { RowFailure } from '../flow/row';

/** Failures and warnings that a report carries, the first ones; the run's record of documents has all. */
export const maxReportedFailures = 20;
export const maxReportedWarnings = 50;

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

/** The final states of a run. */
export const finalStates: readonly RunState[] = [
  'CANCELED',
  'FAILED',
  'CRASHED',
  'COMPLETED',
  'COMPLETED_WITH_ERRORS',
  'COMPLETED_WITH_WARNINGS',
];

/** True when the state can no longer change. */
export function isFinal(state: RunState): boolean {
  return finalStates.includes(state);
}

/** Counts of one operator in one run. `in` and `out` are rows; `seconds` is the sum over parts, not wall time. */
export interface OperatorCounts {
  in: number;
  out: number;
  failed: number;
  skipped: number;
  seconds: number;
}

/** Document counts of a whole run. */
export interface RunTotals {
  documents: number;
  completed: number;
  failed: number;
  skipped: number;
  deleted: number;
  pages: number;
  /** Documents hidden from the run, because somebody for whom it acts may not read them. */
  withheld?: number;
}

/** Report of one operator activity for one part: counts, and the first failures for display in the Temporal UI. */
export interface PartReport extends OperatorCounts {
  /** Distinct documents among the input rows; for a source, the documents it emits. */
  documents: number;
  /** At most 20; the run's failure records contain all. */
  failures: RowFailure[];
  warnings: string[];
  metrics: Record<string, number>;
  pages: number;
}

/**
 * A table of rows in the table store, or one of `of` equal slices of it (`index` from 0). `by` names the source of the part, for
 * a table of an earlier stage. The slice then contains the rows of the documents in that slice of the source's table, so that
 * slices of several tables match; a table that received no documents is empty.
 */
export interface PartRef {
  operator: string;
  part: string;
  slice?: { index: number; of: number };
  by?: string;
}

/** Argument of every operator activity: its inputs and outputs, and the users for whom it acts. */
export interface OperatorCall {
  runId: string;
  /** The operator's name in the flow. */
  operator: string;
  inputs: PartRef[];
  /** The part to write. Chosen by the workflow, so that a second attempt overwrites the first. */
  part: string;
  /** For an operator that needs all rows: the names of its inputs, and the number of parts of each source. */
  table?: { inputs: string[]; sources: { prefix: string; parts: number }[] };
}

/** Result of the ingest activity. Its parts are named `buildPartName(0, prefix)` to `buildPartName(parts - 1, prefix)`. */
export interface IngestReport extends PartReport {
  parts: number;
  unchanged: number;
  changed: number;
  added: number;
  /** Documents of earlier runs that are no longer in the source. */
  gone: number;
  /** Documents hidden from the run; absent in reports of earlier versions. */
  withheld?: number;
}

/** The name of the n-th part of a run, with five digits so that names sort. `prefix` distinguishes several sources. */
export function buildPartName(index: number, prefix = ''): string {
  return `${prefix}p${String(index).padStart(5, '0')}`;
}

/** The part of an earlier run to repeat. */
export interface Rerun {
  /** The earlier run whose tables are read. */
  run_id: string;
  /**
   * `all`: everything from the source. `failed`: the failed documents. `chosen`: some documents, whatever became of them.
   * `operator`: from one operator onwards.
   */
  mode: 'all' | 'failed' | 'chosen' | 'operator';
  /** With `failed`: ids of the failed documents to repeat; absent means all. With `chosen`: ids of the documents. */
  documents?: string[];
  /** With `operator`: the first operator to run again. */
  from_operator?: string;
  /** With `operator`: operators that do not run again, whose tables are copied. */
  seeded?: string[];
}

/** A run that tries a flow on some documents: it writes no index, no set and no ledger. */
export interface Sample {
  /** The maximum number of documents, divided among the sources. */
  documents: number;
}

/** The argument of the workflow `runFlow`. `progress` comes from the previous continue-as-new execution of the same run. */
export interface RunFlowInput {
  runId: string;
  jobId: string;
  flowName: string;
  plan: Plan;
  progress?: RunProgress;
  /** Set when the run starts from tables of an earlier run instead of listing its sources. */
  seed?: { operators: string[] };
  /** True for runs whose workflows show counts as search attributes; absent in histories of earlier versions. */
  showsCounts?: boolean;
  /** True for runs whose batches are named `…/batch-02`; absent in histories of earlier versions. */
  readableIds?: boolean;
}

/** A service that an operator waits for. */
export interface Waiting {
  operator: string;
  part: string;
  /** The error code, such as SEARCH_CONNECTION_FAILED. */
  code: string;
  /** ISO 8601. */
  since: string;
  /** When the activity gives up, ISO 8601. Absent if it waits without limit. */
  until?: string;
}

/** Progress of a run, passed on at continue-as-new. */
export interface RunProgress {
  /** Number of parts per source, indexed by the source's position in the plan. */
  parts: number[];
  stage: number;
  nextPart: number;
  totals: RunTotals;
  operators: Record<string, OperatorCounts>;
  /** Distinct, at most 50. */
  warnings: string[];
  /** At most 20, for the details in the Temporal UI. */
  failures: RowFailure[];
  /** Reasons why operators wait; absent while none does. */
  waiting?: Waiting[];
  isPaused?: boolean;
  /** The counts last written to search attributes. */
  shown?: { documents: number; failed: number };
  /** How many batches run at the same time; absent means as many as in the plan. */
  concurrency?: number;
  /** Batches of this stage that have failed documents, the first 50, so that they can be repeated. */
  failedBatches?: FailedBatch[];
  /** Positions of the batches that are repeated next. */
  retries?: number[];
}

/** A batch with failed documents. */
export interface FailedBatch {
  /** Its position among the batches of the stage. */
  index: number;
  /** How often it was repeated. */
  retries: number;
  /** The part that it contributed to the counts of the run. */
  report: BatchReport;
}

/** The argument of the workflow `runBatch`, which passes one part through the operators of a stage. */
export interface RunBatchInput {
  runId: string;
  part: string;
  operators: PlannedOperator[];
  /** The source and the operators of earlier stages whose tables of this part exist. */
  available: string[];
  /** The operator that created the part. Set in the last stage, where the batch records the outcome of its documents. */
  settle?: string;
  failFast: boolean;
  showsCounts?: boolean;
}

/** Report of a batch: counts by operator, and the outcome of its documents if it settled them. */
export interface BatchReport {
  operators: Record<string, OperatorCounts>;
  documents: Pick<RunTotals, 'completed' | 'failed' | 'skipped'>;
  pages: number;
  warnings: string[];
  failures: RowFailure[];
}

/** The argument of the workflow `scheduledRun`: the flow to run and its owner. */
export interface ScheduledRunInput {
  scheduleId: string;
  flowId: string;
  owner: string;
  /** Groups of the owner when the schedule was created; absent in schedules of earlier versions. */
  groups?: string[];
  /** Only in schedules of earlier versions: merged into `global_config`. Newer schedules keep it in their record. */
  configuration?: Record<string, unknown>;
}

/** The argument of the workflow `sweep`: counts from the previous continue-as-new execution of the same sweep. */
export interface SweepReport {
  settled: number;
  runsCleared: number;
  jobsCleared: number;
}

/** The result of a run: what came of it in lines for people, and the first 20 failed documents with their reasons. */
export type RunOutcome = { summary: string[]; state: RunState } & Pick<RunProgress, 'totals' | 'failures' | 'warnings'>;
