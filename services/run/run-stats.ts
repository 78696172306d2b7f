import type { RunsStore } from './run-record';

/** Statistics of a run in addition to its record: reports of parts, failed and skipped documents, results. */
export interface RunStats extends Pick<
  RunsStore,
  | 'recordPart'
  | 'partReport'
  | 'forgetPart'
  | 'recordProgress'
  | 'outcomes'
  | 'operatorStats'
  | 'documents'
  | 'recordResults'
  | 'results'
  | 'settledCounts'
  | 'parts'
  | 'partFacts'
> {
  /** Deletes all statistics of the run. */
  removeStats(runId: string): Promise<void>;
  close(): Promise<void>;
}
