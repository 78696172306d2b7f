import type { Readable } from 'node:stream';
import type { Row, RowFailure } from '../model/flow/row';
import type { PartReport, Rerun, RunState, RunTotals } from '../model/run/run';
import type { FlowDefinition } from '../model/flow/flow';
import type { Plan } from '../model/flow/plan';
import type { User } from '../model/access';
import type { Tokenizer } from '../model/llm/tokenizer';
import type { VisionOptions } from '../model/conversion/vision/vision-plan';
import type { RunPart, RunQuery, RunResult } from './run/facts';

/** Rows between operators, one Parquet table per part. A write replaces the table atomically. */
export interface TablesStore {
  write(key: TableKey, rows: readonly Row[]): Promise<void>;
  /** Copies a table to a second key, as cheaply as the store allows. TABLE_NOT_FOUND if `from` does not exist. */
  copy(from: TableKey, to: TableKey): Promise<void>;
  /** Rows in the order in which they were written; `range` counts rows (`to` exclusive). TABLE_NOT_FOUND if there is no table. */
  read(key: TableKey, range?: { from?: number; to?: number }): Promise<Row[]>;
  count(key: TableKey): Promise<number>;
  exists(key: TableKey): Promise<boolean>;
  /** The parts that an operator of a run has written, including halves of split parts; sorted. */
  parts(runId: string, operator: string): Promise<string[]>;
  /** Removes every table of the run. Idempotent. */
  removeRun(runId: string): Promise<void>;
}
/** Stored as `run/<runId>/<operator>/<part>.parquet`. */
export interface TableKey {
  runId: string;
  operator: string;
  part: string;
}

/** Bytes under keys such as `documents/<jobId>/<id>.json`. A write replaces atomically. */
export interface FilesStore {
  put(key: string, bytes: Uint8Array | Readable): Promise<void>;
  /** TABLE_NOT_FOUND if the file does not exist. */
  get(key: string): Promise<Uint8Array>;
  exists(key: string): Promise<boolean>;
  /** Every key with the `prefix`, in no particular order. */
  list(prefix: string): AsyncIterable<string>;
  /** Removes every file whose key has the `prefix`. */
  removePrefix(prefix: string): Promise<void>;
}

/** The ledger entry of a document that a job has ingested. */
export interface LedgerEntry {
  id: string;
  name: string;
  size: number;
  modified_time: string;
  content_hash: string;
  /** The `version` of the source entry; empty if the source has none. */
  source_version?: string;
  /** The `acl_hash` of the row, so that a changed access list alone leads to another ingest. */
  acl_hash: string;
  status: 'done' | 'failed';
  /** Index name to UUID, so that a lost or recreated index leads to another ingest. */
  indexes: Record<string, string>;
  /** Hash of the operators' configuration when the document was ingested. */
  plan_hash: string;
  run_id: string;
}

/** What a job remembers between runs, keyed by job id and document id. All calls are idempotent. */
export interface Ledger {
  lookup(jobId: string, ids: readonly string[]): Promise<Map<string, LedgerEntry>>;
  record(jobId: string, entries: readonly LedgerEntry[]): Promise<void>;
  /** Records that the listing of this run contains these documents. */
  markSeen(jobId: string, runId: string, ids: readonly string[]): Promise<void>;
  /** Documents of earlier runs that the listing of this run does not contain. */
  listGone(jobId: string, runId: string): Promise<{ id: string; name: string }[]>;
  remove(jobId: string, ids: readonly string[]): Promise<void>;
  /** Whether the ledger contains any document of the job. */
  holds(jobId: string): Promise<boolean>;
}

/** One file of a source, before its bytes are read. */
export interface SourceEntry {
  /** Identity of the source, e.g. `file:/data/invoices`; with `relativePath` it makes the document's id. */
  source: string;
  relativePath: string;
  /** Shown to the user and passed to `read`: an absolute path or a URL. */
  path: string;
  name: string;
  mimetype: string;
  size: number;
  modifiedTime: string;
  /** From a sidecar or the configuration; undefined if neither names users. */
  allowedUsers?: string[];
  metadata: Record<string, unknown>;
  /** Version identifier of the source, such as an ETag: the same version means the same bytes. */
  version?: string;
  /** Set if the entry was found but cannot be read (unreadable, too large). */
  failure?: { code: string; message: string };
  /** The reason, if the entry is skipped on purpose (a symbolic link). */
  skip?: string;
  /** Set if the content of the entry could not be listed, so that documents missing from the listing may still exist. */
  incomplete?: true;
}

/** Where documents come from. `list` is sorted, so two listings of an unchanged source are equal. */
export interface Sources {
  list(provider: string, config: Record<string, unknown>, signal: AbortSignal): AsyncIterable<SourceEntry>;
  /** The bytes of a listed file; SOURCE_UNREADABLE if it no longer exists or cannot be read. */
  read(provider: string, path: string, config: Record<string, unknown>, signal: AbortSignal): Promise<Uint8Array>;
  /** SHA-256 of these bytes, hexadecimal, without holding them in memory. */
  hash(provider: string, path: string, config: Record<string, unknown>, signal: AbortSignal): Promise<string>;
}

/** The result of a conversion: all text, so that the worker thread does the serialization. */
export interface Converted {
  markdown: string;
  /** The DoclingDocument as JSON text. */
  documentJson: string;
  /** The text of the title, or else of the first heading; undefined if the document has neither. */
  title?: string;
  pages: number;
  /** The name of the format in the format list: `docx`, `pdf`, … */
  format: string;
  /** Messages about content that the reader left out. */
  warnings?: string[];
}

/** Converts in worker threads; work that exceeds its time limit is terminated. */
export interface Converter {
  convert(input: {
    bytes: Uint8Array;
    name: string;
    mimetype?: string;
    ocr?: OcrRequest;
    /** The tasks of vision models. CONVERSION_FAILED if pages need a model and there is none. */
    vision?: VisionOptions;
    timeoutMs: number;
    signal: AbortSignal;
  }): Promise<Converted>;
  close(): Promise<void>;
}

/** When to recognize text in images, and its languages (ISO 639-1 or Tesseract codes; English by default). */
export interface OcrRequest {
  mode: 'never' | 'auto' | 'force';
  languages: readonly string[];
  /** Its folder `tessdata` may contain the data of further languages. */
  modelsFolder?: string;
}

/** Runs a SELECT over the rows (table `input`) in a locked-down child process. */
export interface SqlRunner {
  select(rows: readonly Row[], sql: string, options: { timeoutMs: number; signal: AbortSignal }): Promise<Row[]>;
  close(): Promise<void>;
}

/** Tokenizers by model name. If one is not available, the bundled one is returned, as its `name` shows. */
export interface Tokenizers {
  load(name: string): Promise<Tokenizer>;
}

export type {
  DocumentResponse,
  HitProvenance,
  IndexRecord,
  IndexSpec,
  NearestQuery,
  NearestRecord,
  Search,
  SearchRequest,
  SearchResponse,
  SearchTarget,
} from './search/ports';

/** Returns the user of a login, or rejects with UNAUTHORIZED; SERVICE_UNAVAILABLE if not configured or unreachable. */
export interface Directory {
  login(username: string, password: string): Promise<User>;
}

export type { RemoteConverter } from './conversion/remote-converter';
export type { ChatAnswer, ChatRequest, Embedder, EmbeddingCache, Llm } from './llm/model-ports';
export type {
  FlowQuery,
  FlowRecord,
  FlowRuns,
  FlowRunSummary,
  FlowsStore,
  ProjectRecord,
  ProjectsStore,
  ResourceQuery,
} from './flow/resource-ports';

/** The record of a job run: what the API shows, and what is kept after the workflow has ended. */
export interface RunRecord {
  job_run_id: string;
  job_id: string;
  flow_id: string;
  flow_name: string;
  project_id: string | null;
  owner: string;
  status: RunState;
  message: string;
  warnings: string[];
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  totals: RunTotals;
  metadata: Record<string, string>;
  /** The flow as it was when the run was created, with the run parameters merged in, and the plan. */
  snapshot: { flow: FlowDefinition; plan: Plan; plan_hash: string };
  /** Chosen by the client; a second run of the same owner with this key is not created. */
  idempotency_key?: string;
  /** Hash of the request that used the key; a different request with the same key is refused. */
  request_hash?: string;
  /** Set if the run repeats an earlier one. */
  rerun?: Rerun;
  /** When retention removed the tables of the run. */
  tables_removed_at?: string;
}

/** Counts of an operator of a run, summed over its parts. */
export interface OperatorStats {
  name: string;
  type: string;
  /** Documents processed, including those of a part that is still running. */
  documents: number;
  in: number;
  out: number;
  failed: number;
  skipped: number;
  seconds: number;
  parts: number;
  metrics: Record<string, number>;
  started_at: string | null;
  ended_at: string | null;
}

/** A failed or skipped document of a run. */
export interface RunDocument extends RowFailure {
  operator: string;
  outcome: 'failed' | 'skipped';
}

/** Run records and the reports of activities. Writes are keyed, so repeating an activity changes nothing. */
export interface RunsStore {
  /** Stores the run and returns it, or returns the earlier run of the same owner with the same idempotency key. */
  create(run: RunRecord): Promise<RunRecord>;
  get(runId: string): Promise<RunRecord | undefined>;
  list(user: User, query: RunQuery): Promise<{ items: RunRecord[]; total: number }>;
  /** Sets fields unless the record is already final; returns the resulting record. */
  update(
    runId: string,
    change: Partial<Pick<RunRecord, 'status' | 'message' | 'warnings' | 'started_at' | 'ended_at' | 'totals'>>,
  ): Promise<RunRecord | undefined>;
  remove(runId: string): Promise<void>;
  /** Stores the report of an operator for a part, replacing an earlier one for the same part. */
  recordPart(
    runId: string,
    operator: { name: string; type: string },
    part: string,
    report: PartReport,
    documents: RunDocument[],
    times: { started: string; ended: string; pages?: Record<string, number> },
  ): Promise<void>;
  /** The report of that part, if there is one: a repeated activity need not do its work again. */
  partReport(runId: string, operator: string, part: string): Promise<PartReport | undefined>;
  /** Deletes the reports and documents of a part and of its halves, before it is repeated in halves. */
  forgetPart(runId: string, part: string): Promise<void>;
  /** Records how many documents of a running part are done; the final report replaces this. */
  recordProgress(
    runId: string,
    operator: { name: string; type: string },
    part: string,
    documents: number,
  ): Promise<void>;
  /** Outcomes of these documents in this run, by document id; successful documents are absent. */
  outcomes(runId: string, ids: readonly string[]): Promise<Map<string, RunDocument>>;
  operatorStats(runId: string): Promise<OperatorStats[]>;
  /** Stores the outcome of each document of a part, replacing earlier ones for the same part. */
  recordResults(runId: string, part: string, results: readonly RunResult[]): Promise<void>;
  /** The outcome of every document so far, part by part. */
  results(runId: string): AsyncIterable<RunResult>;
  /** Counts of `results`, without documents that the source skipped as unchanged. */
  settledCounts(runId: string): Promise<{ completed: number; failed: number; skipped: number }>;
  /** Reports part by part, in the order of operators and parts. */
  parts(runId: string): AsyncIterable<RunPart>;
  /** Seconds that the operators took for a part and its halves, and pages by document. */
  partFacts(runId: string, part: string): Promise<{ seconds: number; pages: Record<string, number> }>;
  /** Up to `limit` runs that are not final and were created before `before`, oldest first. */
  openRuns(before: string, limit: number, after?: string): Promise<RunRecord[]>;
  /** Up to `limit` final runs that ended before `before` and still have their tables. */
  expiredRuns(before: string, limit: number): Promise<RunRecord[]>;
  /** Records that the tables of a run were removed. */
  tablesRemoved(runId: string, at: string): Promise<void>;
  /** Whether a run of the job is not final or still has tables. */
  jobInUse(jobId: string): Promise<boolean>;
  documents(
    runId: string,
    query: { limit: number; offset: number; outcome?: 'failed' | 'skipped' },
  ): Promise<{ items: RunDocument[]; total: number }>;
  /** Locks the job for this run. False while another unfinished run holds the lock (`holder` says which). Idempotent. */
  acquireJob(jobId: string, runId: string): Promise<{ acquired: boolean; holder: string }>;
  /** Releases the lock if this run holds it. */
  releaseJob(jobId: string, runId: string): Promise<void>;
  /** Takes over the lock from a run that ended without releasing it. */
  replaceHolder(jobId: string, holder: string, runId: string): Promise<boolean>;
}

/** The workflow engine, as used by the api and the command line. */
export interface Runs {
  /** Starts the workflow of a run; its id is the job run id. A run that has already started is not affected. */
  start(run: RunRecord): Promise<void>;
  cancel(runId: string): Promise<void>;
  /** The state according to Temporal; undefined if it has no such workflow. */
  status(
    runId: string,
  ): Promise<'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELED' | 'TERMINATED' | 'TIMED_OUT' | undefined>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
