import type { Readable } from 'node:stream';
import type { ChunkingOptions } from '../../model/conversion/request/chunking';
import type { ConvertOptions } from '../../model/conversion/request/options';
import type { Artifact, Confidence, ResultStatus, ErrorItem, Timings } from '../../model/conversion/task/result';
import type { Callback, S3Source, S3Target } from '../../model/conversion/request/sources';
import type { TaskDescriptor } from '../../model/conversion/task/task';

/** One source of a task, by reference: its bytes never cross a Temporal boundary. */
export type TaskSource =
  /** Put into the files store by the api, under `uploadKey`; removed when the task has ended. */
  | { kind: 'file'; key: string; filename: string; size: number; mimetype?: string }
  | { kind: 'http'; url: string; headers: Record<string, string> }
  /** Stands for every object below the prefix. */
  | S3Source;

/** Where results go. */
export type TaskTarget =
  | { kind: 'inbody' }
  | { kind: 'zip' }
  | { kind: 'put'; url: string }
  /** Needs a bucket of the server's own; see `ConversionTasks.keepsArtifacts`. */
  | { kind: 'presigned_url' }
  | S3Target;

/** A task as the api submits it, every value checked and every default filled in. */
export interface NewConversionTask {
  /** A new UUID; the api chooses it before it stores uploads under it. */
  id: string;
  tenant: string;
  task_type: 'convert' | 'chunk';
  /** `from_formats` is honoured as it stands here: a document of another format is `skipped`. */
  options: ConvertOptions;
  /** Of chunk tasks, and of conversions whose `to_formats` has `chunks`. */
  chunking?: ChunkingOptions;
  /** Chunk tasks only: the result holds the converted documents too. */
  include_converted_doc?: boolean;
  sources: readonly TaskSource[];
  target: TaskTarget;
  /** Batches only: where the result goes besides. */
  further_targets?: readonly TaskTarget[];
  callbacks: readonly Callback[];
  /** The same key and request of the same tenant again give the task that was made first; CONFLICT for another request. */
  idempotency_key?: string;
  /** SHA-256 of the request and its files, where there is a key. */
  request_hash?: string;
}

/** A piece of a result in the files store. */
export interface StoredOutput {
  key: string;
  bytes: number;
}

/** What became of one document. The contents stay in the files store. */
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
  /** Registry name of the format that was read; null when it was not recognised. */
  format: string | null;
  mimetype: string | null;
  pages: number;
  /** Null for documents that were not read. */
  confidence: Confidence | null;
  /** By output format (`md`, `json`, `html`, `text`, `doctags`, `chunks`); UTF-8. */
  outputs: Record<string, StoredOutput>;
  /** Referenced images, `name` as the outputs refer to them: `artifacts/image_000000_….png`. */
  artifacts: (StoredOutput & { name: string })[];
  /** Presigned targets: where the files are. */
  uploads: Artifact[];
}

/** The result of a task that ended with `success`. */
export interface TaskResult {
  task_id: string;
  task_type: 'convert' | 'chunk';
  target: TaskTarget['kind'];
  /** Contents are those of an answer in the body (one document) or of an archive. */
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

/** Conversion tasks as Temporal workflows with a record each. A task of another tenant does not exist: CONVERSION_TASK_NOT_FOUND. */
export interface ConversionTasks {
  /** True when artifact storage is configured, so that `presigned_url` targets can be served. */
  readonly keepsArtifacts: boolean;
  /** Where the api stores an upload of a task before it submits it. */
  uploadKey(taskId: string, index: number): string;
  /** Records and starts the task. WORKFLOW_ENGINE_UNAVAILABLE and DATABASE_UNAVAILABLE leave nothing behind but uploads, which the sweep removes. */
  submit(task: NewConversionTask): Promise<TaskDescriptor>;
  get(tenant: string, id: string): Promise<TaskDescriptor>;
  /** Resolves as soon as the task has ended, else after `ms` or when the signal aborts, with the descriptor as it then is. */
  wait(tenant: string, id: string, ms: number, signal?: AbortSignal): Promise<TaskDescriptor>;
  /**
   * The descriptor now, then at every change of state, position or progress; ends after the one with a final state. Watchers
   * share what they wait for, however many they are.
   */
  watch(tenant: string, id: string, signal: AbortSignal): AsyncIterable<TaskDescriptor>;
  /** Newest first. */
  list(
    tenant: string,
    query: { state?: TaskDescriptor['task_status']; limit: number; offset: number },
  ): Promise<{ items: TaskDescriptor[]; total: number }>;
  /** Ends a task that is not final as `failure` at once; its work ends within seconds. A final task stays as it is. */
  cancel(tenant: string, id: string): Promise<TaskDescriptor>;
  /** CONVERSION_RESULT_NOT_READY until the task has ended with `success`. May be called again until the retention removes it. */
  result(tenant: string, id: string): Promise<TaskResult>;
  /** Forgets ended tasks of the tenant and their results that ended so long ago. Gives how many. */
  clear(tenant: string, olderThanSeconds: number): Promise<number>;
  counts(): Promise<TaskCounts>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The contents of results, as streams. */
export interface ResultFiles {
  /** TABLE_NOT_FOUND when the retention removed it. */
  open(key: string): Promise<Readable>;
  /** Whole, for what is small. */
  get(key: string): Promise<Uint8Array>;
  /** The zip archive of a result: distinct names, artifacts, and `manifest.json`, which a `bundle` lacks; made while it is read. */
  archive(result: TaskResult, form?: 'archive' | 'bundle'): Readable;
}
