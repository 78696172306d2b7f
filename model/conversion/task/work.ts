import type { ErrorCategory, TaskFailure, TaskMeta } from './task';

/** Argument of the task workflow. Everything else is stored in the task record. */
export interface ConvertInput {
  /** The key of the task, which opens nothing; see `getTaskKey`. */
  taskId: string;
  /** Outcome and counts are written to search attributes; absent in workflows that an earlier version started. */
  showsCounts?: boolean;
}

/** Argument of the workflow for one part of a large task: documents `from` (inclusive) to `to` (exclusive). */
export interface ConvertPartInput {
  taskId: string;
  plan: ConvertPlan;
  from: number;
  to: number;
  showsCounts?: boolean;
}

/** The facts about a task that its workflow needs. */
export interface ConvertPlan {
  /** Set when the task has already ended and there is nothing to do. */
  over?: true;
  /**
   * The outcome of a task that ended with this plan. Failure messages are hidden from Temporal under the name of this member.
   */
  counts?: TaskMeta;
  failures?: DocumentOutcome[];
  /** Set when a bucket must be listed before the number of documents is known. */
  listing?: true;
  /** The process that began the task; it need not check whether documents were converted before. */
  freshFor?: string;
  documents: number;
  /** One character per document: `1` for a small document, which the workflow's own worker converts immediately. */
  light: string;
  abortOnError: boolean;
  callbacks: boolean;
  /** True when the result must be sent to a target. */
  deliver: boolean;
  /** True when a task that has written nothing counts as failed. */
  needsOutput: boolean;
  /** Why none of the requested output can be written. */
  impossible?: string;
}

/** Result of one document, kept short because it is part of the workflow history. */
export interface DocumentOutcome {
  index: number;
  status: 'success' | 'partial_success' | 'skipped' | 'failure';
  /** For failed documents. */
  message?: string;
  category?: ErrorCategory;
}

/** Counts and first failures: the result of a workflow. */
export interface ConvertReport {
  counts: TaskMeta;
  /** The first few failed documents, also for the error message of the task. */
  failures: DocumentOutcome[];
}

/** The progress of one part of a task. */
export interface ConvertProgress extends ConvertReport {
  /** Indexes of documents in the order they finished. */
  done: number[];
}

/** Final report of a workflow. */
export interface ConvertEnd {
  taskId: string;
  state: 'success' | 'failure';
  counts?: TaskMeta;
  message?: string;
  failure?: TaskFailure;
}

/** Events sent to callbacks, in this order. */
export type CallbackEvent =
  | { kind: 'set_num_docs'; total: number }
  /** `before`: the number of documents finished before the first of these. */
  | { kind: 'document_completed'; indexes: number[]; before: number; total: number }
  | { kind: 'update_processed' }
  | { kind: 'task_completed' };
