import type { ErrorCategory, TaskFailure, TaskMeta } from './task';

/** Argument of the workflow of a task. Everything else stands in the task's record. */
export interface ConvertInput {
  taskId: string;
}

/** Argument of the workflow of a part of a large task: documents from `from` to `to`, exclusive. */
export interface ConvertPartInput {
  taskId: string;
  plan: ConvertPlan;
  from: number;
  to: number;
}

/** What a workflow needs to know of its task. */
export interface ConvertPlan {
  /** Set when the task has ended already: nothing is to be done. */
  over?: true;
  /** Set when a bucket must be listed before the number of documents is known. */
  listing?: true;
  /** The process that began the task; it need not ask whether its documents were converted before. */
  freshFor?: string;
  documents: number;
  /** One character per document: `1` for a small one, which is converted inside the workflow's own worker at once. */
  light: string;
  abortOnError: boolean;
  callbacks: boolean;
  /** True when the result is to be sent somewhere. */
  deliver: boolean;
  /** True when a task that has written nothing has failed. */
  needsOutput: boolean;
  /** Why nothing that was asked for can be written. */
  impossible?: string;
}

/** What became of one document, as short as a history should have it. */
export interface DocumentOutcome {
  index: number;
  status: 'success' | 'partial_success' | 'skipped' | 'failure';
  /** Of documents that failed. */
  message?: string;
  category?: ErrorCategory;
}

/** Counts and the first failures of a part of a task. */
export interface ConvertProgress {
  counts: TaskMeta;
  /** The first few documents that failed, for the message of the task. */
  failures: DocumentOutcome[];
  /** Documents in the order in which they were done. */
  done: number[];
}

/** What a workflow hands over at its end. */
export interface ConvertEnd {
  taskId: string;
  state: 'success' | 'failure';
  counts?: TaskMeta;
  message?: string;
  failure?: TaskFailure;
}

/** What callbacks are told, in this order. */
export type CallbackEvent =
  | { kind: 'set_num_docs'; total: number }
  /** `before`: how many were done before the first of these. */
  | { kind: 'document_completed'; indexes: number[]; before: number; total: number }
  | { kind: 'update_processed' }
  | { kind: 'task_completed' };
