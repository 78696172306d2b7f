import type { PartReport, RunState } from '../../model/run/run';

/** The result of one document in the report of a run, written when its part is settled. */
export interface RunResult {
  id: string;
  name: string;
  status: 'Completed' | 'Failed' | 'Skipped';
  reason: string;
  /** ISO 8601. */
  time: string;
  pages: number;
  /** The document's equal share of the time that operators spent on its part. */
  seconds: number;
}

/** A result together with the part in which it was recorded. */
export interface SettledResult extends RunResult {
  part: string;
}

/** The report of one operator on one part. `report` is absent while the operator works. */
export interface RunPart {
  operator: string;
  part: string;
  report?: PartReport;
  started_at: string;
  ended_at: string | null;
}

/**
 * Filter of a list of runs. `everyone` is set for administrators; otherwise only the user's runs and those of `projectIds` are
 * listed. Times refer to `created_at`.
 */
export interface RunQuery {
  limit: number;
  offset: number;
  everyone?: boolean;
  /** All runs of these projects are listed in addition to the user's. */
  projectIds?: readonly string[];
  owner?: string;
  jobId?: string;
  flowId?: string;
  projectId?: string;
  /** Any of these. */
  statuses?: readonly RunState[];
  /** Part of the name of the flow, in any letter case. */
  flowName?: string;
  createdFrom?: string;
  createdTo?: string;
  /** Only sample runs, or none. */
  isSample?: boolean;
  /** Only runs that wait for an unavailable server, or none. */
  isWaiting?: boolean;
  /** Default: newest first. */
  sort?: { field: RunSortField; descending: boolean };
}

/** The members by which runs can be sorted. */
export const runSortFields = ['created_at', 'started_at', 'ended_at', 'flow_name', 'status'] as const;
export type RunSortField = (typeof runSortFields)[number];
