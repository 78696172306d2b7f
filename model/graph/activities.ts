import type { BuildGraphInput, GraphOutcome } from './graph-build';

/** The activities of graphs. All are safe to run twice. */
export interface GraphActivities {
  /**
   * Builds the graph and writes its files. Stores the result of each chunk, so that a later attempt does not ask the model again.
   * Returns an outcome even when the documents yield no graph; throws only when the service itself fails.
   */
  build_graph: (input: BuildGraphInput) => Promise<GraphOutcome>;
  /** Writes the final state unless there is one, and removes temporary data. */
  finish_graph: (input: BuildGraphInput & { outcome: GraphOutcome }) => Promise<void>;
}
