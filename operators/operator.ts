import type { Reader } from '../model/access';
import type { DocumentClass } from '../model/entity/document-class';
import type { ColumnFacts } from '../model/flow/columns';
import type { FlowDefinition } from '../model/flow/flow';
import type { OperatorDefinition, ServiceName } from '../model/flow/operator';
import type { Row, RowFailure, RowSkip } from '../model/flow/row';
import type { PagesOfDocuments } from '../model/page/page-count';
import type { Conversion } from '../model/review/conversion';
import type { Converter } from '../services/conversion/converter';
import type { Members } from '../services/conversion/members';
import type { RemoteConverter } from '../services/conversion/remote-converter';
import type { DocumentSetsStore } from '../services/document-set/document-sets-store';
import type { Embedder } from '../services/embedding/embedder';
import type { Tokenizers } from '../services/embedding/tokenizers';
import type { ExportedFiles } from '../services/export/exported-files';
import type { Exports } from '../services/export/exports';
import type { ExportTarget } from '../services/export/place';
import type { Llm } from '../services/llm/ports';
import type { Ledger } from '../services/run/ledger';
import type { Search, SearchTarget } from '../services/search/ports';
import type { Sources } from '../services/source/sources';
import type { FilesStore } from '../services/storage/files';
import type { Originals } from '../services/storage/originals';
import type { SqlRunner } from '../services/table/sql';
import type { TablesStore } from '../services/table/tables';
import type { Inspection } from './inspection';

/** All services, under the names used in `needs`. */
export interface OperatorServices {
  tables: TablesStore;
  files: FilesStore;
  ledger: Ledger;
  search: Search;
  embedder: Embedder;
  llm: Llm;
  /** The bundled document classes. */
  documentClasses: { list(): readonly DocumentClass[] };
  converter: Converter;
  remoteConverter: RemoteConverter;
  sources: Sources;
  sql: SqlRunner;
  tokenizers: Tokenizers;
  originals: Originals;
  exports: Exports;
  exportedFiles: ExportedFiles;
  members: Members;
  documentSets: Pick<DocumentSetsStore, 'find' | 'getOrCreate' | 'write' | 'removeRows'>;
}

/** The context of a running operator. */
export interface OperatorContext<Needs extends ServiceName = ServiceName> {
  /** Aborts when the run is cancelled or the worker shuts down; long work must stop within a second. */
  signal: AbortSignal;
  /** Reports how many documents or chunks of this part are done, for live progress. */
  progress: (done: number, total?: number) => void;
  /** Reports the pages of the documents that are being converted; `undefined` when there are none. */
  pageProgress?: (pages: PagesOfDocuments | undefined) => void;
  services: Pick<OperatorServices, Needs>;
  run: RunFacts;
  /** The operator's name in the flow. */
  operator: string;
  /**
   * The rows of each input, in the order of the flow; `rows` contains the same rows without duplicate ids. Absent for a single
   * input.
   */
  inputs?: readonly OperatorInput[];
  /** The effective configuration of another operator of the flow: defaults filled in, secrets resolved. */
  configOf?: (operator: string) => Record<string, unknown>;
  /** For sources: what earlier attempts of the activity listed. If absent, every attempt lists from the beginning. */
  progressOf?: ListingProgress;
  /** The columns declared by earlier operators. */
  declared?: () => ReadonlyMap<string, ColumnFacts>;
}

/** The rows of one of several inputs; `name` is the name of an operator, or `operator.branch`. */
export interface OperatorInput {
  name: string;
  rows: readonly Row[];
}

/** Facts about the run. Times are fixed per run, so that a retry writes the same values. */
export interface RunFacts {
  runId: string;
  jobId: string;
  owner: string;
  /** Users who must all be able to read a document before the run can see it. Empty for everybody; absent for the owner only. */
  readers?: readonly Reader[];
  /** Users who must all be allowed to write to an index. Empty for administrators; absent for the owner only. */
  writers?: readonly string[];
  /** The owner of the job's output; the owner of the run when absent. */
  jobOwner?: string;
  /** When the run started, ISO 8601. */
  startedAt: string;
  forceIngest: boolean;
  /** True if the person who started the run confirmed that its source may be empty. */
  isEmptyConfirmed?: boolean;
  /** Set in a sample run: the maximum number of documents per source. */
  sample?: number;
  planHash: string;
  /** The flow as it was when the run was created, with unresolved secrets. */
  flow: FlowDefinition;
}

/** The result of an operator. `rows` excludes failed and skipped rows. */
export interface OperatorResult {
  rows: Row[];
  /** For operators with branches: the rows of each branch. `rows` then contains every row of any branch exactly once. */
  branches?: Record<string, Row[]>;
  failed?: RowFailure[];
  skipped?: RowSkip[];
  /** For operators that convert documents: the confidence for each document. */
  conversions?: Conversion[];
  warnings?: string[];
  /** Additional counts for the report, such as `total_chunks`; summed over parts. */
  metrics?: Record<string, number>;
}

/** The result of a source operator: batches of new or changed documents, then the counts of its listing. */
export interface SourceResult {
  unchanged: RowSkip[];
  failed: RowFailure[];
  warnings: string[];
  added: number;
  changed: number;
  gone: { id: string; name: string }[];
  /** Number of documents that the run may not read. Their names are not recorded anywhere. */
  withheld: number;
  metrics?: Record<string, number>;
}

/** What a listing found since the previous step; `counts` and `totals` are from the beginning. */
export interface ListingStep {
  /** Where the source continues. */
  cursor: string;
  isComplete: boolean;
  counts: Record<string, number>;
  lost: string[];
  found: Pick<SourceResult, 'unchanged' | 'failed' | 'warnings'> & {
    totals: Pick<SourceResult, 'added' | 'changed' | 'withheld'>;
  };
}

/** Keeps the steps of a listing until it ends. */
export interface ListingProgress {
  /** The steps of earlier attempts, in order. */
  load(): Promise<ListingStep[]>;
  /** On return, every row that was emitted before is written. */
  save(step: ListingStep): Promise<void>;
}

/** Transforms rows without modifying its input. Running it again returns the same result. */
export type RunOperator<Config, Needs extends ServiceName = ServiceName> = (
  rows: readonly Row[],
  config: Config,
  context: OperatorContext<Needs>,
) => Promise<OperatorResult>;

/**
 * Processes all rows of a run part by part, in the order of the source, for an operator that must see all rows but cannot hold
 * them in memory. Yields one result per part, in the same order.
 */
export type RunParts<Config, Needs extends ServiceName = ServiceName> = (
  parts: AsyncIterable<readonly Row[]>,
  config: Config,
  context: OperatorContext<Needs>,
) => AsyncIterable<OperatorResult>;

/** Lists documents and passes those to process to `emit`, in a stable order. */
export type RunSource<Config, Needs extends ServiceName = ServiceName> = (
  emit: (row: Row) => Promise<void>,
  config: Config,
  context: OperatorContext<Needs>,
) => Promise<SourceResult>;

/** The module imported by `load`: `run` for rows, `runParts` for runs too large for memory, `runSource` for sources. */
export interface OperatorModule {
  run?: RunOperator<never>;
  runParts?: RunParts<never>;
  runSource?: RunSource<never>;
}

/** An index that an operator writes to, and its server (undefined: the configured one). */
export interface OperatorIndex {
  name: string;
  target: SearchTarget | undefined;
  /** An alias that points to the index once the run is done. */
  alias?: string;
}

/** A definition that also declares the servers and places that the operator names in its configuration. */
export interface DeclaredOperator extends OperatorDefinition {
  /** The index that it writes to. Secrets may be unresolved. */
  index?: (config: Record<string, unknown>) => OperatorIndex;
  /** The document set that it writes to, by id or name; undefined if the configuration names none. */
  documentSet?: (config: Record<string, unknown>) => { id: string } | { name: string } | undefined;
  /** Where it writes files. */
  exportsTo?: (config: Record<string, unknown>) => ExportTarget;
  /**
   * The pieces whose vectors it stores in the cache: their size in tokens, and their overlap as a share of the size.
   */
  embeds?: (config: Record<string, unknown>) => readonly [size: number, overlap: number];
  /** The check of its servers in a deep validation. */
  inspection?: Inspection;
}

/** An entry of the operator list: the definition, and a lazy loader of the code. */
export interface RegisteredOperator extends DeclaredOperator {
  load: () => Promise<OperatorModule>;
}

/** Combines a definition and its code. */
export function operator(definition: DeclaredOperator, load: () => Promise<OperatorModule>): RegisteredOperator {
  return { ...definition, load };
}
