import type { PartRef, PartReport, RunState, RunTotals } from '../model/run';

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
