import type { TObject } from '@sinclair/typebox';
import type { ConnectionType } from '../connection/connection';
import type { ColumnFacts } from './columns';

/** The categories of operators. */
export type OperatorCategory = 'Ingest' | 'Extract' | 'Functional' | 'Quality' | 'VectorDB' | 'Storage';

/** A service that an operator may request in `needs`. The names match the services in `operators/operator.ts`. */
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
  | 'originals'
  | 'exports'
  | 'exportedFiles'
  | 'members';

/**
 * The definition of an operator, available without loading its code: enough to list, validate, plan and document it.
 *
 * `scope`: a `source` creates rows, `row` processes each part on its own, `table` needs all rows at once (a stage ends before
 * it). `reads` lists required columns, `writes` the columns it adds. `queue` is the task queue of its activity.
 */
export interface OperatorDefinition {
  /** The wire name: the `type` in a flow, the folder name, and the activity type. */
  name: string;
  label: string;
  category: OperatorCategory;
  scope: 'source' | 'row' | 'table';
  /** True when the configuration makes an operator of scope `row` need all rows at once. */
  needsAllRows?: (config: Record<string, unknown>) => boolean;
  queue: 'cpu' | 'io';
  needs: readonly ServiceName[];
  reads: readonly string[];
  writes: readonly string[];
  /** The columns of `writes` that it does not add with the configuration. */
  leavesOut?: (config: Record<string, unknown>) => readonly string[];
  /** Settings that name columns, as paths such as `text_extraction/doc_column`. `reads` must exist; `writes` are added. */
  named?: { reads?: readonly string[]; writes?: readonly string[] };
  /** True when the configuration may add columns that are not known in advance. */
  addsAny?: (config: Record<string, unknown>) => boolean;
  /** Describes its own columns. Columns in `model/flow/columns.ts` need no entry. */
  columns?: Readonly<Record<string, ColumnFacts>>;
  config: TObject;
  summary: string;
  /** Branches of an operator that divides its rows; other operators read them as `name.branch`. Must accept any configuration. */
  branches?: (config: Record<string, unknown>) => string[];
  /** True when it masks parts of the text. Earlier quotes from the text are then indexed only if the flow says so. */
  masksText?: boolean;
  /** True when it may remove or change text, so that readers of the index must not see the whole document. */
  withholdsText?: boolean;
  /** True when it writes rows outside of the run, into an index or a set. Sample runs leave it out. */
  stores?: boolean;
  /** Settings other than `output_features_to_drop` that list columns to remove. */
  drops?: readonly string[];
  /** The connections whose secrets it accepts, and the address that receives a secret when the configuration names none. */
  secrets?: (config: Record<string, unknown>) => { types: readonly ConnectionType[]; usualAddress?: string };
  /** Rules about the position of the operator in a flow. */
  place?: PlaceRules;
  /**
   * SQL queries in the configuration over the table `input`. The engine binds them to the incoming columns without running them.
   */
  queries?: (config: Record<string, unknown>) => OperatorQuery[];
  /** Checks that a schema cannot express. Pure: no access to servers or files. */
  validate?: (config: Record<string, unknown>, columns: ReadonlySet<string>) => OperatorProblem[];
}

/** An SQL query in a configuration. `pointer` is its place in `config`; the result must contain the columns in `keeps`. */
export interface OperatorQuery {
  pointer: string;
  sql: string;
  keeps: readonly string[];
}

/** One rule about the position of an operator. `found` lists the operators that the rule concerns. */
interface PlaceRule {
  messageCode: string;
  message: (operator: string, found: readonly string[]) => string;
}

/** Rules about the position of an operator in a flow; types are wire names of other operators. */
export interface PlaceRules {
  /**
   * The operator joins its inputs itself and needs this many. Without this rule, several inputs cause a warning because rows with
   * equal ids are dropped.
   */
  minInputs?: PlaceRule & { count: number };
  /** An operator of this type must come before it. */
  after?: PlaceRule & { type: string };
  /** With such a configuration, the flow must contain exactly one operator of this type. */
  exactlyOne?: PlaceRule & { type: string; applies: (config: Record<string, unknown>) => boolean };
  /** Warns when this column is missing in the input although an operator of this type could add it. */
  expects?: PlaceRule & { column: string; from: string };
  /** Warns when another operator of the same type comes before it. */
  once?: PlaceRule;
}

/** A problem in an operator's configuration, for the validation response. */
export interface OperatorProblem {
  severity: 'error' | 'warning';
  /** A message code, for example `CHUNKER_INVALID_CHUNK_TYPE`. */
  messageCode: string;
  message: string;
  /** JSON pointer into the operator's `config`. */
  pointer?: string;
}
