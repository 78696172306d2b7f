import type { CorpusOutcome, CorpusPlan, UpdateGraphInput } from './corpus';
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
  /**
   * Compares the documents of the set with those in the graph, copies the texts of new and changed ones, and records the estimate.
   * Ends a dry run, and an update that would exceed its limit.
   */
  plan_graph_update: (input: UpdateGraphInput) => Promise<CorpusPlan>;
  /** Reads the documents of one part, and replaces their facts. Documents that an earlier attempt has finished are skipped. */
  update_graph_part: (input: UpdateGraphInput & { part: number }) => Promise<CorpusOutcome>;
  /** Finds nodes that mean the same thing among documents that were not compared yet, if the graph is configured to. */
  resolve_graph_entities: (input: UpdateGraphInput) => Promise<CorpusOutcome>;
  /**
   * Removes facts of removed documents, unless the update failed, and writes the final state. Queues another update if the set
   * has changed since and the graph follows it.
   */
  finish_graph_update: (
    input: UpdateGraphInput & { outcome: CorpusOutcome },
  ) => Promise<{ isQueuedAgain: boolean } | undefined>;
}
