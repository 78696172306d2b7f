/** The estimated cost of an update of a corpus graph, computed before it calls a model. */
export interface CorpusEstimate {
  /** Documents to read: added and changed ones. */
  documents: number;
  chunks: number;
  /** Requests about documents and about pairs of nodes. */
  model_calls: number;
  input_tokens: number;
  /** Doubtful pairs of nodes that the model will be asked about; absent in estimates of earlier versions. */
  pairs?: number;
}

/** How the documents of the set differ from those in the graph. */
export interface CorpusChanges {
  added: number;
  changed: number;
  removed: number;
  unchanged: number;
  /** Added and changed documents whose headings are unknown; absent in updates of earlier versions. */
  without_headings?: number;
}

/** The limits of an update. It does not start if its estimate is higher, and stops when it has used as much. */
export interface CorpusLimit {
  documents?: number;
  model_calls?: number;
  input_tokens?: number;
}

/** The usage of updates so far. */
export interface CorpusUsage {
  model_calls: number;
  input_tokens: number;
  output_tokens: number;
}

/** The result of planning an update: how many parts it has, or why it ends here. */
export type CorpusPlan = { parts: number } | { end: CorpusOutcome };

/** How many documents a part has, and how many of them failed. */
export interface CorpusCounts {
  documents: number;
  failed: number;
}

/** Result of an update, or of a part of it. */
export type CorpusOutcome =
  | { state: 'COMPLETED'; counts?: CorpusCounts }
  | { state: 'FAILED'; code: string; message: string }
  | { state: 'CANCELED' };

/** Argument of the workflow that updates a graph. `parts` and `next` are set when a long update continues as a new run. */
export interface UpdateGraphInput {
  graphId: string;
  /** Outcome and counts are written to search attributes; absent in workflows that an earlier version started. */
  showsCounts?: boolean;
  /** Counts of the parts before `next`. */
  counts?: CorpusCounts;
  parts?: number;
  next?: number;
}
