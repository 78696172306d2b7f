import type { ApiServices } from '../../../api/services';
import { isAdmin, type User } from '../../../model/access';
import type { RemovalRecord } from '../../../services/removal/records';
import type { LedgerEntry } from '../../../services/run/ledger';
import type { OwnIndex } from '../../../services/vector/index-catalogue';
import { ledgerEntry } from './kept-documents';

type Entry = LedgerEntry & { job_id: string };

/** Removals in memory, each done at once, with entries and tombstones as in the ledger. */
export function memoryRemovals(
  newId: () => string = () => 'removal',
  input: readonly Entry[] = [{ ...ledgerEntry(), job_id: 'job' }],
): ApiServices['removals'] {
  const records = new Map<string, RemovalRecord>();
  let entries = [...input];
  const add = (change: Partial<RemovalRecord> & Pick<RemovalRecord, 'requested_by'>): RemovalRecord => {
    const now = new Date().toISOString();
    const record: RemovalRecord = {
      removal_id: newId(),
      kind: 'document',
      state: 'DONE',
      documents: [],
      requested_at: now,
      finished_at: now,
      restored_at: null,
      places: {},
      ...change,
    };
    records.set(record.removal_id, record);
    return record;
  };
  return {
    removeDocuments: async (removed, { user, extra = {} }) => {
      entries = entries.filter(
        (entry) => !removed.some(({ id, job_id }) => id === entry.id && job_id === entry.job_id),
      );
      const documents = removed.map(({ job_id, id, owner = '' }) => ({ job_id, document_id: id, owner }));
      return add({ requested_by: user, documents, places: { ...extra, ledger: { removed: removed.length, state: 'done', note: null } } }); // prettier-ignore
    },
    removeJob: async (jobId, { user }, before) => {
      await before();
      return add({ kind: 'flow', job_id: jobId, requested_by: user });
    },
    get: async (id) => records.get(id),
    list: async ({ user, everyone }, { limit, offset }) => {
      const items = [...records.values()].filter(({ requested_by: by }) => everyone || by === user.username);
      return { items: items.slice(offset, offset + limit), total: items.length };
    },
    restore: async (record) => {
      const restored = { ...record, restored_at: new Date().toISOString() };
      records.set(record.removal_id, restored);
      return restored;
    },
    tombstones: async (documentId) =>
      [...records.values()].flatMap(({ removal_id, documents }) =>
        documents
          .filter(({ document_id }) => document_id === documentId)
          .map((document) => ({
            ...document,
            removal_id,
            owner: input.find(({ id }) => id === documentId)?.owner ?? '',
          })),
      ),
    entries: async (documentId) => entries.filter(({ id }) => id === documentId),
    sameContent: async (hash) => entries.filter(({ content_hash }) => content_hash === hash),
  };
}

/** Indexes in memory. */
export function memoryIndexes(ownIndexes: readonly OwnIndex[] = []): ApiServices['indexes'] {
  let indexes = [...ownIndexes];
  const visible = (user: User, admins: readonly string[]) =>
    indexes.filter(
      ({ owner, writers }) => owner === user.username || writers.includes(user.username) || isAdmin(user, admins),
    );
  return {
    list: async (user, admins, { limit, offset }) => {
      const found = visible(user, admins);
      return { items: found.slice(offset, offset + limit), total: found.length };
    },
    get: async (user, admins, name) => visible(user, admins).find((index) => index.name === name),
    describe: async (uuid, description) =>
      void (indexes = indexes.map((index) => (index.uuid === uuid ? { ...index, description } : index))),
    drop: async ({ uuid }) => {
      const found = indexes.some((index) => index.uuid === uuid);
      indexes = indexes.filter((index) => index.uuid !== uuid);
      return found;
    },
  };
}
