import type { RunsStore } from './run-record';

/** Statistics of a run in addition to its record: reports of parts, failed and skipped documents, results. */
export interface RunStats extends Pick<
  RunsStore,
  | 'recordPart'
  | 'findPartReport'
  | 'forgetPart'
  | 'recordProgress'
  | 'findOutcomes'
  | 'readOperatorStats'
  | 'listDocuments'
  | 'recordResults'
  | 'iterateResults'
  | 'countSettled'
  | 'iterateParts'
  | 'readPartFacts'
> {
  /** Deletes all statistics of the run. */
  removeStats(runId: string): Promise<void>;
  close(): Promise<void>;
}
