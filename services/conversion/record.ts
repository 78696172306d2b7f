import { isBucket } from '../../model/conversion/request/sources';
import type { Callback } from '../../model/conversion/request/sources';
import {
  isFinalTask,
  type ListedTask,
  type TaskDescriptor,
  type TaskFailure,
  type TaskMeta,
  type TaskState,
} from '../../model/conversion/task/task';
import { type PageCount, sumPages } from '../../model/page/page-count';
import type { DocumentResult, NewConversionTask } from './ports';
import { getClientTaskId } from './task-ids';

/** The stored form of a task. `request` contains API keys and headers of callers, so it is deleted when the task ends. */
export interface TaskRecord {
  /** The key of the task. In records of earlier versions, the id that clients have. */
  _id: string;
  /** The id that clients have. Absent in records of earlier versions. */
  task_id?: string;
  /** Absent in records of earlier versions, and where Temporal must hold no names. */
  workflow_id?: string;
  tenant: string;
  task_type: NewConversionTask['task_type'];
  /** The first file, or the place of the first source. Absent in records of earlier versions. */
  name?: string;
  state: TaskState;
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
  /** Final once the task has ended. */
  counts: TaskMeta;
  /** Counts of finished documents, by process. */
  progress?: Record<string, DoneCounts>;
  /** Pages of the documents that are being read, by index. */
  reading?: Record<string, PageCount>;
  error_message: string | null;
  failure: TaskFailure | null;
  /** The members from here on are needed for the result after `request` is deleted. */
  target: NewConversionTask['target']['kind'];
  packaging: 'inbody' | 'archive' | 'remote';
  include_converted_doc: boolean;
  chunking: NewConversionTask['chunking'] | null;
  /** Number of documents in all sources; null until the buckets are listed. */
  documents: number | null;
  /** True when a source may contain many documents: a bucket, or an archive that is to be opened. */
  expandable: boolean;
  request?: NewConversionTask;
  /** Addresses to notify; deleted after the last event. */
  callbacks: readonly Callback[];
  /** Key prefixes of the uploads, which are deleted when the task ends. */
  uploads: string[];
  /** Number of repeated starts of each document, by index. */
  attempts?: Record<string, number>;
  idempotency_key?: string;
  request_hash?: string;
}

/** Counts of finished documents. */
export interface DoneCounts {
  succeeded: number;
  partial: number;
  failed: number;
}

/** A record without the members that only the worker needs. */
export type TaskSummary = Omit<TaskRecord, 'request' | 'attempts'>;

/** The stored result of one document of a task; `_id` is `<task>/<index>`. */
export interface DocumentRecord extends DocumentResult {
  _id: string;
  task: string;
  /** Hash of the bytes in decimal digits, because it has 64 bits. */
  hash: string | null;
  characters: number;
  tables: number;
  pictures: number;
}

/** The result of a document before it is stored. */
export type NewDocumentRecord = Omit<DocumentRecord, '_id' | 'task'>;

/** Counts of a task without finished documents. */
export function createEmptyCounts(documents: number): TaskMeta {
  return { num_docs: documents, num_processed: 0, num_succeeded: 0, num_partially_succeeded: 0, num_failed: 0 };
}

/** Current counts: those of the workflow once the task has ended, otherwise the sum of those that the processes reported. */
export function countSettled({ state, counts, progress }: TaskSummary): TaskMeta {
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

/** The task as clients see it. `position` is used only while the task is pending. */
export function describeTask(task: TaskSummary, position: number): TaskDescriptor {
  return {
    task_id: getClientTaskId(task),
    task_type: task.task_type,
    task_status: task.state,
    task_position: task.state === 'pending' ? position : null,
    task_meta: { ...countSettled(task), ...countPages(task) },
    error_message: task.error_message,
    failure: task.failure,
  };
}

/** The members that distinguish the task in a list of its owner's tasks. */
export function describeListed({ name, created_at }: TaskSummary): Omit<ListedTask, keyof TaskDescriptor> {
  return { ...(name ? { document_name: name } : {}), created_at: created_at.toISOString() };
}

/** The pages of a task that has not ended. */
function countPages({ state, reading = {} }: TaskSummary): Pick<TaskMeta, 'num_pages' | 'num_pages_processed'> {
  const pages = state === 'started' ? sumPages(Object.values(reading)) : undefined;
  return pages ? { num_pages: pages.total, num_pages_processed: pages.done } : {};
}

/** How the contents of a result are delivered: one document in the response body, several in an archive, or files in a bucket. */
export function choosePackaging(
  request: Pick<NewConversionTask, 'target' | 'sources' | 'task_type' | 'options'>,
): 'inbody' | 'archive' | 'remote' {
  const { kind } = request.target;
  if (isBucket(request.target) || kind === 'presigned_url') return 'remote';
  if (kind === 'zip' || kind === 'put') return 'archive';
  if (request.task_type === 'chunk') return 'inbody';
  const isSingle = request.sources.length === 1 && (request.options.members ?? 'none') === 'none';
  return isSingle ? 'inbody' : 'archive';
}

/** True until the task has reached a final state. */
export function isOpen(task: TaskSummary): boolean {
  return !isFinalTask(task.state);
}
