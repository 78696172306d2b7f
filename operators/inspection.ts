import type { Reader } from '../model/access';
import type { FlowDefinition, FlowOperator } from '../model/flow/flow';
import type { Person } from '../model/run/rights';
import type { Embedder } from '../services/embedding/embedder';
import type { CheckedDestinationRight } from '../services/export/answers';
import type { IndexInspector } from '../services/search/index';
import type { CheckedRight } from '../services/source/check';

/** The user for whom a source is checked. */
export interface CheckReader extends Reader, Person {
  /** True for administrators, whose runs may read hidden files. */
  seesHidden: boolean;
}

/** Tries the rights that the source of an ingest configuration needs, from within the api. */
export interface SourceInspector {
  /**
   * Opens only connections that the reader may use. Without a reader, no connection is opened and every document may be read for
   * the check. Throws CONNECTION_NOT_FOUND, SECRET_NOT_FOUND or SECRET_NOT_ALLOWED like a run. Rights that need secrets of the
   * worker are `unknown`.
   */
  check(config: Record<string, unknown>, reader: CheckReader | undefined, signal: AbortSignal): Promise<CheckedRight[]>;
}

/** Tries the rights that an export needs at its destination, from within the api. */
export interface DestinationInspector {
  /**
   * Opens only connections that the reader may use, and folders only for those who may export to them. Throws like a run. Rights
   * that need secrets of the worker are `unknown`.
   */
  check(
    config: Record<string, unknown>,
    reader: CheckReader | undefined,
    signal: AbortSignal,
  ): Promise<CheckedDestinationRight[]>;
}

/** Services for an inspection. None of them changes anything, apart from the file that a check of a destination writes and removes. */
export interface InspectionServices {
  search: IndexInspector;
  embedder: Pick<Embedder, 'embed'>;
  sources: SourceInspector;
  destinations: DestinationInspector;
}

/** A problem that an inspection found. `pointer` is a JSON pointer into `config`. */
export interface Finding {
  code: string;
  message: string;
  pointer: string;
}

/** The result of an inspection. */
export interface Inspected {
  errors: Finding[];
  warnings?: Finding[];
  /** The length of the vectors that the operator adds. */
  vectorDimension?: number;
}

/** The operator to inspect, and the services that its inspection may use. */
export interface InspectionContext {
  flow: FlowDefinition;
  operator: FlowOperator;
  /** The effective configuration. It contains no secrets of the worker. */
  config: Record<string, unknown>;
  services: InspectionServices;
  reader: CheckReader | undefined;
  signal: AbortSignal;
  /** The result for another operator of the flow; undefined if that operator is not inspected. */
  resultOf(operator: string): Promise<Inspected | undefined>;
}

/** Contacts the servers that an operator names, before a run does. */
export interface Inspection {
  /** JSON pointer to the member of `config` that names the server, where thrown errors are reported. */
  pointer: string;
  inspect(context: InspectionContext): Promise<Inspected>;
}
