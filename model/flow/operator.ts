import type { TObject } from '@sinclair/typebox';
import type { ColumnFacts } from './columns';

/** The groups in which operators are listed. */
export type OperatorCategory = 'Ingest' | 'Extract' | 'Functional' | 'Quality' | 'VectorDB' | 'Storage';

/** A service that an operator may ask for in `needs`; the names of the services of `operators/operator.ts`. */
export type ServiceName =
  | 'tables'
  | 'files'
  | 'ledger'
  | 'search'
  | 'embedder'
  | 'llm'
  | 'documentClasses'
  | 'converter'
  | 'remoteConverter'
  | 'sources'
  | 'sql'
  | 'tokenizers'
  | 'documentSets'
  | 'originals';

/**
 * What is known of an operator without loading its code: enough to list, validate, plan and document it.
 *
 * `scope`: `source` makes rows from nothing, `row` treats each part on its own, `table` needs all rows at once (a stage
 * ends before it). `reads` are columns that must exist, `writes` those it adds. `queue` is the task queue of its activity.
 */
export interface OperatorDefinition {
  /** The wire name: the `type` in a flow, the folder, the activity type. */
  name: string;
  label: string;
  category: OperatorCategory;
  scope: 'source' | 'row' | 'table';
  /** True where a configuration makes an operator of the scope `row` need all rows at once. */
  needsAllRows?: (config: Record<string, unknown>) => boolean;
  queue: 'cpu' | 'io';
  needs: readonly ServiceName[];
  reads: readonly string[];
  writes: readonly string[];
  /** Settings that name columns, as ways such as `text_extraction/doc_column`: `reads` must exist, `writes` are added besides. */
  named?: { reads?: readonly string[]; writes?: readonly string[] };
  /** True where the configuration may add columns that nobody can tell before. */
  addsAny?: (config: Record<string, unknown>) => boolean;
  /** What its own columns hold; those of `model/flow/columns.ts` need no entry. */
  columns?: Readonly<Record<string, ColumnFacts>>;
  config: TObject;
  summary: string;
  /** The branches of an operator that divides its rows: others take them as `name.branch`. Sure to be asked with any configuration. */
  branches?: (config: Record<string, unknown>) => string[];
  /** True where it masks parts of the text; what was quoted from the text before is then indexed only where the flow says so. */
  masksText?: boolean;
  /** True where it may leave out or change text, so that readers of the index are not meant to see all of the document. */
  withholdsText?: boolean;
  /** Settings besides `output_features_to_drop` that list columns to remove. */
  drops?: readonly string[];
  /** Where in a flow the operator belongs. */
  place?: PlaceRules;
  /** Queries over the table `input` that a configuration holds. The engine binds them to the columns that come in, without running them. */
  queries?: (config: Record<string, unknown>) => OperatorQuery[];
  /** Checks that a schema cannot express. Pure: no server, no file. */
  validate?: (config: Record<string, unknown>, columns: ReadonlySet<string>) => OperatorProblem[];
}

/** An SQL query of a configuration, with its place in the operator's `config`; its result must hold `keeps`. */
export interface OperatorQuery {
  pointer: string;
  sql: string;
  keeps: readonly string[];
}

/** One rule about the place of an operator. `found` are the names of the operators that the rule is about. */
interface PlaceRule {
  messageCode: string;
  message: (operator: string, found: readonly string[]) => string;
}

/** Where in a flow an operator belongs; types are wire names of other operators. */
export interface PlaceRules {
  /** It joins its inputs itself and needs this many. Without the rule several inputs are a warning: equal ids are dropped. */
  minInputs?: PlaceRule & { count: number };
  /** An operator of this type must stand before it. */
  after?: PlaceRule & { type: string };
  /** A warning where this column does not come in and an operator of this type could give it. */
  expects?: PlaceRule & { column: string; from: string };
  /** A warning where another one stands before it. */
  once?: PlaceRule;
}

/** A problem of an operator's configuration, for the validation response. */
export interface OperatorProblem {
  severity: 'error' | 'warning';
  /** A message code such as `CHUNKER_INVALID_CHUNK_TYPE`. */
  messageCode: string;
  message: string;
  /** JSON pointer into the operator's `config`. */
  pointer?: string;
}
