import { randomUUID } from 'node:crypto';
import type { Filter } from 'mongodb';
import type { Reader } from '../../model/access';
import { AppError } from '../../model/errors';
import { escapeRegExp } from '../../model/escape-reg-exp';
import type { Row } from '../../model/flow/row';
import { guard, isDuplicate, type Mongo, createWhenReady } from '../storage/mongo';
import type { ObjectStore } from '../storage/object-store-port';
import type { Duckdb } from '../table/duckdb';
import { DocumentSetRows, type RowOrigin, type RowPageQuery, type SetTotals } from './document-set-rows';
import { chooseColumns, type ColumnChoice } from './set-columns';
import type { StoredDocument, StoredRow, StoredShape } from './set-records';
import { createSetViews, type StoredView } from './set-views';

/**
 * A document set: a named collection of rows. `readers` may see that it exists; each row has its own list of readers. The totals
 * count only the rows that the asker may read.
 */
export interface DocumentSetRecord {
  id: string;
  name: string;
  description: string | null;
  metadata: Record<string, unknown>;
  owner: string;
  readers: string[];
  /**
   * Whether to keep rows of documents that were deleted from their source; null: the flow decides. The operator's configuration
   * takes precedence.
   */
  retain_deleted_docs: boolean | null;
  totals: SetTotals;
  created_at: string;
  updated_at: string;
}

/** The user who requests resources. `everyone` is set for administrators. */
export interface ResourceAsker {
  user: Reader;
  everyone?: boolean;
}

/** Document sets and their rows. Names are unique per owner. Two sets never share a store. */
export interface DocumentSetsStore {
  /**
   * The owner's set of that name. Creates it when it does not exist (`created`); never changes an existing one. Totals are those
   * of the owner.
   */
  getOrCreate(
    set: Pick<DocumentSetRecord, 'name' | 'owner'> &
      Partial<Pick<DocumentSetRecord, 'description' | 'metadata' | 'readers' | 'retain_deleted_docs'>>,
  ): Promise<{ set: DocumentSetRecord; created: boolean }>;
  get(asker: ResourceAsker, setId: string): Promise<DocumentSetRecord | undefined>;
  /** The owner's set with that id or name. */
  find(owner: string, key: { id: string } | { name: string }): Promise<Omit<DocumentSetRecord, 'totals'> | undefined>;
  /** Newest first. `ids` restricts the list to these sets. */
  list(
    asker: ResourceAsker,
    query: { limit: number; offset: number; name?: string; ids?: readonly string[] },
  ): Promise<{ items: DocumentSetRecord[]; total: number }>;
  /** The number of these sets that the asker may see. */
  countVisible(asker: ResourceAsker, ids: readonly string[]): Promise<number>;
  update(
    asker: ResourceAsker,
    setId: string,
    change: Partial<Pick<DocumentSetRecord, 'description' | 'metadata' | 'readers' | 'retain_deleted_docs'>>,
  ): Promise<DocumentSetRecord | undefined>;
  /** Removes the set and its rows, and their files unless `keepFiles`. Repeating the call completes an interrupted removal. */
  remove(setId: string, keepFiles?: boolean): Promise<void>;
  /** Writes rows under their ids; idempotent. Returns false when the set was deleted; its rows are then removed again. */
  write(setId: string, origin: RowOrigin, rows: readonly Row[]): Promise<boolean>;
  /** Removes the rows of these documents of a job, except those of `keepRunId`. Returns their number. */
  removeRows(
    setId: string,
    scope: { jobId: string; documentIds: readonly string[]; keepRunId?: string },
  ): Promise<number>;
  /** Removes the rows of these documents of a job from every set, and their texts from the files. Returns their number. */
  purge(scope: { jobId: string; documentIds: readonly string[] }): Promise<number>;
  /**
   * Names of the chosen columns among the rows that the user may read, in a fixed order. Throws VALIDATION_ERROR for a column
   * that none of these rows has.
   */
  listColumns(user: Reader, setId: string, choice: ColumnChoice): Promise<string[]>;
  /** A page of the rows that the user may read, in the order in which they were stored, and their total number. */
  preview(
    user: Reader,
    setId: string,
    query: RowPageQuery,
  ): Promise<{ rows: Record<string, unknown>[]; totalRows: number }>;
  /** The ids of up to `limit` sets that contain rows of the document that the user may read. The sets may belong to anyone. */
  listSetsWith(user: Reader, documentId: string, limit: number): Promise<string[]>;
  /** The documents with rows in the set, if the user may read all of them. */
  findReadableDocuments(user: Reader, setId: string, documentIds: readonly string[]): Promise<Set<string>>;
  /** All rows that the user may read, page by page, in the same order. */
  readAll(user: Reader, setId: string, columns: readonly string[]): AsyncGenerator<Record<string, unknown>[]>;
}

/** The stored form. Metadata is JSON text because its keys may contain dots and dollar signs. */
interface StoredSet {
  _id: string;
  name: string;
  description: string | null;
  metadata: string;
  owner: string;
  readers: string[];
  created_at: string;
  updated_at: string;
  /** Counts writes. Stored views with a lower number are stale. */
  writes: number;
  /** Absent in sets of earlier versions. */
  retain_deleted_docs?: boolean | null;
}

interface SetDeps {
  mongo: Mongo;
  store: ObjectStore;
  duckdb: Duckdb;
}

/** Stores document sets in MongoDB, and their rows in Parquet files in the object store. */
export function createDocumentSetsStore(deps: SetDeps): DocumentSetsStore {
  return new MongoDocumentSets(deps);
}

class MongoDocumentSets implements DocumentSetsStore {
  private readonly sets;
  private readonly rows;
  private readonly whenReady;
  private readonly views;

  constructor(deps: SetDeps) {
    this.sets = deps.mongo.collection<StoredSet>('document_sets');
    this.rows = new DocumentSetRows({
      rows: deps.mongo.collection<StoredRow>('document_set_rows'),
      documents: deps.mongo.collection<StoredDocument>('document_set_documents'),
      shapes: deps.mongo.collection<StoredShape>('document_set_shapes'),
      store: deps.store,
      duckdb: deps.duckdb,
    });
    this.whenReady = createWhenReady(async () => {
      await this.sets.createIndex({ owner: 1, name: 1 }, { unique: true });
      await this.sets.createIndex({ created_at: -1 });
    });
    this.views = createSetViews(deps.mongo.collection<StoredView>('document_set_views'), this.rows);
  }

  getOrCreate(
    input: Pick<DocumentSetRecord, 'name' | 'owner'> &
      Partial<Pick<DocumentSetRecord, 'description' | 'metadata' | 'readers' | 'retain_deleted_docs'>>,
  ) {
    return this.whenReady(async () => {
      const key = { owner: input.owner, name: input.name };
      const user = { username: input.owner };
      const existing = await this.sets.findOne(key);
      if (existing) return { set: await this.counted(existing, user), created: false };
      const storedSet = createSet(input);
      const created = await this.sets.insertOne(storedSet).then(
        () => true,
        (error: unknown) => {
          if (isDuplicate(error)) return false;
          throw error;
        },
      );
      const set = created ? storedSet : await this.sets.findOne(key);
      if (!set) throw new AppError('CONFLICT', `The document set '${input.name}' was removed at the same moment.`);
      return { set: await this.counted(set, user), created };
    });
  }

  get(asker: ResourceAsker, setId: string) {
    return guard(async () => {
      const set = await this.sets.findOne({ _id: setId, ...createVisibleFilter(asker) });
      return set ? this.counted(set, asker.user) : undefined;
    });
  }

  find(owner: string, key: { id: string } | { name: string }) {
    return guard(async () => {
      const set = await this.sets.findOne('id' in key ? { owner, _id: key.id } : { owner, name: key.name });
      return set ? readStored(set) : undefined;
    });
  }

  list(
    asker: ResourceAsker,
    { limit, offset, name, ids }: { limit: number; offset: number; name?: string; ids?: readonly string[] },
  ) {
    return this.whenReady(async () => {
      const filter: Filter<StoredSet> = {
        ...createVisibleFilter(asker),
        ...(name ? { name: { $regex: escapeRegExp(name), $options: 'i' } } : {}),
        ...(ids ? { _id: { $in: [...ids] } } : {}),
      };
      const total = await this.sets.countDocuments(filter);
      const page = await this.sets.find(filter).sort({ created_at: -1, _id: 1 }).skip(offset).limit(limit).toArray();
      const items: DocumentSetRecord[] = [];
      for (const set of page) items.push(await this.counted(set, asker.user));
      return { items, total };
    });
  }

  countVisible(asker: ResourceAsker, ids: readonly string[]) {
    return guard(() =>
      ids.length === 0
        ? Promise.resolve(0)
        : this.sets.countDocuments({ ...createVisibleFilter(asker), _id: { $in: [...ids] } }),
    );
  }

  update(
    asker: ResourceAsker,
    setId: string,
    {
      metadata,
      ...change
    }: Partial<Pick<DocumentSetRecord, 'description' | 'metadata' | 'readers' | 'retain_deleted_docs'>>,
  ) {
    return guard(async () => {
      const set = await this.sets.findOneAndUpdate(
        { _id: setId, ...createVisibleFilter(asker) },
        {
          $set: {
            ...change,
            ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
            updated_at: new Date().toISOString(),
          },
        },
        { returnDocument: 'after' },
      );
      return set ? this.counted(set, asker.user) : undefined;
    });
  }

  remove(setId: string, keepFiles = false) {
    return guard(async () => {
      await this.rows.removeAll(setId, keepFiles);
      await this.sets.deleteOne({ _id: setId });
      // Earlier writers have finished their rows before the record was deleted; later writers remove their own.
      await this.rows.removeAll(setId, keepFiles);
      await this.views.remove(setId);
    });
  }

  write(setId: string, origin: RowOrigin, rows: readonly Row[]) {
    return guard(async () => {
      if (rows.length === 0) return (await this.sets.countDocuments({ _id: setId })) > 0;
      await this.rows.write(setId, origin, rows);
      const { matchedCount } = await this.sets.updateOne(
        { _id: setId },
        { $inc: { writes: 1 }, $set: { updated_at: new Date().toISOString() } },
      );
      if (matchedCount === 0) await this.rows.removeAll(setId, false);
      return matchedCount > 0;
    });
  }

  removeRows(setId: string, scope: { jobId: string; documentIds: readonly string[]; keepRunId?: string }) {
    return guard(async () => {
      const removed = await this.rows.remove(setId, scope);
      if (removed > 0)
        await this.sets.updateOne(
          { _id: setId },
          { $inc: { writes: 1 }, $set: { updated_at: new Date().toISOString() } },
        );
      return removed;
    });
  }

  purge(scope: { jobId: string; documentIds: readonly string[] }) {
    return guard(async () => {
      let removed = 0;
      for (const { _id } of await this.sets.find({}, { projection: { _id: 1 } }).toArray()) {
        const gone = await this.rows.purge(_id, scope);
        if (gone > 0)
          await this.sets.updateOne({ _id }, { $inc: { writes: 1 }, $set: { updated_at: new Date().toISOString() } });
        removed += gone;
      }
      return removed;
    });
  }

  listColumns(user: Reader, setId: string, choice: ColumnChoice) {
    return guard(async () => {
      const set = await this.sets.findOne({ _id: setId });
      return chooseColumns(set ? await this.views.get(set, user) : { columns: [], vectors: [] }, choice);
    });
  }

  preview(user: Reader, setId: string, query: RowPageQuery) {
    return guard(() => this.rows.page(user, setId, query));
  }

  listSetsWith(user: Reader, documentId: string, limit: number) {
    return guard(() => this.rows.setsWith(user, documentId, limit));
  }

  findReadableDocuments(user: Reader, setId: string, documentIds: readonly string[]) {
    return guard(() => this.rows.findReadableDocuments(user, setId, documentIds));
  }

  readAll(user: Reader, setId: string, columns: readonly string[]) {
    return this.rows.readAll(user, setId, columns);
  }

  private async counted(set: StoredSet, user: Reader): Promise<DocumentSetRecord> {
    return {
      ...readStored(set),
      totals: (await this.views.get(set, user)).totals,
    };
  }
}

function createSet(input: Parameters<DocumentSetsStore['getOrCreate']>[0]): StoredSet {
  const now = new Date().toISOString();
  return {
    _id: randomUUID(),
    name: input.name,
    description: input.description ?? null,
    metadata: JSON.stringify(input.metadata ?? {}),
    owner: input.owner,
    readers: [...new Set(input.readers)],
    retain_deleted_docs: input.retain_deleted_docs ?? null,
    created_at: now,
    updated_at: now,
    writes: 0,
  };
}

function createVisibleFilter({ user, everyone }: ResourceAsker): Filter<StoredSet> {
  return everyone ? {} : { $or: [{ owner: user.username }, { readers: user.username }] };
}

function readStored(set: StoredSet): Omit<DocumentSetRecord, 'totals'> {
  const { _id: id, name, description, metadata, owner, readers, created_at, updated_at } = set;
  return {
    id,
    name,
    description,
    metadata: JSON.parse(metadata) as Record<string, unknown>,
    owner,
    readers,
    retain_deleted_docs: set.retain_deleted_docs ?? null,
    created_at,
    updated_at,
  };
}
