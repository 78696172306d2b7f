import type { PartReport, RunState } from '../../model/run/run';

/** What of a run is kept for the report of one document, written when its part is settled. */
export interface RunResult {
  id: string;
  name: string;
  status: 'Completed' | 'Failed' | 'Skipped';
  reason: string;
  /** ISO 8601. */
  time: string;
  pages: number;
  /** The document's equal share of what the operators took for its part. */
  seconds: number;
}

/** What one operator reports of one part; `report` is absent while it works. */
export interface RunPart {
  operator: string;
  part: string;
  report?: PartReport;
  started_at: string;
  ended_at: string | null;
}

/** Which runs a list holds. `everyone` is for administrators; else only those of the user. Times count `created_at`. */
export interface RunQuery {
  limit: number;
  offset: number;
  everyone?: boolean;
  owner?: string;
  jobId?: string;
  flowId?: string;
  projectId?: string;
  status?: RunState;
  createdFrom?: string;
  createdTo?: string;
}
