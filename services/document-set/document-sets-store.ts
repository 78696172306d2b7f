import { randomUUID } from 'node:crypto';
import type { Collection, Filter } from 'mongodb';
import type { User } from '../../model/access';
import { AppError } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import {
  type ColumnChoice,
  createDocumentSetRows,
  type RowOrigin,
  type SetRows,
  type SetTotals,
  type StoredDocument,
  type StoredRow,
} from './document-set-rows';
import type { Duckdb } from '../table/duckdb';
import { guard, isDuplicate, type Mongo, onceReady } from '../storage/mongo';
import type { ObjectStore } from '../storage/object-store';

/** A document set: a named collection of rows, with who may see that it exists. Who may read a row is said by the row. */
export interface DocumentSetRecord {
  id: string;
  name: string;
  description: string | null;
  metadata: Record<string, unknown>;
  owner: string;
  readers: string[];
  totals: SetTotals;
  created_at: string;
  updated_at: string;
}

/** Who asks for resources; `everyone` is for administrators. */
export interface ResourceAsker {
  user: Pick<User, 'username'>;
  everyone?: boolean;
}

/** Document sets and their rows. Names are unique for an owner; two sets never share a store. */
export interface DocumentSetsStore {
  /** The owner's set of that name, made when there is none; `created` says which. An existing one stays as it is. */
  getOrCreate(
    set: Pick<DocumentSetRecord, 'name' | 'owner'> &
      Partial<Pick<DocumentSetRecord, 'description' | 'metadata' | 'readers'>>,
  ): Promise<{ set: DocumentSetRecord; created: boolean }>;
  get(asker: ResourceAsker, setId: string): Promise<DocumentSetRecord | undefined>;
  /** The owner's set of that id or name, with the totals of the last count. */
  find(owner: string, key: { id: string } | { name: string }): Promise<DocumentSetRecord | undefined>;
  /** Newest first. `ids` limits the list to these. */
  list(
    asker: ResourceAsker,
    query: { limit: number; offset: number; name?: string; ids?: readonly string[] },
  ): Promise<{ items: DocumentSetRecord[]; total: number }>;
  update(
    setId: string,
    change: Partial<Pick<DocumentSetRecord, 'description' | 'metadata' | 'readers'>>,
  ): Promise<DocumentSetRecord | undefined>;
  /** Removes the set and its rows; their files too unless `keepFiles`. More calls finish what one left. */
  remove(setId: string, keepFiles?: boolean): Promise<void>;
  /** Writes rows under their ids; the same rows again change nothing. False when the set is gone, and with it the rows. */
  write(setId: string, origin: RowOrigin, rows: readonly Row[]): Promise<boolean>;
  /** Removes the rows of these documents of a job, except those of `keepRunId`. Gives how many. */
  removeRows(
    setId: string,
    scope: { jobId: string; documentIds: readonly string[]; keepRunId?: string },
  ): Promise<number>;
  /** Names of the columns that `choice` means, in a settled order; VALIDATION_ERROR for one that the set does not have. */
  columns(setId: string, choice: ColumnChoice): Promise<string[]>;
  /** Rows that the user may read, in the order they were stored, with their true number. */
  preview(
    user: Pick<User, 'username'>,
    setId: string,
    query: { columns: readonly string[]; limit: number; offset: number },
  ): Promise<{ rows: Record<string, unknown>[]; totalRows: number }>;
  /** The same rows, all of them, page by page. */
  readAll(
    user: Pick<User, 'username'>,
    setId: string,
    columns: readonly string[],
  ): AsyncGenerator<Record<string, unknown>[]>;
}

/** As stored: metadata is JSON text, since its keys may hold dots and dollar signs. */
interface StoredSet {
  _id: string;
  name: string;
  description: string | null;
  metadata: string;
  owner: string;
  readers: string[];
  created_at: string;
  updated_at: string;
  /** Counts writes; totals are true while `counted` is the same number. */
  writes: number;
  counted: number;
  totals: SetTotals;
  columns: string[];
  vectors: string[];
}

const noTotals: SetTotals = { documents: 0, rows: 0, size: 0, pages: 0 };

/** Document sets in MongoDB, their rows in Parquet files of the object store. */
export function createDocumentSetsStore({
  mongo,
  store,
  duckdb,
}: {
  mongo: Mongo;
  store: ObjectStore;
  duckdb: Duckdb;
}): DocumentSetsStore {
  const sets = mongo.collection<StoredSet>('document_sets');
  const rows: SetRows = createDocumentSetRows({
    rows: mongo.collection<StoredRow>('document_set_rows'),
    documents: mongo.collection<StoredDocument>('document_set_documents'),
    store,
    duckdb,
  });
  const ready = onceReady(async () => {
    await sets.createIndex({ owner: 1, name: 1 }, { unique: true });
    await sets.createIndex({ created_at: -1 });
  });
  const counted = (set: StoredSet): Promise<DocumentSetRecord> => recount(sets, rows, set);

  return {
    getOrCreate: (given) =>
      guard(async () => {
        await ready();
        const key = { owner: given.owner, name: given.name };
        const existing = await sets.findOne(key);
        if (existing) return { set: await counted(existing), created: false };
        const made = newSet(given);
        const created = await sets.insertOne(made).then(
          () => true,
          (error: unknown) => {
            if (isDuplicate(error)) return false;
            throw error;
          },
        );
        const set = created ? made : await sets.findOne(key);
        if (!set) throw new AppError('CONFLICT', `The document set '${given.name}' was removed at the same moment.`);
        return { set: await counted(set), created };
      }),
    get: (asker, setId) =>
      guard(async () => {
        const set = await sets.findOne({ _id: setId, ...visibleTo(asker) });
        return set ? counted(set) : undefined;
      }),
    find: (owner, key) =>
      guard(async () => {
        const set = await sets.findOne('id' in key ? { owner, _id: key.id } : { owner, name: key.name });
        return set ? fromStored(set, set.totals) : undefined;
      }),
    list: (asker, { limit, offset, name, ids }) =>
      guard(async () => {
        await ready();
        const filter: Filter<StoredSet> = {
          ...visibleTo(asker),
          ...(name ? { name: { $regex: escapeRegExp(name), $options: 'i' } } : {}),
          ...(ids ? { _id: { $in: [...ids] } } : {}),
        };
        const total = await sets.countDocuments(filter);
        const page = await sets.find(filter).sort({ created_at: -1, _id: 1 }).skip(offset).limit(limit).toArray();
        const items: DocumentSetRecord[] = [];
        for (const set of page) items.push(await counted(set));
        return { items, total };
      }),
    update: (setId, { metadata, ...change }) =>
      guard(async () => {
        const set = await sets.findOneAndUpdate(
          { _id: setId },
          {
            $set: {
              ...change,
              ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
              updated_at: new Date().toISOString(),
            },
          },
          { returnDocument: 'after' },
        );
        return set ? counted(set) : undefined;
      }),
    remove: (setId, keepFiles = false) =>
      guard(async () => {
        await rows.removeAll(setId, keepFiles);
        await sets.deleteOne({ _id: setId });
        // Whoever wrote before the record went finished its rows before; whoever comes later removes its own.
        await rows.removeAll(setId, keepFiles);
      }),
    write: (setId, origin, given) =>
      guard(async () => {
        if (given.length === 0) return (await sets.countDocuments({ _id: setId })) > 0;
        const { columns, vectors } = await rows.write(setId, origin, given);
        const { matchedCount } = await sets.updateOne(
          { _id: setId },
          {
            $inc: { writes: 1 },
            $set: { updated_at: new Date().toISOString() },
            $addToSet: { columns: { $each: columns }, vectors: { $each: vectors } },
          },
        );
        if (matchedCount === 0) await rows.removeAll(setId, false);
        return matchedCount > 0;
      }),
    removeRows: (setId, scope) =>
      guard(async () => {
        const removed = await rows.remove(setId, scope);
        if (removed > 0)
          await sets.updateOne({ _id: setId }, { $inc: { writes: 1 }, $set: { updated_at: new Date().toISOString() } });
        return removed;
      }),
    columns: (setId, choice) =>
      guard(async () => {
        const set = await sets.findOne({ _id: setId });
        return rows.choose(set?.columns ?? [], set?.vectors ?? [], choice);
      }),
    preview: (user, setId, query) => guard(() => rows.page(user, setId, query)),
    readAll: (user, setId, columns) => rows.readAll(user, setId, columns),
  };
}

function newSet(given: Parameters<DocumentSetsStore['getOrCreate']>[0]): StoredSet {
  const now = new Date().toISOString();
  return {
    _id: randomUUID(),
    name: given.name,
    description: given.description ?? null,
    metadata: JSON.stringify(given.metadata ?? {}),
    owner: given.owner,
    readers: [...new Set(given.readers)],
    created_at: now,
    updated_at: now,
    writes: 0,
    counted: 0,
    totals: noTotals,
    columns: [],
    vectors: [],
  };
}

/** The record with true totals: counted anew when rows were written since the last count, which is noted for the next. */
async function recount(sets: Collection<StoredSet>, rows: SetRows, set: StoredSet): Promise<DocumentSetRecord> {
  if (set.counted === set.writes) return fromStored(set, set.totals);
  const totals = await rows.totals(set._id);
  await sets.updateOne({ _id: set._id, writes: set.writes }, { $set: { totals, counted: set.writes } });
  return fromStored(set, totals);
}

function visibleTo({ user, everyone }: ResourceAsker): Filter<StoredSet> {
  return everyone ? {} : { $or: [{ owner: user.username }, { readers: user.username }] };
}

function fromStored(set: StoredSet, totals: SetTotals): DocumentSetRecord {
  const { _id: id, name, description, metadata, owner, readers, created_at, updated_at } = set;
  return {
    id,
    name,
    description,
    metadata: JSON.parse(metadata) as Record<string, unknown>,
    owner,
    readers,
    totals,
    created_at,
    updated_at,
  };
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
