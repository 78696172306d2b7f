import type { RunsStore } from './run-record';

/** What is kept of the work of a run beside its record: reports of parts, failed and skipped documents, results. */
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
  /** Forgets everything of the run. */
  removeStats(runId: string): Promise<void>;
  close(): Promise<void>;
}
