import type { PartRef, PartReport, RunFlowInput, RunState, RunTotals, ScheduledRunInput } from './run';

/** The activities that order and record a run; the operators' own activities carry the operators' names. All may run twice. */
export interface RunActivities {
  /** Waits (by retries) until no other open run holds the job. */
  acquire_job: (input: { runId: string; jobId: string }) => Promise<void>;
  /** Marks the run RUNNING. */
  open_run: (input: { runId: string }) => Promise<void>;
  /** Counts the rows of a piece and forgets what its operators reported, before it is done again in halves. */
  split_part: (input: { runId: string; part: string; inputs: PartRef[] }) => Promise<{ rows: number }>;
  /** Marks the documents of a piece failed, after every attempt on them broke the operator. */
  mark_broken: (input: BrokenPiece) => Promise<PartReport>;
  /** Notes in the ledger what became of the part's documents, and counts it. */
  settle_part: (input: {
    runId: string;
    source: PartRef;
  }) => Promise<Pick<RunTotals, 'completed' | 'failed' | 'skipped'>>;
  /** Removes what went away from the source, writes totals and the final state, gives the job up. */
  finish_run: (input: FinishedRun) => Promise<{ state: RunState; totals: RunTotals }>;
  /** Takes the tables that a run begins from over from the earlier run that it does again. */
  seed_run: (input: { runId: string }) => Promise<SeededRun>;
  /** Makes the run of a due schedule, once per `key`; without `run` while `holder`, another run of the job, is not finished. */
  make_scheduled_run: (input: ScheduledRunInput & { key: string }) => Promise<ScheduledStart>;
  /** Settles runs whose workflow ended without saying so; `next` is where to go on, absent at the end. */
  settle_runs: (input: { after: string }) => Promise<{ settled: number; next?: string }>;
  /**
   * Removes tables of runs, converted documents of jobs, conversion tasks and graphs whose time is over, and settles the tasks and graphs
   * whose workflow ended; `more` when some are left.
   */
  remove_expired: (input: Record<string, never>) => Promise<{ runs: number; jobs: number; more: boolean }>;
}

/** Parts of each source that a seeded run begins with, by the source's place in the plan. */
export interface SeededRun {
  parts: number[];
  documents: number;
  warnings: string[];
}

/** What the workflow of a schedule needs to start the run as its child. */
export interface ScheduledStart {
  run?: RunFlowInput;
  holder?: string;
  summary?: string;
  searchAttributes?: Record<string, string[]>;
}

/** A piece whose operator failed although it could not be made smaller. */
export interface BrokenPiece {
  runId: string;
  part: string;
  inputs: PartRef[];
  operator: string;
  type: string;
  code: string;
  message: string;
}

/** What the workflow knows at its end. */
export interface FinishedRun {
  runId: string;
  jobId: string;
  state: RunState;
  message: string;
  totals: RunTotals;
  warnings: string[];
}
