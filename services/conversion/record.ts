import {
  isFinalTask,
  type TaskDescriptor,
  type TaskFailure,
  type TaskMeta,
  type TaskState,
} from '../../model/conversion/task/task';
import type { Callback } from '../../model/conversion/request/sources';
import type { DocumentResult, NewConversionTask } from './ports';

/** What a task is kept as. `request` holds keys and headers of others, so it goes when the task ends. */
export interface TaskRecord {
  _id: string;
  tenant: string;
  task_type: NewConversionTask['task_type'];
  state: TaskState;
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
  /** Final once the task has ended. */
  counts: TaskMeta;
  /** What each process has done so far. */
  progress?: Record<string, DoneCounts>;
  error_message: string | null;
  failure: TaskFailure | null;
  /** Facts that a result needs after `request` is gone. */
  target: NewConversionTask['target']['kind'];
  packaging: 'inbody' | 'archive' | 'remote';
  include_converted_doc: boolean;
  chunking: NewConversionTask['chunking'] | null;
  /** Sources were listed: they stand for this many documents. Null before a bucket was listed. */
  documents: number | null;
  /** True when a source stands for many documents. */
  expandable: boolean;
  request?: NewConversionTask;
  /** Who is told; forgotten after the last event. */
  callbacks: readonly Callback[];
  /** Prefixes of the uploads, which go when the task ends. */
  uploads: string[];
  /** How often documents were begun that had been begun before, by index. */
  attempts?: Record<string, number>;
  idempotency_key?: string;
  request_hash?: string;
}

/** Documents that are done. */
export interface DoneCounts {
  succeeded: number;
  partial: number;
  failed: number;
}

/** A record without what only the worker needs. */
export type TaskSummary = Omit<TaskRecord, 'request' | 'attempts'>;

/** What one document of a task gave, as it is kept; `_id` is `<task>/<index>`. */
export interface DocumentRecord extends DocumentResult {
  _id: string;
  task: string;
  /** Of the bytes, as digits: it has 64 bits. */
  hash: string | null;
  characters: number;
  tables: number;
  pictures: number;
}

/** A document before it is kept. */
export type NewDocumentRecord = Omit<DocumentRecord, '_id' | 'task'>;

/** Counts of a task of which no document is done. */
export function emptyCounts(documents: number): TaskMeta {
  return { num_docs: documents, num_processed: 0, num_succeeded: 0, num_partially_succeeded: 0, num_failed: 0 };
}

/** Counts of what is done: those of the workflow at the end, before that those that the processes noted. */
export function settledCounts({ state, counts, progress }: TaskSummary): TaskMeta {
  if (state === 'success' || !progress || counts.num_processed > 0) return counts;
  const sum = (name: keyof DoneCounts) => Object.values(progress).reduce((total, done) => total + done[name], 0);
  const [succeeded, partial, failed] = [sum('succeeded'), sum('partial'), sum('failed')];
  return {
    num_docs: counts.num_docs,
    num_processed: succeeded + partial + failed,
    num_succeeded: succeeded,
    num_partially_succeeded: partial,
    num_failed: failed,
  };
}

/** What clients see of a task. `position` counts while it is pending. */
export function describeTask(task: TaskSummary, position: number): TaskDescriptor {
  return {
    task_id: task._id,
    task_type: task.task_type,
    task_status: task.state,
    task_position: task.state === 'pending' ? position : null,
    task_meta: settledCounts(task),
    error_message: task.error_message,
    failure: task.failure,
  };
}

/** How the contents of a result were written: one document for the body of an answer, several for an archive. */
export function packagingOf(
  request: Pick<NewConversionTask, 'target' | 'sources' | 'task_type'>,
): 'inbody' | 'archive' | 'remote' {
  const { kind } = request.target;
  if (kind === 's3' || kind === 'presigned_url') return 'remote';
  if (kind === 'zip' || kind === 'put') return 'archive';
  return request.task_type === 'chunk' || request.sources.length === 1 ? 'inbody' : 'archive';
}

/** True when a task may still change. */
export function isOpen(task: TaskSummary): boolean {
  return !isFinalTask(task.state);
}
