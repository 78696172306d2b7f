import type { PartRef, PartReport, RunFlowInput, RunState, RunTotals, ScheduledRunInput } from './run';

/**
 * The activities that control and record a run. Operator activities have the names of their operators. All are safe to run twice.
 */
export interface RunActivities {
  /** Waits (by retrying) until no other open run holds the job. */
  acquire_job: (input: { runId: string; jobId: string }) => Promise<void>;
  /** Marks the run RUNNING. */
  open_run: (input: { runId: string }) => Promise<void>;
  /** Counts the rows of a piece and deletes the reports of its operators, before the piece is split and processed in halves. */
  split_part: (input: { runId: string; part: string; inputs: PartRef[] }) => Promise<{ rows: number }>;
  /** Marks the documents of a piece as failed, after every attempt crashed the operator. */
  mark_broken: (input: BrokenPiece) => Promise<PartReport>;
  /** Records the outcome of the part's documents in the ledger and counts them. */
  settle_part: (input: {
    runId: string;
    source: PartRef;
  }) => Promise<Pick<RunTotals, 'completed' | 'failed' | 'skipped'>>;
  /** Removes documents that were deleted from the source, writes totals and the final state, releases the job. */
  finish_run: (input: FinishedRun) => Promise<{ state: RunState; totals: RunTotals }>;
  /** Copies the input tables from the run being repeated. */
  seed_run: (input: { runId: string }) => Promise<SeededRun>;
  /** Creates the run of a due schedule, once per `key`. Without `run`, the job is still held by the unfinished run `holder`. */
  make_scheduled_run: (input: ScheduledRunInput & { key: string }) => Promise<ScheduledStart>;
  /** Settles runs whose workflow ended without a final state. `next` is the position to continue from, absent at the end. */
  settle_runs: (input: { after: string }) => Promise<{ settled: number; next?: string }>;
  /**
   * Removes expired run tables, converted documents, conversion tasks and graphs, and settles tasks and graphs whose workflow has
   * ended. `more` is true when some are left.
   */
  remove_expired: (input: Record<string, never>) => Promise<{ runs: number; jobs: number; more: boolean }>;
}

/** Number of parts per source that a seeded run starts with, indexed by the source's position in the plan. */
export interface SeededRun {
  parts: number[];
  documents: number;
  warnings: string[];
}

/** The data that the workflow of a schedule needs to start the run as its child. */
export interface ScheduledStart {
  run?: RunFlowInput;
  /** The id of its workflow; the id of the run where it is absent. */
  workflowId?: string;
  holder?: string;
  summary?: string;
  /** Facts about the run in the list of the Temporal UI. */
  memo?: Record<string, string>;
  searchAttributes?: Record<string, string[]>;
}

/** A piece whose operator failed although it could not be split any further. */
export interface BrokenPiece {
  runId: string;
  part: string;
  inputs: PartRef[];
  operator: string;
  type: string;
  code: string;
  message: string;
}

/** The final report of the workflow. */
export interface FinishedRun {
  runId: string;
  jobId: string;
  state: RunState;
  message: string;
  totals: RunTotals;
  warnings: string[];
}
