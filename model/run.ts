import type { RowFailure } from './row';

/** All states of a job run. */
export const runStates = [
  'QUEUED', 'STARTING', 'RUNNING', 'CANCELING', 'CANCELED', 'FAILED', 'CRASHED',
  'COMPLETED', 'COMPLETED_WITH_ERRORS', 'COMPLETED_WITH_WARNINGS',
] as const;
export type RunState = (typeof runStates)[number];

/** The states that a run never leaves. */
export const finalStates: readonly RunState[] = ['CANCELED', 'FAILED', 'CRASHED', 'COMPLETED', 'COMPLETED_WITH_ERRORS', 'COMPLETED_WITH_WARNINGS'];

/** True when the run will not change any more. */
export function isFinal(state: RunState): boolean {
  return finalStates.includes(state);
}

/** Counts of one operator in one run. `in`, `out` are rows; `seconds` is the sum over parts, not wall time. */
export interface OperatorCounts {
  in: number;
  out: number;
  failed: number;
  skipped: number;
  seconds: number;
}

/** Counts of documents over a whole run. */
export interface RunTotals {
  documents: number;
  completed: number;
  failed: number;
  skipped: number;
  deleted: number;
  pages: number;
}

/** What one activity of an operator reports for one part: counts, and the first failures so that the Temporal UI explains them. */
export interface PartReport extends OperatorCounts {
  /** At most 20; all of them are in the run's failure records. */
  failures: RowFailure[];
  warnings: string[];
  metrics: Record<string, number>;
  pages: number;
}

/** A table of rows in the tables store, or a range of its rows (`from` inclusive, `to` exclusive). */
export interface PartRef {
  operator: string;
  part: string;
  from?: number;
  to?: number;
}

/** The argument of every operator activity: where to read, where to write, for whom. */
export interface OperatorCall {
  runId: string;
  /** The operator's name in the flow. */
  operator: string;
  inputs: PartRef[];
  /** The part to write; chosen by the workflow, so that a second attempt overwrites the first. */
  part: string;
}

/** What the ingest activity found. Parts are named `partName(0)` to `partName(parts - 1)`. */
export interface IngestReport extends PartReport {
  parts: number;
  rowsPerPart: number[];
  unchanged: number;
  changed: number;
  added: number;
  /** Documents of earlier runs that are no longer in the source. */
  gone: number;
}

/** The name of the n-th part of a run: five digits, so that names sort. */
export function partName(index: number): string {
  return `p${String(index).padStart(5, '0')}`;
}
