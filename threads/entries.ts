import path from 'node:path';

/** The compiled entry file of each kind of worker thread, relative to the root of the compiled sources. */
export const threadEntries = {
  /** Converts bytes to a document and its outputs. */
  conversion: 'threads/conversion/entry.js',
  /** Draws pages of stored documents and lists their content. */
  page: 'threads/page/entry.js',
  /** Builds the files of a graph from its sources. */
  graph: 'threads/graph/entry.js',
  /** Turns texts into vectors. */
  embed: 'threads/embed/entry.js',
  /** Scores how well texts fit a query. */
  rerank: 'threads/rerank/entry.js',
} as const;

/**
 * Returns the path of an entry file. `compiled` is the folder of the compiled sources; by default the one that the caller runs
 * from.
 */
export function getThreadFile(name: keyof typeof threadEntries, compiled = path.join(__dirname, '..')): string {
  return path.join(compiled, threadEntries[name]);
}
