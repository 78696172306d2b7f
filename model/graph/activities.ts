import type { BuildGraphInput, GraphOutcome } from './graph-build';

/** The activities of graphs. All may run twice. */
export interface GraphActivities {
  /**
   * Builds the graph and writes its files. What each chunk gave is kept, so that a later attempt does not ask the model again.
   * A document of which there is no graph is an outcome; only trouble of the service itself throws.
   */
  build_graph: (input: BuildGraphInput) => Promise<GraphOutcome>;
  /** Writes the final state unless there is one, and removes what is not needed any more. */
  finish_graph: (input: BuildGraphInput & { outcome: GraphOutcome }) => Promise<void>;
}
