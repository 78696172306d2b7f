import type { Readable } from 'node:stream';
import type { Row, RowFailure } from '../model/row';
import type { PartReport, Rerun, RunState, RunTotals } from '../model/run';
import type { FlowDefinition } from '../model/flow';
import type { Plan } from '../model/plan';
import type { User } from '../model/access';
import type { Tokenizer } from '../model/tokenizer';
import type { VisionOptions } from '../model/conversion/vision-plan';
import type { RunPart, RunQuery, RunResult } from './run-facts';

/** Rows between operators, one Parquet table per part. A write replaces; readers never see half a table. */
export interface TablesStore {
  write(key: TableKey, rows: readonly Row[]): Promise<void>;
  /** Keeps the rows of one table under a second key, as cheaply as the store can. TABLE_NOT_FOUND when there is no `from`. */
  copy(from: TableKey, to: TableKey): Promise<void>;
  /** Rows in the order they were written; `range` counts rows (`to` exclusive). TABLE_NOT_FOUND when the table is gone. */
  read(key: TableKey, range?: { from?: number; to?: number }): Promise<Row[]>;
  count(key: TableKey): Promise<number>;
  exists(key: TableKey): Promise<boolean>;
  /** The parts that an operator of a run has written, pieces of halved parts among them; sorted. */
  parts(runId: string, operator: string): Promise<string[]>;
  /** Removes every table of the run; more calls are harmless. */
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
  /** TABLE_NOT_FOUND when there is no such file. */
  get(key: string): Promise<Uint8Array>;
  exists(key: string): Promise<boolean>;
  /** Every key that begins with `prefix`, in no promised order. */
  list(prefix: string): AsyncIterable<string>;
  /** Removes every file whose key begins with `prefix`. */
  removePrefix(prefix: string): Promise<void>;
}

/** What is remembered of a document that a job has ingested. */
export interface LedgerEntry {
  id: string;
  name: string;
  size: number;
  modified_time: string;
  content_hash: string;
  /** The entry's `version`; empty where the source gives none. */
  source_version?: string;
  /** The row's `acl_hash`, so that a change of the access list alone means ingest again. */
  acl_hash: string;
  status: 'done' | 'failed';
  /** Index name to UUID, so that a lost or remade index means ingest again. */
  indexes: Record<string, string>;
  /** Hash of the operators' configuration at the time. */
  plan_hash: string;
  run_id: string;
}

/** The memory of a job between runs, keyed by job id and document id. All calls may be repeated. */
export interface Ledger {
  lookup(jobId: string, ids: readonly string[]): Promise<Map<string, LedgerEntry>>;
  record(jobId: string, entries: readonly LedgerEntry[]): Promise<void>;
  /** Notes that the run's listing contains these documents. */
  markSeen(jobId: string, runId: string, ids: readonly string[]): Promise<void>;
  /** Documents of earlier runs that the listing of this run does not contain. */
  listGone(jobId: string, runId: string): Promise<{ id: string; name: string }[]>;
  remove(jobId: string, ids: readonly string[]): Promise<void>;
  /** True while any document of the job is remembered. */
  holds(jobId: string): Promise<boolean>;
}

/** One file of a source, before its bytes are read. */
export interface SourceEntry {
  /** Identity of the source, e.g. `file:/data/invoices`; with `relativePath` it makes the document's id. */
  source: string;
  relativePath: string;
  /** What the user sees and what `read` takes: an absolute path, a URL. */
  path: string;
  name: string;
  mimetype: string;
  size: number;
  modifiedTime: string;
  /** From a sidecar or the configuration; undefined when neither names users. */
  allowedUsers?: string[];
  metadata: Record<string, unknown>;
  /** What the source tells versions apart by (an ETag): the same one means the same bytes. */
  version?: string;
  /** Set when the entry was found but cannot be taken (unreadable, too large). */
  failure?: { code: string; message: string };
  /** Set when the entry is left out on purpose (a symbolic link): the reason. */
  skip?: string;
  /** Set when what is below the entry could not be listed, so that documents missing from the listing may still exist. */
  incomplete?: true;
}

/** Places where documents come from. `list` is sorted, so that two listings of an unchanged source are equal. */
export interface Sources {
  list(provider: string, config: Record<string, unknown>, signal: AbortSignal): AsyncIterable<SourceEntry>;
  /** The bytes of one listed file; SOURCE_UNREADABLE when it went away or may not be read. */
  read(provider: string, path: string, config: Record<string, unknown>, signal: AbortSignal): Promise<Uint8Array>;
  /** SHA-256 of the same bytes, hexadecimal, without holding them in memory. */
  hash(provider: string, path: string, config: Record<string, unknown>, signal: AbortSignal): Promise<string>;
}

/** What a conversion gives: everything as text, so that the worker thread hands over finished bytes. */
export interface Converted {
  markdown: string;
  /** The DoclingDocument as JSON text. */
  documentJson: string;
  /** The title item's text, else the first heading's; undefined when the document has neither. */
  title?: string;
  pages: number;
  /** The registry name of the format that was read: `docx`, `pdf`, … */
  format: string;
  /** What the reader left out, for people. */
  warnings?: string[];
}

/** Converts in worker threads with a time limit that really ends the work. */
export interface Converter {
  convert(input: {
    bytes: Uint8Array;
    name: string;
    mimetype?: string;
    ocr?: OcrRequest;
    /** What models that see images are asked for. CONVERSION_FAILED where there is none for pages. */
    vision?: VisionOptions;
    timeoutMs: number;
    signal: AbortSignal;
  }): Promise<Converted>;
  close(): Promise<void>;
}

/** When text in images is read, and its languages (codes of ISO 639-1 or of Tesseract; none: English). */
export interface OcrRequest {
  mode: 'never' | 'auto' | 'force';
  languages: readonly string[];
  /** Its folder `tessdata` may hold data of further languages. */
  modelsFolder?: string;
}

/** Runs a SELECT over the rows (table `input`) in a locked-down child process. */
export interface SqlRunner {
  select(rows: readonly Row[], sql: string, options: { timeoutMs: number; signal: AbortSignal }): Promise<Row[]>;
  close(): Promise<void>;
}

/** Tokenizers by the names of their models. One that is not at hand gives the bundled one, which its name tells. */
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
} from './search-ports';

/** Names who a login belongs to, or refuses with UNAUTHORIZED; SERVICE_UNAVAILABLE when not configured or away. */
export interface Directory {
  login(username: string, password: string): Promise<User>;
}

export type { RemoteConverter } from './remote-converter';
export type { ChatAnswer, ChatRequest, Embedder, EmbeddingCache, Llm } from './model-ports';
export type {
  FlowQuery,
  FlowRecord,
  FlowRuns,
  FlowRunSummary,
  FlowsStore,
  ProjectRecord,
  ProjectsStore,
  ResourceQuery,
} from './resource-ports';

/** The record of a job run: what the API shows and what outlives the workflow. */
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
  /** The flow as it was when the run was made, run parameters merged in, and the plan. */
  snapshot: { flow: FlowDefinition; plan: Plan; plan_hash: string };
  /** Chosen by who asked for the run; a second run of the same owner under it is not made. */
  idempotency_key?: string;
  /** Of the request that chose the key: another request under it is refused. */
  request_hash?: string;
  /** Set on a run that does an earlier one again. */
  rerun?: Rerun;
  /** When the retention removed the tables of the run. */
  tables_removed_at?: string;
}

/** Counts of one operator of a run, summed over its parts. */
export interface OperatorStats {
  name: string;
  type: string;
  /** Documents that went through, counting a running part by its share. */
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

/** Run records and what activities report about them. Writes are keyed, so a repeated activity changes nothing. */
export interface RunsStore {
  /** The run itself, or the earlier run of the same owner with the same idempotency key, which then stands. */
  create(run: RunRecord): Promise<RunRecord>;
  get(runId: string): Promise<RunRecord | undefined>;
  list(user: User, query: RunQuery): Promise<{ items: RunRecord[]; total: number }>;
  /** Sets fields unless the record is final already; gives the record as it then is. */
  update(
    runId: string,
    change: Partial<Pick<RunRecord, 'status' | 'message' | 'warnings' | 'started_at' | 'ended_at' | 'totals'>>,
  ): Promise<RunRecord | undefined>;
  remove(runId: string): Promise<void>;
  /** Keeps the report of one operator for one part; the same part again replaces it. */
  recordPart(
    runId: string,
    operator: { name: string; type: string },
    part: string,
    report: PartReport,
    documents: RunDocument[],
    times: { started: string; ended: string; pages?: Record<string, number> },
  ): Promise<void>;
  /** The report of that part, when there is one: a repeated activity need not work again. */
  partReport(runId: string, operator: string, part: string): Promise<PartReport | undefined>;
  /** Forgets reports and documents of a part and of the parts cut from it, before it is done again in halves. */
  forgetPart(runId: string, part: string): Promise<void>;
  /** Notes how many documents of a running part are done; the final report replaces it. */
  recordProgress(
    runId: string,
    operator: { name: string; type: string },
    part: string,
    documents: number,
  ): Promise<void>;
  /** Outcomes of these documents in this run, by document id; those that went well are absent. */
  outcomes(runId: string, ids: readonly string[]): Promise<Map<string, RunDocument>>;
  operatorStats(runId: string): Promise<OperatorStats[]>;
  /** Keeps what became of the documents of a part; the same part again replaces it. */
  recordResults(runId: string, part: string, results: readonly RunResult[]): Promise<void>;
  /** What became of every document so far, part by part. */
  results(runId: string): AsyncIterable<RunResult>;
  /** Counts of `results`, without those that a source left out as unchanged. */
  settledCounts(runId: string): Promise<{ completed: number; failed: number; skipped: number }>;
  /** Reports part by part, in the order of operators and parts. */
  parts(runId: string): AsyncIterable<RunPart>;
  /** Seconds that operators took for a part and the pieces cut from it, and pages by document. */
  partFacts(runId: string, part: string): Promise<{ seconds: number; pages: Record<string, number> }>;
  /** Up to `limit` runs that are not final and were made before `before`, oldest first. */
  openRuns(before: string, limit: number, after?: string): Promise<RunRecord[]>;
  /** Up to `limit` final runs that ended before `before` and still have their tables. */
  expiredRuns(before: string, limit: number): Promise<RunRecord[]>;
  /** Notes that the tables of a run are gone. */
  tablesRemoved(runId: string, at: string): Promise<void>;
  /** True while a run of the job is open or has its tables. */
  jobInUse(jobId: string): Promise<boolean>;
  documents(
    runId: string,
    query: { limit: number; offset: number; outcome?: 'failed' | 'skipped' },
  ): Promise<{ items: RunDocument[]; total: number }>;
  /** Takes the job for this run. False while another open run holds it (`holder` says which). Repeatable. */
  acquireJob(jobId: string, runId: string): Promise<{ acquired: boolean; holder: string }>;
  /** Gives the job up when this run holds it. */
  releaseJob(jobId: string, runId: string): Promise<void>;
  /** Takes the job over from a holder that has ended without giving it up. */
  replaceHolder(jobId: string, holder: string, runId: string): Promise<boolean>;
}

/** The workflow engine as the api and the cli see it. */
export interface Runs {
  /** Starts the run's workflow; its id is the job run id. A run that is started already stays as it is. */
  start(run: RunRecord): Promise<void>;
  cancel(runId: string): Promise<void>;
  /** What Temporal says; undefined when it knows no such workflow. */
  status(
    runId: string,
  ): Promise<'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELED' | 'TERMINATED' | 'TIMED_OUT' | undefined>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
