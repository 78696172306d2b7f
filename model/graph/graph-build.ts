/** States of a graph build. */
export const graphStates = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELED'] as const;
export type GraphState = (typeof graphStates)[number];

/** True for states that can no longer change. */
export function isFinalGraph(state: GraphState): boolean {
  return state !== 'QUEUED' && state !== 'RUNNING';
}

/** The output formats of graphs. */
export const graphFormats = [
  'json',
  'csv',
  'cypher',
  'report',
  'html',
  'graphml',
  'gexf',
  'turtle',
  'jsonld',
  'parquet',
] as const;
export type GraphFormat = (typeof graphFormats)[number];

/** Written when the request names no format. */
export const defaultGraphFormats: readonly GraphFormat[] = ['json', 'csv', 'cypher', 'report', 'html'];

/** A file of a finished graph. */
export interface GraphFile {
  name: string;
  /** Absent for files that are not a format of the graph: evidence, statistics, instances. */
  format?: GraphFormat;
  bytes: number;
}

/** Facts about a finished graph. */
export interface GraphFacts {
  nodes: number;
  edges: number;
  /** Number of values that were changed or dropped. */
  problems: number;
  files: GraphFile[];
}

/** Argument of the graph workflow. Everything else is stored in the graph record. */
export interface BuildGraphInput {
  graphId: string;
  /** Outcome and counts are written to search attributes; absent in workflows that an earlier version started. */
  showsCounts?: boolean;
}

/** What the workflow returns: a sentence for readers of the Temporal UI, without text of documents. */
export interface GraphReport {
  summary: string;
  state: GraphState;
}

/** Result of a graph build. */
export type GraphOutcome =
  | { state: 'COMPLETED'; facts: GraphFacts }
  | { state: 'FAILED'; code: string; message: string }
  | { state: 'CANCELED' };
