import path from 'node:path';

/** The code that runs in worker threads: the compiled entry file of each kind, from the root of the compiled sources. */
export const threadEntries = {
  /** Bytes to a document and its outputs. */
  conversion: 'threads/conversion/entry.js',
  /** The sources of a graph to its files. */
  graph: 'threads/graph/entry.js',
} as const;

/** The path of an entry file; `compiled` is the folder of the compiled sources, which the caller runs from unless it says otherwise. */
export function threadFile(name: keyof typeof threadEntries, compiled = path.join(__dirname, '..')): string {
  return path.join(compiled, threadEntries[name]);
}
