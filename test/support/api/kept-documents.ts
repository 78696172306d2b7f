import { Readable } from 'node:stream';
import type { ApiServices } from '../../../api/services';
import type { LedgerEntry } from '../../../services/run/ledger';

/** The ledger entry of a document that alice ingested for herself. */
export function ledgerEntry(change: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    id: 'of-alice',
    name: 'invoice “1”.pdf',
    size: 4,
    modified_time: '',
    content_hash: 'hash',
    acl_hash: '',
    status: 'done',
    indexes: {},
    plan_hash: '',
    run_id: 'run',
    allowed_users: ['alice'],
    owner: 'alice',
    withholds_text: false,
    ...change,
  };
}

/** Documents in memory: the entries by document, and each form as JSON that names its key. */
export function memoryKept(
  entries: readonly (LedgerEntry & { job_id: string })[] = [{ ...ledgerEntry(), job_id: 'job' }],
): ApiServices['keptDocuments'] & { written: Map<string, string> } {
  const written = new Map<string, string>();
  return {
    written,
    find: async (documentId) => entries.filter(({ id }) => id === documentId),
    lookup: async (jobId, ids) =>
      new Map(
        entries.flatMap((entry) => (entry.job_id === jobId && ids.includes(entry.id) ? [[entry.id, entry]] : [])),
      ),
    exists: async (key) => !key.endsWith('.corrected.md') || written.has(key),
    open: async (key) => Readable.from([Buffer.from(written.get(key) ?? JSON.stringify({ key }))]),
    put: async (key, bytes) => void written.set(key, Buffer.from(bytes as Uint8Array).toString()),
    removePrefix: async (prefix) => {
      for (const key of written.keys()) if (key.startsWith(prefix)) written.delete(key);
    },
  };
}
