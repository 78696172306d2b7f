import type { FilesStore } from '../storage/files';
import type { Ledger } from './ledger';

/** The ledger as a sample run sees it: reads are passed on, and writes are dropped. No document counts as deleted. */
export function createSampleLedger(ledger: Ledger): Ledger {
  return {
    listMembers: (jobId, parentIds) => ledger.listMembers(jobId, parentIds),
    lookup: (jobId, ids) => ledger.lookup(jobId, ids),
    hasDocuments: (jobId) => ledger.hasDocuments(jobId),
    find: (documentId) => ledger.find(documentId),
    findByContent: (contentHash) => ledger.findByContent(contentHash),
    listIds: (jobId) => ledger.listIds(jobId),
    listRemoved: (jobId, ids) => ledger.listRemoved(jobId, ids),
    listGone: async () => [],
    record: async () => {},
    markSeen: async () => {},
    remove: async () => {},
  };
}

/** The prefix of the files that a sample run writes; they are removed when it ends. */
export function buildSamplePrefix(runId: string): string {
  return `samples/${runId}/`;
}

/**
 * The files as a sample run sees them: it writes to a separate prefix under the same keys, and prefers its own files over
 * those of the flow.
 */
export function createSampleFiles(files: FilesStore, runId: string): FilesStore {
  const prefix = buildSamplePrefix(runId);
  return {
    put: (key, bytes) => files.put(prefix + key, bytes),
    get: async (key) => files.get((await files.exists(prefix + key)) ? prefix + key : key),
    exists: async (key) => (await files.exists(prefix + key)) || files.exists(key),
    async *list(path) {
      const listedKeys = new Set<string>();
      for await (const key of files.list(prefix + path)) listedKeys.add(key.slice(prefix.length));
      yield* listedKeys;
      for await (const key of files.list(path)) if (!listedKeys.has(key)) yield key;
    },
    removePrefix: (path) => files.removePrefix(prefix + path),
  };
}
