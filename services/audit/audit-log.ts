import type { Filter } from 'mongodb';
import type { AuditEntry, AuditFilter } from '../../model/audit/entry';
import { guard, isDuplicate, type Mongo, createWhenReady } from '../storage/mongo';
import { readPage } from '../storage/read-page';

/** Who did what. Entries are added and, when they are too old, removed; nothing changes one. */
export interface AuditLog {
  /** Resolves when the entry is stored. */
  write(entry: AuditEntry): Promise<void>;
  /** Stores the entry within a second, together with others; a process that is killed before loses it. */
  note(entry: AuditEntry): void;
  /** The latest first. */
  list(filter: AuditFilter, page: { limit: number; offset: number }): Promise<{ items: AuditEntry[]; total: number }>;
  /** The oldest first, one page in memory at a time. */
  iterate(filter: AuditFilter): AsyncIterable<AuditEntry>;
  /** Stores buffered entries. */
  close(): Promise<void>;
}

type StoredEntry = Omit<AuditEntry, 'entry_id'> & { _id: string };

const flushIntervalMs = 1_000;
/** Maximum number of buffered entries while the database is unavailable; further ones are dropped. */
const maxBuffered = 10_000;
/** Old entries are removed at most this often. */
const cleanIntervalMs = 3_600_000;
const dayMs = 86_400_000;

/**
 * The log in MongoDB; entries older than `days` are removed. `onDropped` is called with the number of entries that could not be
 * stored.
 */
export function createAuditLog(mongo: Mongo, days: number, onDropped: (entries: number) => void): AuditLog {
  const entries = mongo.collection<StoredEntry>('audit');
  const whenReady = createWhenReady(async () => {
    await entries.createIndex({ at: -1 });
    await entries.createIndex({ user: 1, at: -1 });
  });
  let buffered: StoredEntry[] = [];
  let timer: NodeJS.Timeout | undefined;
  let cleanedAt = 0;
  const insert = (batch: StoredEntry[]) =>
    whenReady(async () => {
      await entries.insertMany(batch, { ordered: false }).catch((error: unknown) => {
        // An entry whose first write was confirmed too late is stored already.
        if (!isDuplicate(error)) throw error;
      });
      if (Date.now() - cleanedAt < cleanIntervalMs) return;
      cleanedAt = Date.now();
      await entries.deleteMany({ at: { $lt: new Date(cleanedAt - days * dayMs).toISOString() } });
    });
  const flush = async (): Promise<void> => {
    timer = undefined;
    const batch = buffered;
    buffered = [];
    if (batch.length === 0) return;
    await insert(batch).catch(() => onDropped(batch.length));
  };
  return {
    write: (entry) => insert([toStored(entry)]),
    note(entry) {
      if (buffered.length >= maxBuffered) return onDropped(1);
      buffered.push(toStored(entry));
      timer ??= setTimeout(() => void flush(), flushIntervalMs).unref();
    },
    list: (filter, { limit, offset }) =>
      guard(async () => {
        await flush();
        await whenReady();
        return await readPage(entries, buildFilter(filter), { sort: { at: -1, _id: 1 }, limit, offset }, readStored);
      }),
    async *iterate(filter) {
      await whenReady();
      for await (const entry of entries.find(buildFilter(filter)).sort({ at: 1 })) yield readStored(entry);
    },
    async close() {
      clearTimeout(timer);
      await flush();
    },
  };
}

function buildFilter({ since, until, ...exact }: AuditFilter): Filter<StoredEntry> {
  const at = { ...(since ? { $gte: since } : {}), ...(until ? { $lt: until } : {}) };
  return { ...exact, ...(since || until ? { at } : {}) };
}

function toStored({ entry_id: _id, ...entry }: AuditEntry): StoredEntry {
  return { _id, ...entry };
}

function readStored({ _id, ...entry }: StoredEntry): AuditEntry {
  return { entry_id: _id, ...entry };
}
