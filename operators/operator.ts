import type { ColumnFacts } from '../model/flow/columns';
import type { OperatorDefinition, ServiceName } from '../model/flow/operator';
import type { Row, RowFailure, RowSkip } from '../model/flow/row';
import type { DocumentClass } from '../model/entity/document-class';
import type { FlowDefinition } from '../model/flow/flow';
import type { DocumentSetsStore } from '../services/document-set/document-sets-store';
import type { Converter } from '../services/conversion/converter';
import type { RemoteConverter } from '../services/conversion/remote-converter';
import type { Embedder } from '../services/embedding/embedder';
import type { Tokenizers } from '../services/embedding/tokenizers';
import type { Llm } from '../services/llm/ports';
import type { Ledger } from '../services/run/ledger';
import type { Search } from '../services/search/ports';
import type { Sources } from '../services/source/sources';
import type { FilesStore } from '../services/storage/files';
import type { Originals } from '../services/storage/originals';
import type { SqlRunner } from '../services/table/sql';
import type { TablesStore } from '../services/table/tables';

/** The services, under the names that operators list in `needs`. */
export interface OperatorServices {
  tables: TablesStore;
  files: FilesStore;
  ledger: Ledger;
  search: Search;
  embedder: Embedder;
  llm: Llm;
  /** The bundled document classes, by name. */
  documentClasses: { list(): readonly DocumentClass[] };
  converter: Converter;
  remoteConverter: RemoteConverter;
  sources: Sources;
  sql: SqlRunner;
  tokenizers: Tokenizers;
  originals: Originals;
  documentSets: Pick<DocumentSetsStore, 'find' | 'getOrCreate' | 'write' | 'removeRows'>;
}

/** What an operator can use while it runs. */
export interface OperatorContext<Needs extends ServiceName = ServiceName> {
  /** Aborts when the run is cancelled or the worker shuts down; long work must stop within a second. */
  signal: AbortSignal;
  /** Reports how many documents or chunks of this part are done; shown live. */
  progress: (done: number, total?: number) => void;
  services: Pick<OperatorServices, Needs>;
  run: RunFacts;
  /** The operator's name in the flow. */
  operator: string;
  /** The rows of each input, in the order of the flow; `rows` has the same rows without repeated ids. Absent for a single input. */
  inputs?: readonly OperatorInput[];
  /** The effective configuration of another operator of the flow: defaults filled in, secrets resolved. */
  configOf?: (operator: string) => Record<string, unknown>;
  /** The columns that operators before this one declare. */
  declared?: () => ReadonlyMap<string, ColumnFacts>;
}

/** The rows of one of several inputs; `name` is an operator's name, or `operator.branch`. */
export interface OperatorInput {
  name: string;
  rows: readonly Row[];
}

/** Facts about the run. Times are passed in so that a retry writes the same values. */
export interface RunFacts {
  runId: string;
  jobId: string;
  owner: string;
  /** Users who must all be able to read a document before the run sees it; empty for everybody, the owner when absent. */
  readers?: readonly string[];
  /** Users who must all be allowed to write into an index; empty for administrators, the owner when absent. */
  writers?: readonly string[];
  /** The owner of what the job makes; the owner of the run when absent. */
  jobOwner?: string;
  /** When the run started, ISO 8601. */
  startedAt: string;
  forceIngest: boolean;
  planHash: string;
  /** The flow as it was when the run was created, with unresolved secrets. */
  flow: FlowDefinition;
}

/** The result of an operator. Rows that failed or were skipped are not in `rows`. */
export interface OperatorResult {
  rows: Row[];
  /** For an operator with branches: the rows of each branch. `rows` then has every row of a branch exactly once. */
  branches?: Record<string, Row[]>;
  failed?: RowFailure[];
  skipped?: RowSkip[];
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
  /** How many documents were withheld from the run, which may not read them. They are nowhere named. */
  withheld: number;
  metrics?: Record<string, number>;
}

/** Rows in, rows out. Does not modify its input, and gives the same result when it runs again. */
export type RunOperator<Config, Needs extends ServiceName = ServiceName> = (
  rows: readonly Row[],
  config: Config,
  context: OperatorContext<Needs>,
) => Promise<OperatorResult>;

/**
 * Processes all rows of a run part by part, in the order of the source, for an operator that must see all rows but need not
 * hold them in memory. Yields one result per part, in the same order.
 */
export type RunParts<Config, Needs extends ServiceName = ServiceName> = (
  parts: AsyncIterable<readonly Row[]>,
  config: Config,
  context: OperatorContext<Needs>,
) => AsyncIterable<OperatorResult>;

/** Lists documents and passes those to be processed to `emit`, in a stable order. */
export type RunSource<Config, Needs extends ServiceName = ServiceName> = (
  emit: (row: Row) => Promise<void>,
  config: Config,
  context: OperatorContext<Needs>,
) => Promise<SourceResult>;

/** The module that `load` imports: `run` for rows, `runParts` for runs too large for memory, `runSource` for sources. */
export interface OperatorModule {
  run?: RunOperator<never>;
  runParts?: RunParts<never>;
  runSource?: RunSource<never>;
}

/** An entry of the operator list: the definition, and a lazy loader of the code. */
export interface RegisteredOperator extends OperatorDefinition {
  load: () => Promise<OperatorModule>;
}

/** Combines a definition and its code. */
export function operator(definition: OperatorDefinition, load: () => Promise<OperatorModule>): RegisteredOperator {
  return { ...definition, load };
}
