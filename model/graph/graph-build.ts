/** States of a graph that the service builds. */
export const graphStates = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELED'] as const;
export type GraphState = (typeof graphStates)[number];

/** True for states that do not change any more. */
export function isFinalGraph(state: GraphState): boolean {
  return state !== 'QUEUED' && state !== 'RUNNING';
}

/** The formats that graphs are written in. */
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

/** Written when no format is named. */
export const defaultGraphFormats: readonly GraphFormat[] = ['json', 'csv', 'cypher', 'report', 'html'];

/** A file of a graph that is built. */
export interface GraphFile {
  name: string;
  /** Absent for those that are no format of the graph: evidence, statistics, instances. */
  format?: GraphFormat;
  bytes: number;
}

/** What a graph is, once it is built. */
export interface GraphFacts {
  nodes: number;
  edges: number;
  /** Values that were changed or left out. */
  problems: number;
  files: GraphFile[];
}

/** Argument of the workflow of a graph. Everything else stands in its record. */
export interface BuildGraphInput {
  graphId: string;
}

/** What became of a graph. */
export type GraphOutcome =
  | { state: 'COMPLETED'; facts: GraphFacts }
  | { state: 'FAILED'; code: string; message: string }
  | { state: 'CANCELED' };
