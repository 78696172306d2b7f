import type { User } from '../../model/access';
import type { FlowDefinition } from '../../model/flow/flow';
import type { Plan } from '../../model/flow/plan';
import type { RowFailure } from '../../model/flow/row';
import type { PagesOfDocuments } from '../../model/page/page-count';
import type { RunRights } from '../../model/run/rights';
import type { PartReport, Rerun, RunState, RunTotals, Sample } from '../../model/run/run';
import type { RunWait } from '../../model/run/run-waits';
import type { OperatorReport } from '../../model/run/wire';
import type { RunPart, RunQuery, RunResult, SettledResult } from './facts';

/** The record of a job run, as shown by the API and kept after the workflow has ended. */
export interface RunRecord {
  job_run_id: string;
  job_id: string;
  flow_id: string;
  flow_name: string;
  project_id: string | null;
  owner: string;
  status: RunState;
  message: string;
  warnings: string[];
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  totals: RunTotals;
  metadata: Record<string, string>;
  /** The flow at the time the run was created, with the run parameters merged in, and its plan. */
  snapshot: { flow: FlowDefinition; plan: Plan; plan_hash: string };
  /** Chosen by the client. A second run of the same owner with the same key is not created. */
  idempotency_key?: string;
  /** Hash of the request that used the key. A different request with the same key is rejected. */
  request_hash?: string;
  /** The people for whom the run acts. Absent in records of earlier versions. */
  acting?: RunRights;
  /** Set if the run repeats an earlier one. */
  rerun?: Rerun;
  /** Set if the run only tries the flow on some documents. */
  sample?: Sample;
  /** Set if the person who started the run confirmed that its source may be empty. */
  empty_source_confirmed?: true;
  /** What its operators wait for; absent when there is nothing, and once the run has ended. */
  waiting?: RunWait[];
  /** The id of its workflow in Temporal; absent where that is the id of the run. */
  workflow_id?: string;
  /** When retention removed the tables of the run. */
  tables_removed_at?: string;
}

/** A run in a list, without the flow that it executes. */
export type RunFacts = Omit<RunRecord, 'snapshot' | 'metadata'>;

/** Counts of an operator of a run, summed over its parts, also those that are still running. */
export type OperatorStats = OperatorReport;

/** Finished documents of a running part, and the pages of those that are being converted. */
export interface LiveProgress {
  documents: number;
  pages?: PagesOfDocuments;
}

/** A failed or skipped document of a run. */
export interface RunDocument extends RowFailure {
  operator: string;
  outcome: 'failed' | 'skipped';
}

/** Run records. A record that is final never changes again. */
export interface RunRecords {
  /** Stores the run and returns it, or returns the earlier run of the same owner with the same idempotency key. */
  create(run: RunRecord): Promise<RunRecord>;
  get(runId: string): Promise<RunRecord | undefined>;
  list(user: User, query: RunQuery): Promise<{ items: RunFacts[]; total: number }>;
  /** The whole records of the runs of a job, newest first. */
  listOfJob(jobId: string, page: { limit: number; offset: number }): Promise<RunRecord[]>;
  /** Sets fields unless the record is already final; returns the resulting record. */
  update(
    runId: string,
    change: Partial<Pick<RunRecord, 'status' | 'message' | 'warnings' | 'started_at' | 'ended_at' | 'totals'>>,
  ): Promise<RunRecord | undefined>;
  /** Records that an operator waits with a part, or without `wait` that it no longer does. The latest call counts. */
  recordWait(
    runId: string,
    who: Pick<RunWait, 'operator' | 'part'>,
    wait?: Omit<RunWait, 'operator' | 'part'>,
  ): Promise<void>;
  remove(runId: string): Promise<void>;
  /** Up to `limit` runs that are not final and were created before `before`, oldest first. */
  listOpenRuns(before: string, limit: number, after?: string): Promise<RunRecord[]>;
  /** Up to `limit` final runs that ended before `before` and still have their tables. */
  listExpiredRuns(before: string, limit: number): Promise<RunRecord[]>;
  /** Records that the tables of a run were removed. */
  noteTablesRemoved(runId: string, at: string): Promise<void>;
  /** Whether a run of the job is not final or still has tables. */
  isJobInUse(jobId: string): Promise<boolean>;
  /** Whether a run of the job that was made before is not final. */
  isJobActive(jobId: string, before: string): Promise<boolean>;
}

/** The result of an operator for one part. `pages` are the pages of each document that it converted. */
export interface PartResult {
  report: PartReport;
  documents: RunDocument[];
  times: { started: string; ended: string; pages?: Record<string, number> };
}

/** Reports of activities, one per part of a run. Writes are keyed, so repeating an activity changes nothing. */
export interface PartReports {
  /** Stores the report of an operator for a part, replacing an earlier one for the same part. */
  recordPart(runId: string, operator: { name: string; type: string }, part: string, result: PartResult): Promise<void>;
  /** The report of that part, if there is one, so that a repeated activity can skip the work. */
  findPartReport(runId: string, operator: string, part: string): Promise<PartReport | undefined>;
  /** Deletes the reports and documents of a part and of its halves, before it is repeated in halves. */
  forgetPart(runId: string, part: string): Promise<void>;
  /** Records what is done of a running part; the final report replaces this. */
  recordProgress(
    runId: string,
    operator: { name: string; type: string },
    part: string,
    progress: LiveProgress,
  ): Promise<void>;
  /** Outcomes of these documents in this run, by document id; successful documents are absent. */
  findOutcomes(runId: string, ids: readonly string[]): Promise<Map<string, RunDocument>>;
  readOperatorStats(runId: string): Promise<OperatorStats[]>;
  listDocuments(
    runId: string,
    query: { limit: number; offset: number; outcome?: 'failed' | 'skipped' },
  ): Promise<{ items: RunDocument[]; total: number }>;
  /** Reports of all parts, in the order of operators and parts. */
  iterateParts(runId: string): AsyncIterable<RunPart>;
  /** Total seconds that operators spent on a part and its halves, and pages by document id. */
  readPartFacts(runId: string, part: string): Promise<{ seconds: number; pages: Record<string, number> }>;
}

/** The outcome of every document of a run. Writes are keyed by part. */
export interface RunResults {
  /** Stores the outcome of each document of a part, replacing earlier ones for the same part. */
  recordResults(runId: string, part: string, results: readonly RunResult[]): Promise<void>;
  /** The outcome of every document so far, part by part. */
  iterateResults(runId: string): AsyncIterable<SettledResult>;
  /** Counts of `iterateResults`, without documents that the source skipped as unchanged. */
  countSettled(runId: string): Promise<{ completed: number; failed: number; skipped: number }>;
}

/** Locks on jobs: only one run at a time may hold the lock of its job. */
export interface JobLocks {
  /** Locks the job for this run. `acquired` is false while another unfinished run, the `holder`, has the lock. Idempotent. */
  acquireJob(jobId: string, runId: string): Promise<{ acquired: boolean; holder: string }>;
  /** Releases the lock if this run holds it. */
  releaseJob(jobId: string, runId: string): Promise<void>;
  /** Takes over the lock from a run that ended without releasing it. */
  replaceHolder(jobId: string, holder: string, runId: string): Promise<boolean>;
}

/** Everything that is stored about runs. */
export interface RunsStore extends RunRecords, PartReports, RunResults, JobLocks {}
