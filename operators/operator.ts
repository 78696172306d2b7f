import type { OperatorDefinition, ServiceName } from '../model/operator';
import type { Row, RowFailure, RowSkip } from '../model/row';
import type { DocumentClass } from '../model/document-class';
import type { FlowDefinition } from '../model/flow';
import type { DocumentSetsStore } from '../services/document-sets-store';
import type {
  Converter,
  Embedder,
  FilesStore,
  Ledger,
  Llm,
  RemoteConverter,
  Search,
  Sources,
  SqlRunner,
  TablesStore,
  Tokenizers,
} from '../services/ports';

/** The services by the names that operators put into `needs`. */
export interface OperatorServices {
  tables: TablesStore;
  files: FilesStore;
  ledger: Ledger;
  search: Search;
  embedder: Embedder;
  llm: Llm;
  /** The bundled classes of documents, by name. */
  documentClasses: { list(): readonly DocumentClass[] };
  converter: Converter;
  remoteConverter: RemoteConverter;
  sources: Sources;
  sql: SqlRunner;
  tokenizers: Tokenizers;
  documentSets: Pick<DocumentSetsStore, 'find' | 'getOrCreate' | 'write' | 'removeRows'>;
}

/** What an operator may know and use while it runs. */
export interface OperatorContext<Needs extends ServiceName = ServiceName> {
  /** Aborts when the run is cancelled or the worker shuts down; long work must obey within a second. */
  signal: AbortSignal;
  /** Documents or chunks done so far in this part; shown live. */
  progress: (done: number, total?: number) => void;
  services: Pick<OperatorServices, Needs>;
  run: RunFacts;
  /** The operator's name in the flow. */
  operator: string;
  /** What came from each input, in the order of the flow; `rows` holds the same without repeated ids. Absent with one input. */
  inputs?: readonly OperatorInput[];
  /** The configuration of another operator of the flow as it runs: defaults filled in, secrets resolved. */
  configOf?: (operator: string) => Record<string, unknown>;
}

/** The rows of one of several inputs; `name` is that of an operator, or `operator.branch`. */
export interface OperatorInput {
  name: string;
  rows: readonly Row[];
}

/** Facts of the run that operators may use. Times are given so that a second attempt writes the same. */
export interface RunFacts {
  runId: string;
  jobId: string;
  owner: string;
  /** ISO 8601; when the run started. */
  startedAt: string;
  forceIngest: boolean;
  planHash: string;
  /** The snapshot of the flow, secrets not resolved. */
  flow: FlowDefinition;
}

/** What an operator gives back. Rows that failed or were skipped are not among `rows`. */
export interface OperatorResult {
  rows: Row[];
  /** Of an operator that divides its rows: those of each branch. `rows` then holds every row that a branch took, once. */
  branches?: Record<string, Row[]>;
  failed?: RowFailure[];
  skipped?: RowSkip[];
  warnings?: string[];
  /** Further counts for the report, e.g. `total_chunks`; summed over parts. */
  metrics?: Record<string, number>;
}

/** What a source operator gives: batches of new or changed documents, then the counts of its listing. */
export interface SourceResult {
  unchanged: RowSkip[];
  failed: RowFailure[];
  warnings: string[];
  added: number;
  changed: number;
  gone: { id: string; name: string }[];
  metrics?: Record<string, number>;
}

/** Rows in, rows out. Never changes the rows it was given; running twice gives the same. */
export type RunOperator<Config, Needs extends ServiceName = ServiceName> = (
  rows: readonly Row[],
  config: Config,
  context: OperatorContext<Needs>,
) => Promise<OperatorResult>;

/**
 * All rows of a run, part by part in the order of the source, for an operator that must see them all but need not hold them.
 * Gives one result for each part, in the same order.
 */
export type RunParts<Config, Needs extends ServiceName = ServiceName> = (
  parts: AsyncIterable<readonly Row[]>,
  config: Config,
  context: OperatorContext<Needs>,
) => AsyncIterable<OperatorResult>;

/** Lists documents and hands over those to be processed through `emit`, in a stable order. */
export type RunSource<Config, Needs extends ServiceName = ServiceName> = (
  emit: (row: Row) => Promise<void>,
  config: Config,
  context: OperatorContext<Needs>,
) => Promise<SourceResult>;

/** The module that `load` imports: `run` for rows, `runParts` where a run is too large to be held, `runSource` for sources. */
export interface OperatorModule {
  run?: RunOperator<never>;
  runParts?: RunParts<never>;
  runSource?: RunSource<never>;
}

/** An entry of the operator list: the definition, and the code when it is needed. */
export interface RegisteredOperator extends OperatorDefinition {
  load: () => Promise<OperatorModule>;
}

/** Joins a definition and its code. */
export function operator(definition: OperatorDefinition, load: () => Promise<OperatorModule>): RegisteredOperator {
  return { ...definition, load };
}
