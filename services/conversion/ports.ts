import type { Readable } from 'node:stream';
import type { ChunkingOptions } from '../../model/conversion/request/chunking';
import type { ConvertOptions } from '../../model/conversion/request/options';
import type { BucketSource, BucketTarget, Callback } from '../../model/conversion/request/sources';
import type {
  Artifact,
  Confidence,
  CoverageItem,
  ResultStatus,
  ErrorItem,
  Timings,
} from '../../model/conversion/task/result';
import type { ListedTask, TaskDescriptor } from '../../model/conversion/task/task';

/** One source of a task, by reference: its bytes never cross a Temporal boundary. */
export type TaskSource =
  /** Stored by the API under `buildUploadKey`; removed when the task has ended. */
  | { kind: 'file'; key: string; filename: string; size: number; mimetype?: string }
  | { kind: 'http'; url: string; headers: Record<string, string> }
  /** All objects below the prefix. */
  | BucketSource;

/** Where results are sent. */
export type TaskTarget =
  | { kind: 'inbody' }
  | { kind: 'zip' }
  | { kind: 'put'; url: string }
  /** Needs a bucket configured on the server; see `ConversionTasks.keepsArtifacts`. */
  | { kind: 'presigned_url' }
  | BucketTarget;

/** A task as the API submits it, with every value checked and every default filled in. */
export interface NewConversionTask {
  /** A new UUID, chosen by the API before it stores uploads under it. */
  id: string;
  tenant: string;
  task_type: 'convert' | 'chunk';
  /** `from_formats` is honoured as given: a document of another format is `skipped`. */
  options: ConvertOptions;
  /** Set for chunk tasks and for conversions whose `to_formats` include `chunks`. */
  chunking?: ChunkingOptions;
  /** Chunk tasks only: the result also contains the converted documents. */
  include_converted_doc?: boolean;
  sources: readonly TaskSource[];
  target: TaskTarget;
  /** Batches only: additional targets of the result. */
  further_targets?: readonly TaskTarget[];
  callbacks: readonly Callback[];
  /** Repeating the key with the same request of the same tenant returns the existing task; with another request, CONFLICT. */
  idempotency_key?: string;
  /** SHA-256 of the request and its files. Set when there is a key. */
  request_hash?: string;
}

/** One file of a result in the files store. */
export interface StoredOutput {
  key: string;
  bytes: number;
}

/** The result of one document. Its contents stay in the files store. */
export interface DocumentResult {
  index: number;
  /** Base name of the input. */
  filename: string;
  /** The address of a fetched source, else the file name. */
  source_uri: string;
  status: ResultStatus;
  errors: ErrorItem[];
  timings: Timings;
  /** Seconds. */
  processing_time: number;
  /** Registry name of the detected format; null when it was not recognised. */
  format: string | null;
  mimetype: string | null;
  pages: number;
  /** Null for documents that were not read. */
  confidence: Confidence | null;
  /** Absent for documents that were not read. */
  coverage?: CoverageItem[];
  /** By output format (`md`, `json`, `html`, `text`, `doctags`, `chunks`); UTF-8. */
  outputs: Record<string, StoredOutput>;
  /** Referenced images. `name` is the one used in the outputs: `artifacts/image_000000_….png`. */
  artifacts: (StoredOutput & { name: string })[];
  /** Presigned targets only: addresses of the files. */
  uploads: Artifact[];
}

/** The result of a task that ended with `success`. */
export interface TaskResult {
  task_id: string;
  task_type: 'convert' | 'chunk';
  target: TaskTarget['kind'];
  /** `inbody`: contents of a response body (one document); `archive`: files of an archive; `remote`: files sent to a bucket. */
  packaging: 'inbody' | 'archive' | 'remote';
  include_converted_doc: boolean;
  chunking?: ChunkingOptions;
  /** Seconds from submission to the end. */
  processing_time: number;
  counts: { documents: number; succeeded: number; partially_succeeded: number; failed: number };
  /** In the order of the sources. */
  documents: DocumentResult[];
}

/** Counts of tasks by state, for metrics. */
export type TaskCounts = Record<'pending' | 'started' | 'success' | 'failure', number>;

/**
 * Conversion tasks, each a Temporal workflow with a record. A task of another tenant is reported as CONVERSION_TASK_NOT_FOUND.
 */
export interface ConversionTasks {
  /** True when artifact storage is configured, so that `presigned_url` targets are available. */
  readonly keepsArtifacts: boolean;
  /** Key under which the API stores an upload before it submits the task. */
  uploadKey(taskId: string, index: number): string;
  /**
   * Records and starts the task. When it fails with WORKFLOW_ENGINE_UNAVAILABLE or DATABASE_UNAVAILABLE, nothing remains but
   * uploads, which the sweep removes.
   */
  submit(task: NewConversionTask): Promise<TaskDescriptor>;
  get(tenant: string, id: string): Promise<TaskDescriptor>;
  /** Resolves with the current descriptor as soon as the task has ended, after `ms`, or when the signal aborts. */
  wait(tenant: string, id: string, ms: number, signal?: AbortSignal): Promise<TaskDescriptor>;
  /**
   * Yields the current descriptor, then one at every change of state, position or progress. Ends after the final state. All
   * watchers share the same polling.
   */
  watch(tenant: string, id: string, signal: AbortSignal): AsyncIterable<TaskDescriptor>;
  /** Newest first. */
  list(
    tenant: string,
    query: { state?: TaskDescriptor['task_status']; limit: number; offset: number },
  ): Promise<{ items: ListedTask[]; total: number }>;
  /** Ends an unfinished task as `failure` at once; its work stops within seconds. Does not change a final task. */
  cancel(tenant: string, id: string): Promise<TaskDescriptor>;
  /**
   * Throws CONVERSION_RESULT_NOT_READY until the task has ended with `success`. Can be called repeatedly until the retention
   * removes the result.
   */
  readResult(tenant: string, id: string): Promise<TaskResult>;
  /** Deletes tasks of the tenant that ended at least this long ago, with their results. Returns their number. */
  clear(tenant: string, olderThanSeconds: number): Promise<number>;
  countByState(): Promise<TaskCounts>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The contents of results. */
export interface ResultFiles {
  /** Throws TABLE_NOT_FOUND when the retention removed the file. */
  open(key: string): Promise<Readable>;
  /** Reads the whole file; for small files. */
  get(key: string): Promise<Uint8Array>;
  /** Streams the zip archive of a result, with distinct names, images and `manifest.json` (not in a `bundle`). */
  streamArchive(result: TaskResult, form?: 'archive' | 'bundle'): Readable;
}
